"""What is printed cannot steer a terminal, fail on a character, or complain when nobody reads on."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from scripted import ROOT

from relore_client.output import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripted import Outcome, Script

STEERING = "a\x1b[2Jb\x9b31mc\x1b]52;c;eA==\x07d\u202ee\u2028f\U000e0041g\x7fh\ri"


def test_no_steering_character_is_left_but_tab_and_newline() -> None:
    assert plain(STEERING + "\tj\nk") == "a[2Jb31mc]52;c;eA==defghi\tj\nk"


@pytest.mark.parametrize("flags", [[], ["--no-compact"], ["--plain"]], ids=["piped", "long", "plain"])
def test_no_steering_character_of_a_page_is_printed(
    flags: list[str], server: Script, relore: Callable[..., Outcome]
) -> None:
    """The server has scrubbed it already; this holds where something else answers."""
    server.payload = {"notice": "Data.", "rendered": STEERING}

    assert relore("status", *flags).out == "a[2Jb31mc]52;c;eA==defghi\n"


def test_no_steering_character_of_a_message_is_printed(
    server: Script, relore: Callable[..., Outcome]
) -> None:
    server.status, server.payload = 400, {"error": "bad_value", "message": STEERING}

    assert relore("status").err == "relore: a[2Jb31mc]52;c;eA==defghi\n"


def test_json_is_ascii_and_says_everything(server: Script, relore: Callable[..., Outcome]) -> None:
    server.payload = {"notice": "Data.", "title": f"{STEERING} ✓ 猫 \U0001f600", "n": [1, None]}

    outcome = relore("status", "--json")

    assert outcome.out.isascii()
    assert "\x1b" not in outcome.out
    assert json.loads(outcome.out) == server.payload


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["cp1252", "C locale"],
)
def test_redirected_output_is_utf_8_whatever_the_locale(
    env: dict[str, str], server: Script, process: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    server.payload = {"notice": "Data.", "rendered": "✓ 猫 \ud83d"}

    done = process("status", env=env)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8") == "✓ 猫 ?\n"


def test_words_that_are_no_utf_8_are_asked_with_the_bytes_replaced(
    server: Script, process: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    done = process("search", os.fsdecode(b"caf\xe9"))

    assert done.returncode == 0
    assert server.asked[0].body["query"] == "caf\ufffd"


@pytest.mark.parametrize("flags", [["status"], ["status", "--json"]], ids=["page", "json"])
def test_a_reader_that_goes_away_is_no_error(flags: list[str], server: Script) -> None:
    """As in ``relore ... | head -1``."""
    server.payload = {"notice": "Data.", "rendered": "line\n" * 200_000}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "relore_client", *flags]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.read(1)
        running.stdout.close()
        complaint = running.stderr.read()

    assert complaint == b""
    assert running.returncode == 0


def test_help_into_a_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "relore_client", "--help"]

    done = subprocess.run(command, env=environment, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "words", [["status"], ["--help"], ["search", "--help"], ["--version"], ["guide"], []], ids=str
)
@pytest.mark.parametrize("redirection", [">&-", "> /dev/full"])
def test_output_that_cannot_be_written_is_one_line_on_the_other_stream(
    redirection: str, words: list[str], server: Script
) -> None:
    """And no success: who asked has no answer."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RELORE_API": server.url}
    command = shlex.join([sys.executable, "-m", "relore_client", *words])

    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {redirection}"], env=environment, capture_output=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.startswith(b"relore: Standard output")
    assert done.stderr.count(b"\n") == 1


def test_a_message_is_one_line_whatever_it_quotes(server: Script, relore: Callable[..., Outcome]) -> None:
    server.status, server.payload = 400, {"error": "bad_value", "message": "two\nlines\n\n\tand more"}

    assert relore("status").err == "relore: two lines and more\n"
    assert relore("thread", "a\nb").err.count("\n") == 1
