"""Brings GitHub's objects into the staging table: recognised, cleaned at the door, written where they differ."""
