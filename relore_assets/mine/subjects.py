"""Which words of a text say what it is about: what people chat with is rare as well, and finds nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from relore_assets.mine.texts import lexemes, names, one_line, own_words, rarest, with_spans, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from relore_assets.mine.source import Source

#: So many titles at least carry a word that names a subject.
TITLES_LEAST = 2

#: And it stands in titles about as often as in all that is said. Of what is merely talked with, titles carry far less.
SHARE_LEAST = 0.3

#: Words that fewer documents carry are nobody else's, misspelt as often as not.
SAID_ELSEWHERE = 5

_CHAT = """
    able absolutely account actually after again agree agreed almost already also although always another anymore
    anyway anywhere apologies apparently appreciate around attempt attention available avoid awesome awful back bad
    basically beautiful become before belongs below best better beyond bit both bother brings btw came care certainly
    cheers clear clearly clever closer come comes common completely concern concerns confused confusing consider
    considered correct correctly couple course curious currently decide definitely deliberately depending despite
    detected different difficult discuss discussed discussion doubt during earlier easier easily easy else elsewhere
    enough entirely especially essentially etc eventually ever every everyone everything exactly example examples
    excellent except expect explain explicitly fact fair fairly familiar far feel felt few figure figured final
    finally fine first fixed folks follow forget forgot former forward found fully fun funny further furthermore fwiw
    fyi generally get give given glad goes going gone good got great guess haha happen happened happens happy hard
    hardly harmless heh hello help helpful hence hey hmm honest honestly hope however hurt idea idly imagine imho imo
    important impossible impression improve improved improving indeed initially inside instead intend intended
    interested interesting introduce introduced introducing issue issues keep kind knew know lately later latter law
    least left less let lgtm like likely little lol long look looked looking looks lot lots low made mainly make makes
    making many matter maybe mean means meant mention mentioned merely mind minor miss missed missing mistake moment
    more most mostly much namely near nearly necessarily necessary need needed needs never nevertheless new next nice
    nobody non none nope normally not note noted nothing notice noticed now obvious obviously occur odd offline often
    okay old once one only oops opinion opposed option ordinary orthogonal other otherwise outside overall particular
    past people perfect perfectly perhaps person personally place plan please point possible possibly posterity prefer
    preferably prepare present presumably pretty prevent previous previously probably problem proper properly pull put
    question quick quicker quickly quite ran rather read ready real realize realized really reasonable recall recent
    recently regarding related relevant reluctant remember remind replace reply resolve resolved rework rid right said
    same saw say saying says see seem seems seen sense shame short similar similarly simple simpler simplest simply
    since situation slightly small smell smells somebody somehow someone something sometimes somewhat somewhere soon
    sorry sound sounds speak speaking start started stay stick still strange strictly strong stuff stupid successfully
    suggest suggested suggestion super sure surely surprised surprising take taken takes talk talking tend terrible
    thank thanks the themselves thing things think thinking though thought thoughts throw thus till today together
    tomorrow too took totally tough towards tricky tried trivial true truly try trying two ugly under understand
    understanding unfortunately unless unlike unnecessary unsure until upon usage use used useful uses using usually
    various via wait want wanted wants way ways week weekend weird welcome well went whatever whenever whole will wip
    wise wish within without wonder wonderful wondering worked working works worry worse worst worth wow wrong yeah
    year years yep yes yesterday yet yikes yup
"""

#: How work is passed on and kept account of, in every thread the same.
_BOOKKEEPING = """
    ack acked add added adding addressed adds amended approach approve approved assigned backport backported bug bugs
    bump bumped change changed changelog changes changing cherry-picked closed closes closing comment commented
    comments commit commits committed concept conflict conflicts description done draft drop dropped dropping entries
    entry feedback fixup fixups force-push force-pushed forcepushed implemented label labels land landed merge merged
    merging nack needs-changelog needs-rebase nit nits opened picked post-merge pr prs pull-request push pushed rebase
    rebased rebases rebasing reopen reopened request requested requests revert reverted review reviewed reviewer
    reviewers reviewing squash squashed submit submitted superseded synced todo untested-ack update updated updates
    utack
"""

STOPS = frozenset((_CHAT + _BOOKKEEPING).split())

_EMOJI = re.compile(r"(?<![\w:]):[a-z0-9_+-]{2,40}:(?![\w:])")
_DIGIT = re.compile(r"\d")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Subjects:
    """Knows of some words whether they name what a repository is about.

    Attributes:
        frequencies: by lexeme, how many documents carry it.
        titled: by lexeme, how many threads carry it in their titles.
        documents, threads: of the repository.
    """

    frequencies: Mapping[str, int]
    titled: Mapping[str, int]
    documents: int
    threads: int

    @classmethod
    def of(cls, source: Source, texts: Iterable[str]) -> Self:
        """Count the words of some texts."""
        every = {word for text in texts for word in words(text)}
        [corpus] = source.rows("corpus")
        return cls(source.frequencies(every), source.titled(every), corpus["documents"], corpus["threads"])

    def named(self, text: str) -> list[str]:
        """Return the words of a text that name a subject, each once, in order."""
        listed = [word for word in words(text) if word.lower() not in STOPS]
        known = lexemes(listed)
        found: dict[str, str] = {}
        for word in listed:
            if word in known and self._is_subject(word, known[word]):
                found.setdefault(known[word], word)
        return list(found.values())

    def rarest(self, of: list[str], number: int) -> list[str]:
        """Return those that fewest documents carry, in their order."""
        return rarest(of, self.frequencies, number, least=SAID_ELSEWHERE)

    def _is_subject(self, word: str, lexeme: str) -> bool:
        said, titled = self.frequencies.get(lexeme, 0), self.titled.get(lexeme, 0)
        if _DIGIT.search(word):
            # No word of a language: a standard, a machine, a curve.
            return said >= SAID_ELSEWHERE
        return titled >= TITLES_LEAST and titled * self.documents >= SHARE_LEAST * said * self.threads


def prose(body: str) -> str:
    """Return an author's own words in one line, without emoji, whose names are words of nobody's."""
    return without_emoji(own_words(body))


def without_emoji(text: str) -> str:
    """Return a text without what GitHub shows as emoji: ``:tada:``."""
    return _EMOJI.sub(" ", text)


def code_names(body: str) -> list[str]:
    """Return the names of code in a text, as `names` does; emoji and acronyms in the plural (``PRs``) are none."""
    emoji = {each.strip(":") for each in _EMOJI.findall(body)}
    return [name for name in names(body) if name and name not in emoji and not _ACRONYMS.fullmatch(name)]


def said_again(bodies: Iterable[tuple[int, str]]) -> frozenset[str]:
    """Return what is said in several threads, in the form of `as_said`: notes that somebody puts under each of them."""
    threads: dict[str, set[int]] = {}
    for number, body in bodies:
        threads.setdefault(as_said(body), set()).add(number)
    return frozenset(said for said, listed in threads.items() if len(listed) > 1)


def as_said(body: str) -> str:
    """Return a text's own words without what differs between two copies: numbers, case, white space."""
    return one_line(_NUMBER.sub("", with_spans(body))).lower()
