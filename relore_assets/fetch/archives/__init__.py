"""Archives of a repository's history on disk: which layout a path holds, and one streaming reader for each.

Readers turn files into `found.Raw` objects and say what they could not read. They know nothing of Postgres
(`relore_assets.fetch.staging`) and clean nothing (`door`).
"""
