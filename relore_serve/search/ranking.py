"""What a ranking is made of: every number that decides an order, in one value that a search is given.

A score is the sum of three shares: what the document's words say about the question, what exact facts its thread and
the document carry, and a trifle for having something to say. `DEFAULT` is what is served. Change a number of it with
the benchmark that it changes; `dataclasses.replace(DEFAULT, …)` is a ranking with a part of it switched off or other.
Facts read off a question are switched off by the question, with ``expand``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Ranking:
    """The numbers of one ranking, and the bounds on what it reads.

    Those of the first group enter scores, those of the second decide what stands in which group of a page, and those of
    the third are bounds: what is read by them decides what is scored at all, and how exact the totals are.
    """

    title: float = 1.35
    """A word in a title, against one in a comment of the same length, which is 1."""
    body: float = 1.15
    """The same of an opening post."""
    length_floor: int = 12
    """Positions below which being short earns nothing more: a nod that names the subject is not what says most of it.
    Earns nothing on mined questions, which ask for whole threads; kept for those who read the page."""
    length_share: float = 0.75
    """How much a text's length, against the usual one, counts against it (BM25's b); 0 is not at all."""
    repeated: float = 1.2
    """How soon repeating a word stops adding to a score (BM25's k1): a great number is never, and 0 is at once."""
    rarity: float = 1.5
    """The power to which the rarity of a word is taken: above 1 few rare words outweigh many common ones; 0 makes all
    words equal."""
    function_word: float = 0.15
    """What a word that only holds a sentence together is worth of what its rarity says."""
    function_words: bool = True
    """Whether such words are known; else they are words like all others, and required."""
    coverage: float = 1.0
    """How much it matters that a text carries the whole of a short question: the power of the share it carries."""
    head: float = 2.0
    """How much more a word of a text's first line is worth, where more lines follow: they are its title."""
    few_words: int = 2
    """Of so few words each is wanted: a text that carries half of the question is worth half."""
    coverage_ends: int = 8
    """So many words more, and that is over: of a long question a text may answer a part."""
    error: float = 1.5
    """An exact fact that hardly any other thread carries; common ones are worth less. One that was read off the text is
    worth that part of it which it is of the text, by the rarity of its words."""
    test: float = 1.5
    symbol: float = 0.75
    file: float = 0.4
    thread_share: float = 0.5
    """Of that, what goes to every document of a thread that carries it; the rest goes to the document that says it."""
    alike: float = 1.0
    """For being like the question as a whole, where somebody tells which threads are; see `alike`."""
    precedent_years: float = 4.0
    """Years after which a text is half as good an answer where precedents are asked for; 0 is never. From an answer to
    any other question age takes nothing."""
    substance: float = 0.05
    """For a text long enough to say something. Decides where nothing else does."""
    substance_title: float = 2.0
    """How much of that is a title's, against that of a long comment."""
    substance_body: float = 1.5
    substance_ends: int = 32
    """Positions of a comment from which on it has all of it."""
    repeat: float = 0.7
    """What a thread's second hit is worth, and its third once more: a page is for several threads. 1 is as much."""

    per_thread: int = 3
    """Hits of one thread before every other thread had its say."""
    noise_below: bool = True
    """Whether what says nothing of any subject stands below everything else."""
    substance_length: int = 8
    """Positions of a text that is more than a nod, where no words say what is to be read of a thread."""
    few_answers: int = 10
    """A page of them. Where fewer texts carry every word of a question, those with some of its words are put below."""
    many_words: int = 3
    """Words that name something, from which a question is put like that: of two, one says too little."""

    candidates: int = 300
    """Documents scored per search."""
    scored_pairs: int = 2_500
    """Documents times words scored per search: many words, fewer documents."""
    matches: int = 1_500
    """Matches counted per search; above, a total is a lower bound."""
    heads: int = 1_000
    """Of these, titles and opening posts."""
    some_words: int = 1_000
    """Where hardly any text carries every word, so many are read that carry one of the rarest; and as many titles and
    opening posts that carry one of the next rarest."""
    guessed: float = 0.1
    """How much of the question's words a text that a fact led to is taken to carry, before it is scored: what is known
    to carry more goes first."""
    facts: int = 200
    """Texts looked up per fact that the text names; what more of them carry tells none apart."""
    alike_threads: int = 30
    """Threads taken of those that are like the question as a whole."""
    alike_least: float = 0.3
    """Likeness below which a thread is not let in by that alone: what has nothing to do with a history is a little like
    something in it. Measured on `secp256k1`: of 26 questions about other things 21 have no thread as like as this,
    and no pull request found as like the issue that it closes is less than 0.33. It is of the model that is served."""
    fact_threads: int = 60
    """Threads looked into per search for the facts that the text names."""
    filter_threads: int = 80
    """Threads looked into per search for what the caller's filters admit without the text."""
    in_thread: int = 25
    """Of each of these threads, so many texts that need not carry anything asked for."""
    newest_threads: int = 4_000
    """As ``filter_threads``, where only dates decide and nothing is scored."""
    few_threads: int = 500
    """Up to so many threads that pass the filters, their documents are read rather than the index of words."""
    few_by_author: int = 5_000
    """Texts of the authors asked for, up to which all of theirs are read and the newest taken of these."""
    few_untested: int = 100
    """Pull requests that a filter for files could not be tried on, up to which the documents of each are read."""
    untested_matches: int = 2_000
    """Where there are more, texts that are looked through for theirs."""

    def evidence(self, kind: str) -> float:
        """Return what a fact of this kind is worth: error, test, symbol or file."""
        return {"error": self.error, "test": self.test, "symbol": self.symbol, "file": self.file}[kind]

    def years(self, kind: str | None) -> float:
        """Return after how many years a text is half as good an answer to a question of this kind; 0 is never."""
        return self.precedent_years if kind == "precedent" else 0.0

    def scored(self, words: int) -> int:
        """Return how many documents are scored for so many words: each costs as much as there are words."""
        return min(self.candidates, self.scored_pairs // max(words, 1))


DEFAULT = Ranking()
OF_WORK = replace(DEFAULT, rarity=1.0, error=3.0, test=3.0, symbol=1.5, file=1.0)
"""Where whole threads are compared, of which facts tell more: in `similar` and `precedents`."""
