"""What an agent installs: a command line over the HTTP API, and nothing that could reach a database.

`cli` parses and prints, `api` asks, `failures` says what went wrong and with which exit code, `output` is the
only way to the terminal. Pages are rendered by the server; nothing here interprets an answer.
"""
