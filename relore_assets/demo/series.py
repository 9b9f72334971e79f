"""Reads the commits of the bundled repository: one file of patches a pull request, in `repository/`.

`0009.patch` holds the commits of pull request 9; `0000.patch` what was pushed to the main branch without one. Each
commit is a short head, its message, and a diff as `git diff` prints it without `index` lines:

    From: LOGIN
    Date: 2023-11-03 17:10

    Subject

    diff --git a/README.md b/README.md

`Generate: samples/%03d.txt 134` in a head stands for a diff that adds that many numbered files, each of which holds its
own name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from relore_assets.demo.errors import SourceError
from relore_assets.demo.notation import expand

if TYPE_CHECKING:
    from pathlib import Path

DIRECT = 0
_COMMIT = re.compile(r"^From: ", re.MULTILINE)
_DIFF = re.compile(r"^diff --git ", re.MULTILINE)


@dataclass(frozen=True)
class Patch:
    """One commit to be: who, when, why and what."""

    author: str
    at: datetime
    message: str
    diff: str

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]


def read_series(folder: Path) -> dict[int, list[Patch]]:
    """The patches of every pull request, and those of nobody under DIRECT."""
    return {
        int(path.stem): parse_series(path.name, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.patch"))
    }


def parse_series(source: str, text: str) -> list[Patch]:
    """The patches of one file, in order.

    Raises:
        SourceError: the file does not begin with a commit's head, or a head lacks its date.
    """
    before, *commits = _COMMIT.split(text)
    if before.strip() or not commits:
        raise SourceError(f"{source}: does not begin with a From line")
    return [_patch(source, commit) for commit in commits]


def _patch(source: str, text: str) -> Patch:
    head, _, rest = text.partition("\n\n")
    author, *lines = head.splitlines()
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    if "Date" not in fields:
        raise SourceError(f"{source}: a commit by {author} has no date")
    start = _DIFF.search(rest)
    message, diff = (rest[: start.start()], rest[start.start() :]) if start else (rest, "")
    pattern, _, count = fields.get("Generate", "").partition(" ")
    if count:
        diff = "".join(_new_file(pattern % number) for number in range(int(count)))
    return Patch(
        author=author.strip(),
        at=datetime.strptime(fields["Date"], "%Y-%m-%d %H:%M").replace(tzinfo=UTC),
        message=expand(message.strip()),
        diff=expand(diff.strip("\n") + "\n") if diff else "",
    )


def _new_file(path: str) -> str:
    """The diff of a file that holds its own name."""
    header = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return f"{header}@@ -0,0 +1 @@\n+{path}\n"
