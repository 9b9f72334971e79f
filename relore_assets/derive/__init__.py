"""Rebuilds threads, documents, signals, files, links, commits and verdicts from staged objects, offline."""
