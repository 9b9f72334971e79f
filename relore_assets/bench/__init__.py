"""Measures how well questions of a set are answered: systems side by side, with intervals, on the same questions."""
