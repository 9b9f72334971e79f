"""Runs of the benchmark in, one page for people out; and whether the ranking has become worse."""
