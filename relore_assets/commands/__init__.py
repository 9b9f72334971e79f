"""One module per verb of `relored`, imported when the verb is called; each exposes ``command``."""
