"""The answer to a search, in the names and the shape of its JSON: `dataclasses.asdict` is that JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

WIDENED = "any-term"
TOPPED_UP = "any-term-below"
WORDLESS = "no-term"

CAPABILITIES = ("fulltext", "identifiers", "cjk", "rarity", "signals")


@dataclass(frozen=True, slots=True)
class Backend:
    """What answered, so that a result is only compared with results of the same kind."""

    name: str = "postgresql"
    ranking: str = "bm25"
    capabilities: tuple[str, ...] = CAPABILITIES


@dataclass(frozen=True, slots=True)
class LegEcho:
    """One question asked of the tables (text, error, test, symbol, file, filters or likeness), and its term."""

    leg: str
    term: str


@dataclass(frozen=True, slots=True)
class ContainsEcho:
    """A part of identifiers, the words that were found to hold it and asked for, and how many hold it in all.

    Attributes:
        value: the part.
        words: those in the most texts first; none under a cutoff or an exclusion, since words bear no dates and one
            may stand in what is withheld only.
        total: null where ``words`` is withheld.
    """

    value: str
    words: tuple[str, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class QueryEcho:
    """The question as it was understood.

    Attributes:
        text: as sent, without characters that show nothing.
        trust_floor: the labels that were admitted.
        trust_floor_merged: besides them, whatever a person said on a merged pull request was admitted.
        judged_today: association and word_rarity, which under a cutoff too are told by all that is held today.
        exclude: owner/name#number each.
        repos: names of the repositories that were asked.
        filters: only those given; errors in the normal form they were matched in.
        contains: for each part of an identifier the words that hold it.
        widened: "" or "any-term": no document carried every term, so these carry some; "any-term-below": few threads
            carried every term, so those that carry some stand below them; "no-term": none was found by its terms, and
            what there is was let in by something else, as its legs say.
        unasked_terms: on a widened page the words that not all texts were looked for by, because too many carry them,
            but titles and opening posts at most. They count where a text that was found carries them.
        terms: how many words were asked.
        dropped_terms: how many more there were, beyond the number that one question may hold.
        unsearchable_terms: how many are too long for any text to be found by.
        uninformative_errors: values of the error filter that hold too little to tell one error from another,
            and so match nothing.
        untyped_errors: those in which no error's type was recognised; more likely text than error.
    """

    text: str
    kind: str | None
    trust: str | None
    trust_floor: tuple[str, ...]
    trust_floor_merged: bool
    limit: int
    since: str | None
    before: str | None
    judged_today: tuple[str, ...]
    exclude: tuple[str, ...]
    repos: tuple[str, ...]
    sort: str
    expand: bool
    explain: bool
    legs: tuple[LegEcho, ...]
    filters: dict[str, tuple[str, ...]]
    contains: tuple[ContainsEcho, ...]
    mentioned: bool
    widened: str
    unasked_terms: tuple[str, ...]
    terms: int
    dropped_terms: int
    unsearchable_terms: int
    uninformative_errors: tuple[str, ...]
    untyped_errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a hit is on the page.

    Attributes:
        terms: the words of the question that this document carries, as asked, rarest first.
        missing: those it does not carry.
        filters: filters of the caller that the thread passed, and facts read off the question that it
            carries, as ``kind:value``.
        said: those of these facts that this very text carries; the others stand elsewhere in its thread.
        legs: the legs that admitted it.
    """

    terms: tuple[str, ...]
    missing: tuple[str, ...]
    filters: tuple[str, ...]
    said: tuple[str, ...]
    legs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One document, and the thread it stands in.

    Attributes:
        number: the thread's.
        title: the thread's.
        snippet: the text around the densest match; a title's is the title itself.
        truncated: the snippet is less than the text.
        document_id: source_type:source_id:chunk_index, stable across rebuilds.
        source_id: what ``thread --comment`` takes.
        passages: how many passages the whole text was cut into; null when it is one.
        group: where it stands among the hits: "best" of its thread; "further", what else the thread says, once every
            thread had its say; "some-terms" and "some-terms-further", the same of what carries some of the terms only,
            or none where likeness let it in; "noise", what says nothing of any subject (thanks, nods, templates left
            blank).
        also_in: of a commit whose message also stands in other pull requests, some of these, owner/name#number each;
            ``also_in_total`` there are. The message is one hit.
        score: null when compact and not explained, and where dates decide the order.
        breakdown: what the score is made of.
        withheld: ``state`` where it is not known as of the cutoff, and then null.
        todays_words: title and body, where they may have been edited since the cutoff.
    """

    repo: str
    number: int
    type: str
    title: str
    state: str | None
    merged: bool
    source_type: str
    url: str
    author: str
    trust: str
    age: str
    date: str | None
    snippet: str
    truncated: bool
    document_id: str
    source_id: str
    chunk_index: int
    passages: int | None
    path: str | None
    line: int | None
    why: Why
    group: str = "best"
    also_in: tuple[str, ...] = ()
    also_in_total: int = 0
    score: float | None = None
    breakdown: dict[str, float] | None = None
    withheld: tuple[str, ...] = ()
    todays_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Another question that finds something, tried on the same index.

    Attributes:
        change: what differs, in words.
        form: the command line that asks it.
        total: texts that it finds by words and filters; what likeness would let in is not counted.
        total_exact: False when that is a lower bound.
    """

    change: str
    form: str
    total: int
    total_exact: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page of hits.

    Attributes:
        count: hits on this page.
        total: texts that match, of which the page is a part; passages of one text are one.
        total_exact: False when there were more matches than were looked at: the totals are then lower bounds.
        threads_total: the threads that these stand in, those included that only a hit's ``also_in`` names.
        alike_total: how many of them came in by the likeness of their thread to the question alone, and count as
            carrying none of its words; null where likeness was not asked.
        every_term_total: how many of them carry every term, where those that carry some were added; else null.
        carrying_total: with filters for exact facts, how many of the texts carry one of these facts themselves; the
            others stand in threads that do. Else null.
        reachable: how many of them pages lead to; the rest is told of and has to be asked for more narrowly.
        reaches_back_to: the date of the oldest of these, where only so many of the newest are looked at; else null.
        machine_withheld: texts of machines that match, where nobody else's does and machines were not asked for; on a
            widened page those that carry every word.
        machine_threads: on a widened page the newest of the threads that these stand in, as owner/name#number.
        machine_withheld_exact: False when that is a lower bound.
        suggestions: where nothing matches, near questions that find something, the nearest first.
        files_untested: pull requests that match in everything but the file filter, and whose list of changed
            files is missing or cut off, or not known as of the cutoff.
        files_untested_exact: False when that is a lower bound.
        edited_since: under a cutoff, texts that were there then and were edited since, whatever they say: they are not
            searched. ``edited_since_exact`` is False where there are more.
        labels_untested: under a cutoff and a filter by labels, threads whose labels then are not known.
        cursor: continues after this page; null at the end.
    """

    query: QueryEcho
    count: int
    total: int
    total_exact: bool
    threads_total: int
    every_term_total: int | None
    carrying_total: int | None
    reachable: int
    reaches_back_to: str | None
    files_untested: int
    hits: tuple[Hit, ...]
    cursor: str | None
    machine_withheld: int = 0
    machine_withheld_exact: bool = True
    machine_threads: tuple[str, ...] = ()
    files_untested_exact: bool = True
    edited_since: int = 0
    edited_since_exact: bool = True
    labels_untested: int = 0
    suggestions: tuple[Suggestion, ...] = ()
    alike_total: int | None = None
    backend: Backend = field(default_factory=Backend)
