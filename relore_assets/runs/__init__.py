"""Runs of the assets started from a shell: in this process, against the same instance as the UI's."""
