"""Tells texts that say nothing of the subject: a nod, thanks, an emoji, a bare command, a template left as it came.

They are kept and found, but below everything that says something. The rule is strict: every word has to be one of the
few that agree, thank or remind; one other word, an address, a quotation or a piece of code makes a text substance.
Pure, standard library only, linear in the length of the text.
"""

from __future__ import annotations

import re

#: Nobody nods at greater length, and a template without an answer is no longer than this.
MAX_CHARACTERS = 3_000
#: Words of a nod; more of them are a sentence, whatever they are.
MAX_WORDS = 16


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Agreeing, thanking, reminding, and what holds such words together. No denial is among them, and nothing that names a
# thing, a place or a reason.
_NODS = _words(
    """
    a ack acked addressed again agree agreed ah aha ahh all and any anything approach awesome beautiful bedankt
    brilliant bump bumping catch cc cheers close closed closing code concept congrats congratulations contribution cool
    correct course danke done exactly excellent fair fantastic fine fixed for full fyi good gracias grazie great ha
    haha happy hello here hey hi hm hmm hmmm hooray i i'd i'll i'm indeed is it it's itself job just k kindly lgtm
    lgtm2 lol looking looks love lovely ltgm makes many me merci merge merged merging mine much my neat need needs news
    nice nit now np obrigada obrigado of oh ok okay okey on oops our perfect ping please pls plus plz post-merge pr
    pretty problem progress pushed quick re re-ack re-utack reack ready really rebase rebased removed resolved review
    reviewed right same seems sense sgtm sir so solid sorry sounds splendid squashed status suggestion super superb
    sure tack tested thank thanks thankyou that that's the there this thx to too top totally true tx ty tyvm update
    updated updates us utack very want wait we welcome well will wonderful wonderfully work works wow wtack yay yea
    yeah yep yes you you're your yup dziękuję спасибо 谢谢 感谢 谢谢你 多谢 ありがとう ありがとうございます 감사합니다
    """
)
_COMMANDS = _words("bors build ci recheck rebuild rerun restart retest retry run test tests r+ try")
_IGNORED = re.compile(
    r"""https?://[^\s/()<>]+/[\w.-]+/[\w.-]+/(?:pull/\d+/)?commits?/[0-9a-f]{7,40}(?![\w/?\#])   # its address
      | (?<!\w)[+-]1(?!\w) | (?<!\w)100% | :[+\w-]{1,40}:                 # +1, :tada:
      | (?<![\w/])@[\w-]{1,39}(?:\[bot\])?                                # whoever is thanked
      | (?<!\w)(?=[a-f]{0,40}[0-9])[0-9a-f]{7,40}(?!\w)                   # the commit that is agreed to
      | [*~`] | (?<!\w)_+ | _+(?!\w)
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*\+?")
# What a command to a machine begins with, and its own word.
_SLASH = re.compile(r"\A/[a-z][\w-]{1,40}(?=\s|\Z)")
_SUBSTANCE = re.compile(r"://|\]\(|[=<>{}#]|\w\.\w|\w/\w|\w::|\w\(|\w_\w|^[+-]\w", re.MULTILINE)

_HEADING = re.compile(
    r"(?:#{1,6}[ \t]+(?P<marked>.+?)[ \t#]*|\*\*(?P<bold>[^*]+)\*\*):?|(?P<plain>[^:]{3,60}):"
)
_TICK = re.compile(r"(?:[-*+]|\d{1,2}[.)])[ \t]+\[[ xX]?\][ \t]*(?P<said>.*)")
# Boxes in which a template speaks of the author's duties, in the first person, or offers kinds of a change.
_DUTY = re.compile(
    r"(?:(?:i|i've|i'm|my|we|this (?:pr|pull request|issue|is|change)|the (?:code|title|pr)|all (?:new|tests)"
    r"|existing|new|tests? (?:added|are|have)|bug ?fix|new feature|breaking change|documentation|refactor\w*|feature"
    r"|chore|ci|other|style)\b.*)?",
    re.IGNORECASE,
)
_UNANSWERED = _words("_no n/a na none nothing tbd todo - -- --- ... … response_ *no response*")
_ASKING = _words(
    """
    a about actual additional affected and any are behavior behaviour browser bug bugs change changes checklist code
    command config configuration context contributing current dependencies describe description desired details did do
    documentation environment error errors example expected feature files fix fixes for happened have how i in info
    information is issue issues it kind linked log logs make minimal motivation new node notes of on operating
    optional or os other output platform please possible pr problem proposed pull purpose python reason related
    relevant report reproduce reproducible reproducing reproduction request result results review reviewers screenshot
    screenshots section self solution step steps submit submitting suggested summary system template test tested
    testing tests that the this to traceback type types use version versions was were what when which who why work
    would you your
    """
)


def is_noise(visible: str) -> bool:
    """Return whether a text says nothing of the subject.

    Args:
        visible: the text without what GitHub hides (HTML comments).
    """
    if len(visible) > MAX_CHARACTERS or "```" in visible or "~~~" in visible:
        return False
    said = visible.strip()
    return _is_nod(said) or _is_blank_template(said)


def _is_nod(said: str) -> bool:
    command = _SLASH.match(said)
    rest = _IGNORED.sub(" ", (said[command.end() :] if command else said).casefold())
    if _SUBSTANCE.search(rest):
        return False
    words = [word.replace("\u2019", "'") for word in _WORD.findall(rest)]
    return len(words) <= MAX_WORDS and all(word in _NODS or word in _COMMANDS for word in words)


def _is_blank_template(said: str) -> bool:
    """Whether nothing stands here but the headings and boxes of a template, at least two."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return len(lines) > 1 and all(map(_is_of_template, lines)) and any(map(_asks, lines))


def _is_of_template(line: str) -> bool:
    if tick := _TICK.fullmatch(line):
        return _DUTY.fullmatch(tick["said"]) is not None
    return _asks(line) or all(word in _UNANSWERED for word in line.casefold().split())


def _asks(line: str) -> bool:
    """Whether a line is a heading of words that templates ask with."""
    heading = _HEADING.fullmatch(line)
    if heading is None:
        return _TICK.fullmatch(line) is not None
    words = _WORD.findall((heading["marked"] or heading["bold"] or heading["plain"]).casefold())
    return all(word in _ASKING for word in words)
