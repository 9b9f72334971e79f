"""What can be wrong with the demo's sources, or keep them from being built."""

from __future__ import annotations

from relore_assets.errors import ReloreError


class SourceError(ReloreError):
    """A source of the demo says something that cannot be; the message names the file."""


class GitFailed(ReloreError):
    """git is missing or refused; the message is its own."""
