"""Finished units of work: how something was done before, and which attempts were turned down."""
