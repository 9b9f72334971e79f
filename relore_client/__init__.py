"""What an agent installs: a command line over the HTTP API, and nothing that could reach a database.

`verbs` declares what can be asked, `asking` makes questions of it, `api` asks, `failures` says what went wrong and
with which exit code, `output` is the only way to the terminal, `cli` runs it all. `prose`, `guide` and `completion`
are what the program tells about itself. Pages are rendered by the server; nothing here interprets an answer.
"""
