"""Mines questions whose answers the record knows from the derived tables, and keeps sets of them in files."""
