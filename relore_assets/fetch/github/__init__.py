"""Asking GitHub: what its answers mean (`protocol`), sending (`sender`, `client`), tokens, and the record of it all."""
