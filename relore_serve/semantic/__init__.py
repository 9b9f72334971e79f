"""The optional tier: one vector per thread, and which threads a question is like; absent without its extra.

`tier` is the door; the schema ``relore_semantic`` is made and filled by `relore_assets.embeddings`.
"""
