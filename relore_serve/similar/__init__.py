"""Threads that are most like a given one."""
