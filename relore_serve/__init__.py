"""Answers questions over the tables; reads them, and knows nothing of what fills them."""
