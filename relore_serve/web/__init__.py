"""The HTTP API: the only place that imports Flask.

`app.create_app` is handed its collaborators and answers over HTTP what `search`, `threads` and `status` know.
One concern per module: `errors` (the one error shape), `handshake` (which end is behind), `tokens`,
`binding`, `quota`, `scope` (which repositories), `parameters` (what may be asked), and a blueprint per kind
of question.
"""
