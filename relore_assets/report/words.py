"""What slices, parts and measures are called, and what they are, in words."""

from __future__ import annotations

SLICES = {
    "closing-title": "the title of an issue, asked of today's index without the issue; the answer is the merged pull "
    "request whose body says that it closes it",
    "closing-text": "the title of an issue and the beginning of its text, asked of today's index without the issue; "
    "the answer is the merged pull request whose body says that it closes it",
    "closing": "the title of an issue and the beginning of its text, asked of the index as it stood before the fix was "
    "merged; the answer is the merged pull request that closed it, by keyword or by GitHub's own record",
    "duplicate": "the words of a thread that was closed as a duplicate; the answer is the original",
    "answered": "an inline comment; the answer is the pull request or commit that answered it",
    "traceback": "a pasted error; the answer is the thread where it was resolved",
    "failure": "words and error of a failure that several threads carry; the answers are these threads",
    "precedent": "identifiers of a comment that points to earlier work; the answer is that work",
    "rationale": "identifiers of a finding in review; the answer is the pull request where somebody says why",
    "asked": "a question that somebody put to the index; the answers are what people judged to be one",
    "all": "the questions of all slices together, but for those that leak",
}

PARTS = {
    "held-out": "held out",
    "fit": "fit",
    "all": "both parts",
}

#: What some measures are called in heads of tables; what they say stands in :mod:`relore_assets.bench.measures`.
SHOWN = {"nDCG@10": "nDCG", "page_R": "R on page", "wasted": "wasted", "empty": "empty", "ms": "ms"}

#: Measures that say how much is found; the report's tables and the check go by these.
FOUND = ("R@10", "R@5", "MRR", "nDCG@10")

#: Measures of the page as a reader meets it.
PAGE = ("page_R", "wasted", "empty")

#: Measures that may not fall; see :mod:`.regression`.
GUARDED = ("R@10", "MRR")


#: Fewer questions than this show nothing: their figures stand without intervals and marks, and fail no check.
FEWEST = 10


def measure(name: str) -> str:
    """Return what a measure is called in a head of a table."""
    return SHOWN.get(name, name)


def part(name: str) -> str:
    """Return what a part of a set is called."""
    return PARTS.get(name, name)


def slice_order(name: str) -> tuple[int, str]:
    """Order slices as they are listed here, unknown ones behind them."""
    known = list(SLICES)
    return (known.index(name) if name in known else len(known), name)
