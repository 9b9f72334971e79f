"""The demo's artefacts on disk, written when the sources have changed and left alone otherwise."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from relore_assets.demo.build import sources, write_both

_STAMP = "made-from"


@dataclass(frozen=True)
class Sample:
    """Where the artefacts are, and whether this call wrote them."""

    archive: Path
    repository: Path
    written: bool


def ensure(directory: Path) -> Sample:
    """The sample in directory, whole and of the present sources. What an interrupted call left is replaced."""
    stamp, digest = directory / _STAMP, _digest(sources())
    sample = Sample(directory / "archive", directory / "ebbsync.git", written=False)
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return sample
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sample-", dir=directory.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        fresh.mkdir(mode=0o755)
        write_both(fresh / sample.repository.name, fresh / sample.archive.name)
        (fresh / _STAMP).write_text(digest, encoding="ascii")
        if directory.exists():
            shutil.rmtree(directory)
        fresh.rename(directory)
    return Sample(sample.archive, sample.repository, written=True)


def _digest(folder: Path) -> str:
    """A hash of everything that the artefacts are made from, the code that makes them included."""
    whole = hashlib.blake2b(digest_size=16)
    for path in sorted(path for kind in ("*.md", "*.txt", "*.patch", "*.py") for path in folder.rglob(kind)):
        name, content = path.relative_to(folder).as_posix().encode(), path.read_bytes()
        whole.update(b"%d %d\n" % (len(name), len(content)) + name + content)
    return whole.hexdigest()
