"""What can go wrong between a question and its answer, each with its own exit code.

An empty answer is none of these: it is an answer, and its exit code is 0.

    Failure
    ├── Unprintable     1  there is an answer, and nowhere to print it
    ├── Refused         2  the question cannot be asked like this
    ├── Unreachable     3  nobody answers at that address
    ├── TimedOut        4  nobody answered in time
    ├── Incompatible    5  client and server do not fit, or it is no relore server
    ├── Denied          6  no token, or one that does not open this
    ├── NotFound        7  no such repository or thread here
    ├── Limited         8  asked too often
    └── ServerFailed    9  the server cannot answer at the moment
"""

from __future__ import annotations

from typing import ClassVar


class Failure(Exception):
    """Anything that the reader of the message can act on."""

    exit_code: ClassVar[int] = 1


class Unprintable(Failure):
    """There is an answer, and standard output is closed or full."""

    exit_code = 1


class Refused(Failure):
    """The question cannot be asked like this: the command line is wrong, or the server said so."""

    exit_code = 2


class Unreachable(Failure):
    """Nobody answers at that address."""

    exit_code = 3


class TimedOut(Failure):
    """Somebody may be there, but did not answer in time."""

    exit_code = 4


class Incompatible(Failure):
    """Client and server do not fit, or what answered is no relore server."""

    exit_code = 5


class Denied(Failure):
    """No token was sent, or the server does not accept it for this."""

    exit_code = 6


class NotFound(Failure):
    """There is no such repository or thread, as far as this token may know."""

    exit_code = 7


class Limited(Failure):
    """The token has asked as often as it may, for now."""

    exit_code = 8


class ServerFailed(Failure):
    """The server failed, or cannot reach its index: an outage, not an empty answer."""

    exit_code = 9
