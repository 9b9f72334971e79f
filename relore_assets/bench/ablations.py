"""Rankings with one part switched off, by name: what a part earns is what is lost without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from relore_serve.search.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Ablation:
    """One part of a ranking, and the numbers with which it does nothing.

    Attributes:
        part: its name in tables.
        without: what is ranked without it, in words.
        off: fields of `Ranking` and their values.
        of_likeness: it is a part only where likeness is asked for.
    """

    part: str
    without: str
    off: Mapping[str, Any]
    of_likeness: bool = False

    def of(self, ranking: Ranking) -> Ranking:
        """Return the ranking without the part."""
        return replace(ranking, **self.off)

    def does_nothing(self, ranking: Ranking) -> bool:
        """Whether the ranking is without it already."""
        return self.of(ranking) == ranking


ABLATIONS: Final = (
    Ablation("titles", "a title counts as a comment of its length", {"title": 1.0}),
    Ablation("opening posts", "an opening post counts as a comment of its length", {"body": 1.0}),
    Ablation("length", "long and short texts count alike", {"length_share": 0.0}),
    Ablation("shortest length", "the shorter a text, the better", {"length_floor": 0}),
    Ablation("saturation", "the tenth time a word stands there counts as the first", {"repeated": 1e6}),
    Ablation("repetition and length", "a word counts once, in a text of whatever length", {"repeated": 0.0}),
    Ablation("first lines", "a text's first line counts as its other lines", {"head": 1.0}),
    Ablation("rarity", "all words count alike", {"rarity": 0.0}),
    Ablation("more than rarity", "rarity counts as it is, to no power", {"rarity": 1.0}),
    Ablation("function words", "the and of are words like all others", {"function_words": False}),
    Ablation("little of function words", "the and of count by their rarity", {"function_word": 1.0}),
    Ablation("some words below", "questions of many words get no texts with some of them", {"many_words": 1_000}),
    Ablation("coverage", "half of a short question is as good as its weights say", {"coverage": 0.0}),
    Ablation("facts", "no fact earns anything", {"error": 0.0, "test": 0.0, "symbol": 0.0, "file": 0.0}),
    Ablation("errors", "errors earn nothing", {"error": 0.0}),
    Ablation("tests", "tests earn nothing", {"test": 0.0}),
    Ablation("symbols", "symbols earn nothing", {"symbol": 0.0}),
    Ablation("files", "files earn nothing", {"file": 0.0}),
    Ablation("facts of the thread", "a fact counts in the text alone that says it", {"thread_share": 0.0}),
    Ablation("age", "an old precedent is worth as much as a young one", {"precedent_years": 0.0}),
    Ablation("substance", "having something to say earns nothing", {"substance": 0.0}),
    Ablation("one hit a thread", "further hits of a thread count as much as its first", {"repeat": 1.0}),
    Ablation("likeness", "being like the question as a whole earns nothing", {"alike": 0.0}, of_likeness=True),
    Ablation("noise below", "nods and thanks stand wherever their words put them", {"noise_below": False}),
)  # fmt: skip
