"""The demo's two artefacts: a git repository and the archive of its conversation, which agree on every sha."""

from __future__ import annotations

import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from relore_assets.demo import archive, chronicle
from relore_assets.demo.people import read_people
from relore_assets.demo.series import read_series
from relore_assets.demo.threads import read_threads

if TYPE_CHECKING:
    from relore_assets.demo.chronicle import Chronicle
    from relore_assets.demo.people import Person
    from relore_assets.demo.threads import Thread


def sources() -> Path:
    """The folder that holds `history/` and `repository/`."""
    return Path(str(resources.files("relore_assets.demo")))


def write_repository(directory: Path) -> Path:
    """A bare git repository at directory, which must not exist yet; returns it."""
    _build(directory)
    return directory


def write_archive(directory: Path) -> Path:
    """The archive's files in directory; returns it. The shas in it come from a repository built on the way."""
    with tempfile.TemporaryDirectory(prefix="relore-demo-") as scratch:
        threads, people, built = _build(Path(scratch) / "ebbsync.git")
        return archive.write(directory, archive.objects(threads, people, built))


def write_both(repository: Path, directory: Path) -> None:
    """As the two above, in one go."""
    threads, people, built = _build(repository)
    archive.write(directory, archive.objects(threads, people, built))


def _build(repository: Path) -> tuple[list[Thread], dict[str, Person], Chronicle]:
    folder = sources()
    people = read_people(folder / "history" / "people.txt")
    threads = read_threads(folder / "history")
    return threads, people, chronicle.build(repository, threads, read_series(folder / "repository"), people)
