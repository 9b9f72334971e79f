"""The demo: a sample history of an invented project, its git repository, and questions to ask of them.

acme-harbor/ebbsync and everybody in it are made up. `history/` and `repository/` are the sources, to be read and
edited by hand; `build` turns them into an archive and a repository; `run` is `relored demo`.
"""
