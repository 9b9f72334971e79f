"""What ranking is made of: every number that decides an order, by name.

A score is the sum of three shares: what the document's words say about the question, what exact facts its
thread and the document carry, and a trifle for having something to say. Change a number together with the
benchmark that it changes.
"""

from __future__ import annotations

TITLE = 1.35
"""A word in a title, against one in a comment of the same length."""
BODY = 1.15
LENGTH_FLOOR = 12
"""Positions below which being short earns nothing more: `LGTM` is not the best text about `LGTM`."""
REPEATED = 1.2
"""How soon repeating a word stops adding to a text's score (BM25's k1)."""
LENGTH_SHARE = 0.75
"""How much a text's length, against the usual one, counts against it (BM25's b)."""
FUNCTION_WORD = 0.15
"""What a word that only holds a sentence together is worth of what its rarity says."""
FEW_WORDS = 2
"""Of so few words each is wanted: a text that carries half of the question is worth half."""
COVERAGE_ENDS = 8
"""So many words more, and that is over: of a long question a text may answer a part."""
REPEAT = 0.85
"""What a thread's second hit is worth, and its third once more: a page is for several threads."""

EVIDENCE = {"error": 1.5, "test": 1.5, "symbol": 0.75, "file": 0.4}
"""An exact fact that hardly any other thread carries; common ones are worth less."""
EVIDENCE_OF_WORK = {"error": 3.0, "test": 3.0, "symbol": 1.5, "file": 1.0}
"""The same where whole threads are compared, of which facts tell more: in `similar` and `precedents`."""
THREAD_SHARE = 0.5
"""Of that, what goes to every document of a thread that carries it; the rest goes to the document that says
it."""
SUBSTANCE = 0.05
"""For a text long enough to say something. Decides where nothing else does."""

CANDIDATES = 300
"""Documents scored per search."""
SCORED_PAIRS = 2_500
"""Documents times words scored per search: many words, fewer documents."""
MATCHES = 1_500
"""Matches counted per search; above, a total is a lower bound."""
HEADS = 1_000
"""Of these, titles and opening posts."""
FACTS = 200
"""Texts looked up per fact that the text names; what more of them carry tells none apart."""
TRIED_CANDIDATES = 200
"""The same, for a near question that is only tried where one found nothing: fewer are counted exactly."""
TRIED_MATCHES = 1_000
"""Matches counted of such a question."""
FACT_THREADS = 60
"""Threads looked into per search for the facts that the text names."""
FILTER_THREADS = 80
"""Threads looked into per search for what the caller's filters admit without the text."""
IN_THREAD = 25
"""Of each of these threads, so many texts that need not carry anything asked for."""
FEW_THREADS = 500
"""Up to so many threads that pass the filters, their documents are read rather than the index of words."""
FEW_UNTESTED = 100
"""Pull requests that a filter for files could not be tried on, up to which the documents of each are read."""
UNTESTED_MATCHES = 2_000
"""Where there are more, texts that are looked through for theirs."""
FEW_BY_AUTHOR = 5_000
"""Texts of the authors asked for, up to which all of theirs are read and the newest taken of these."""
SUBSTANCE_LENGTH = 8
"""Positions of a text that is more than a nod."""
PER_THREAD = 3
"""Hits of one thread before every other thread had its say."""
FEW_ANSWERS = 10
"""A page of them. Where fewer texts carry every word of a question, those with some of its words are put below."""
MANY_WORDS = 3
"""Words that name something, from which a question is put like that: of two, one says too little."""
BELOW = 120
"""Documents with some of the words that are then looked at: those with the rarest."""
NEWEST_THREADS = 4_000
"""As `FILTER_THREADS`, where only dates decide and nothing is scored."""
TELLING_ERROR = 24
"""Characters of an error's message that are enough to know it by, when more was pasted than was reported."""
