"""The failures of this package that the person at the keyboard can act on.

One tree: whatever derives from `ReloreError` is shown as its sentence alone, without a traceback. Failures of
the store as readers meet them live in `relore_serve.database`.
"""

from __future__ import annotations


class ReloreError(Exception):
    """Something expected went wrong; the message is one sentence that says what to do about it."""

    #: What a verb that fails so leaves with; docs/operations.md has the table.
    exit_code: int = 1


class UnknownRepository(ReloreError):
    """A repository that is not indexed here was named."""
