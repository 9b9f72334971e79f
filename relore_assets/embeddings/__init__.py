"""Vectors of threads, for the optional semantic tier: where they are kept, how they are filled, and taken away."""
