"""Search: a question in, hits out. `engine.search` is the whole of it; the rest is what it is made of."""
