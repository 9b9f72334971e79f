"""Runs git for the demo, deaf to whatever the machine and its user have configured."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relore_assets.demo.errors import GitFailed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Said on every call, because a repository's own config is read as well.
_SETTINGS = {
    "core.autocrlf": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "protocol.allow": "never",
}


@dataclass(frozen=True)
class Git:
    """A bare repository at directory, reached through git's plumbing."""

    directory: Path

    def run(self, *arguments: str, feed: bytes | None = None, extra: Mapping[str, str] | None = None) -> str:
        """What git prints, as text, without its last newline. Text that is not UTF-8 raises UnicodeDecodeError.

        Raises:
            GitFailed: git is missing or ended with anything but 0.
        """
        settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
        try:
            done = subprocess.run(
                ["git", *settings, *arguments],
                input=feed if feed is not None else b"",
                capture_output=True,
                cwd=self.directory,
                env=_environment(self.directory) | dict(extra or {}),
                check=False,
            )
        except FileNotFoundError:
            raise GitFailed("git is not installed: it is needed to build the demo's repository") from None
        if done.returncode:
            message = done.stderr.decode(errors="replace").strip()
            raise GitFailed(f"git {arguments[0]} failed ({done.returncode}): {message}")
        return done.stdout.decode().removesuffix("\n")


def create(directory: Path) -> Git:
    """A new, empty, bare repository whose default branch is main."""
    directory.mkdir(parents=True)
    git = Git(directory)
    git.run("init", "--bare", "--quiet", "--template=", ".")
    git.run("symbolic-ref", "HEAD", "refs/heads/main")
    return git


def _environment(directory: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_DIR": str(directory),
        "GIT_INDEX_FILE": str(directory / "relore-demo.index"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        # Object names are part of the archive, so their kind is not left to git's default.
        "GIT_DEFAULT_HASH": "sha1",
        "LC_ALL": "C",
        "TZ": "UTC",
    }
