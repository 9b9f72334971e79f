"""Keeps a repository that has been fetched as it is at GitHub: what is new, what has gone, what must go."""
