"""Text pages: scrubbed dictionaries in, text out.

One module per page, and `untrusted`, which every answer passes through. Nothing here knows a database, a web
framework or a clock: a fact that is not in the tree cannot be on the page.
"""
