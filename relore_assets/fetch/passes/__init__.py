"""Bringing a repository's history over HTTP: which requests, in which order, and what is staged of their answers.

REST walks lists (`walks`, `pulls`), GraphQL reads what has no list (`details`), `shapes` brings both into the form
that derive reads. `window` fetches windows, `refresh` single threads, `sample` a declared part of a history.
How a request reaches GitHub is `relore_assets.fetch.github`.
"""
