"""What GitHub shows of a Markdown text, parted into an author's own words, code, quotes and what stays hidden.

Not a renderer: just enough of GitHub's block and inline rules to say which of these a character belongs to, in one
walk that never looks at a character more than a few times, whatever the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Stands in prose where a code span was, so that the words beside it do not become neighbours.
SPAN = "\ufffc"

# A line that opens a fence, a quote or a hidden comment. A fence may stand in a list item, behind its marker.
_BLOCK = re.compile(
    r"""\n(?:
        [ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?+(?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)
      | [ ]{0,3}(?P<quote>>)
      | [ ]{0,3}(?P<comment><!--|<\?|<!\[CDATA\[|<![A-Za-z]|\[[^\[\]\n]{1,40}\]:[ \t]*(?:\#|<>)[ \t]+["'(])
      | [ ]{0,3}(?P<definition>\[(?!\^)[^\[\]\n]{1,200}\]:)
    )""",
    re.VERBOSE,
)
# Where a link goes, and its title: GitHub shows nothing of it. A line that says more is ordinary text.
_TITLE = r"""(?:"(?:[^"\n]|\n(?![ \t\r]*\n))*+"|'(?:[^'\n]|\n(?![ \t\r]*\n))*+'|\((?:[^()\n]|\n(?![ \t\r]*\n))*+\))"""
_DEFINITION = re.compile(
    rf"""
    [ \t]*+(?P<address><[^<>\n]*+>|[^\s<]\S*+)
    (?:(?:[ \t]++|[ \t]*+\n[ \t]*+){_TITLE})?
    [ \t\r]*+(?=\n|\Z)
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"\[([^\[\]\n]{1,200})\](?!:)")
_HIDDEN_ENDS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}  # else it is a declaration, up to >
# The same with what decides whether four spaces mean code: list items and lines at the margin.
_BLOCK_INDENTED = re.compile(
    _BLOCK.pattern.removesuffix(")")
    + r"""
      | (?P<item>[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t])
      | (?P<indented>(?:[ ]{0,3}\t|[ ]{4})[ \t]*+[^\s])
      | (?P<margin>[ ]{0,3}[^\s])
    )""",
    re.VERBOSE,
)
_FENCE_END = re.compile(r"\n[ \t]*+(`{3,}+|~{3,}+)[ \t\r]*+(?=\n|\Z)")
_QUOTE = re.compile(r"(?:\n[ ]{0,3}>[^\n]*+)++")
_QUOTE_MARK = re.compile(r"\n[ ]{0,3}>[ ]?")
_INDENTED = re.compile(r"(?:\n(?:(?:[ ]{0,3}\t|[ ]{4})[^\n]*+|[ \t\r]*+(?=\n|\Z)))++")
_INLINE = re.compile(
    r"(?P<ticks>`++)|(?P<blank>\n[ \t\r]*+(?=\n))|(?P<comment><!--|<\?|<!\[CDATA\[|<![A-Za-z])"
    r"|<(?P<tag>pre|code|samp|kbd|tt|blockquote)(?:[ \t][^<>\n]{0,200})?>",
    re.IGNORECASE,
)


class Markdown(NamedTuple):
    r"""One text, parted. Line ends are ``\n`` everywhere but in ``visible``, which is made of slices of the body."""

    prose: str
    """The author's own words: outside code, quotes and hidden comments. Code spans left a U+FFFC behind."""
    code_spans: tuple[str, ...]
    fences: tuple[str, ...]
    """Code blocks: fenced, indented and ``<pre>``."""
    quoted: tuple[str, ...]
    """Quoted blocks, without their marks."""
    hidden: tuple[str, ...]
    """What GitHub does not show: HTML comments, instructions, declarations and CDATA; where links go by their label."""
    visible: str
    """The body without what is hidden: what is ranked, cut into snippets and tokenized."""
    hidden_spans: tuple[tuple[int, int], ...]
    """Where in the body the hidden parts stand."""

    def visible_part(self, body: str, start: int, end: int) -> str:
        """Return what is visible of ``body[start:end]``, also when a hidden comment crosses that cut."""
        if not self.hidden_spans:
            return body[start:end]
        parts: list[str] = []
        for hidden_start, hidden_end in self.hidden_spans:
            if hidden_start >= end:
                break
            if hidden_start > start:
                parts.append(body[start:hidden_start])
            start = max(start, hidden_end)
        parts.append(body[start:end])
        return "".join(parts)


def split(body: str) -> Markdown:
    """Part ``body`` into prose, code, quotes and what is hidden."""
    indented = "\n    " in body or "\t" in body or body.startswith("    ")
    marked = "`" in body or "<" in body or ">" in body or "~~~" in body or "]:" in body
    if not indented and not marked:
        prose = body.replace("\r\n", "\n") if "\r" in body else body
        return Markdown(prose, (), (), (), (), body, ())
    return _Walk(body).run(_BLOCK_INDENTED if indented else _BLOCK)


class _Walk:
    """One pass over a body; positions count the newline put in front of it."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.text = "\n" + (body.replace(SPAN, "\ufffd") if SPAN in body else body)
        self.prose: list[str] = []
        self.spans: list[str] = []
        self.fences: list[str] = []
        self.quoted: list[str] = []
        self.hidden: list[tuple[int, int]] = []
        self.labels: set[str] | None = None
        self.inline_marks = "`" in body or "<" in body

    def run(self, blocks: re.Pattern[str]) -> Markdown:
        """Walk the blocks; the stretches between them are prose, walked for inline marks."""
        text = self.text
        done = position = 0
        in_list = False
        while found := blocks.search(text, position):
            start = found.start()
            group = found.lastgroup
            if group == "fence":
                end = self._fence(found)
            elif group == "quote":
                end = self._quote(start)
            elif group == "comment":
                end = self._comment(found)
            elif group == "definition" and (defined := self._definition(found)):
                end = defined
            elif group == "indented" and not in_list and self._blank_before(start):
                end = self._indented(start)
            else:
                if group == "item":
                    in_list = True
                elif group == "margin" and in_list and self._blank_before(start):
                    in_list = False
                position = found.end()
                continue
            hidden = group in {"comment", "definition"}
            self._inline(done, found.start(group) if hidden else start)
            if group == "definition":
                self._add_link(found, end)
            self.prose.append("\n" if hidden else "\n\n")
            done = position = end
        self._inline(done, len(text))
        return self._result()

    def _result(self) -> Markdown:
        hidden = sorted((start - 1, end - 1) for start, end in self.hidden)
        body = self.body
        parts = self.fences, self.quoted, self.spans
        if "\r" in body:
            fences, quoted, spans = ([part.replace("\r\n", "\n") for part in some] for some in parts)
            prose = "".join(self.prose).replace("\r\n", "\n")
        else:
            fences, quoted, spans = parts
            prose = "".join(self.prose)
        # The newline that was put in front is no part of the text.
        prose = prose.removeprefix("\n")
        whole = Markdown(
            prose=prose,
            code_spans=tuple(spans),
            fences=tuple(fences),
            quoted=tuple(quoted),
            hidden=tuple(body[start:end] for start, end in hidden),
            visible=body,
            hidden_spans=tuple(hidden),
        )
        return whole._replace(visible=whole.visible_part(body, 0, len(body))) if hidden else whole

    def _blank_before(self, start: int) -> bool:
        """Whether the line before the newline at ``start`` is blank, or there is none."""
        before = self.text.rfind("\n", 0, start)
        return before < 0 or not self.text[before:start].strip()

    def _fence(self, opened: re.Match[str]) -> int:
        mark = opened["fence"]
        line_end = self.text.find("\n", opened.end())
        if line_end < 0:
            return len(self.text)
        for closed in _FENCE_END.finditer(self.text, line_end):
            if closed[1][0] == mark[0] and len(closed[1]) >= len(mark):
                self.fences.append(self.text[line_end + 1 : closed.start()].removesuffix("\r"))
                return closed.end()
        self.fences.append(self.text[line_end + 1 :])
        return len(self.text)

    def _quote(self, start: int) -> int:
        block = _QUOTE.match(self.text, start)
        assert block is not None  # noqa: S101 - the opener matched the same line
        self.quoted.append(_QUOTE_MARK.sub("\n", block[0])[1:])
        return block.end()

    def _comment(self, opened: re.Match[str]) -> int:
        start = opened.start("comment")
        if opened["comment"].startswith("<"):
            # `<!-->` is a whole comment; one that never closes hides the rest, as it does on GitHub.
            closer = _hidden_end(opened["comment"])
            close = self.text.find(closer, start + 2)
            end = len(self.text) if close < 0 else close + len(closer)
        else:
            close = self.text.find("\n", opened.end())
            end = len(self.text) if close < 0 else close
        self.hidden.append((start, end))
        return end

    def _definition(self, opened: re.Match[str]) -> int | None:
        """Return where a link's definition ends; None where it is none, as in the middle of a paragraph."""
        start = opened.start()
        behind_another = bool(self.hidden) and self.hidden[-1][1] == start
        defined = (
            _DEFINITION.match(self.text, opened.end())
            if behind_another or self._blank_before(start)
            else None
        )
        if defined is None:
            return None
        self.hidden.append((opened.start("definition"), defined.end()))
        return defined.end()

    def _add_link(self, opened: re.Match[str], end: int) -> None:
        """Leave in the prose where the text's own links go."""
        if self.labels is None:
            self.labels = {label.casefold() for label in _LABEL.findall(self.text)}
        if opened["definition"][1:-2].casefold() in self.labels:
            defined = _DEFINITION.match(self.text, opened.end(), end)
            self.prose.append(f" {defined['address']}" if defined else "")

    def _indented(self, start: int) -> int:
        block = _INDENTED.match(self.text, start)
        assert block is not None  # noqa: S101 - the opener matched the same line
        self.fences.append(block[0].strip("\n"))
        return block.end()

    def _inline(self, start: int, end: int) -> None:
        """Append the prose of ``text[start:end]``, its code spans and comments taken out."""
        text = self.text
        if start >= end:
            return
        if not self.inline_marks:
            self.prose.append(text[start:end])
            return
        marks = list(_INLINE.finditer(text, start, end))
        closers = _closers(marks)
        unclosed: set[str] = set()
        done = start
        for index, mark in enumerate(marks):
            at = mark.start()
            group = mark.lastgroup
            if at < done or group == "blank":
                continue
            if group == "ticks":
                close = closers[index]
                if close is None or _escaped(text, at):
                    continue
                self.prose += text[done:at], SPAN
                self.spans.append(_unpadded(text[mark.end() : close.start()]))
                done = close.end()
            elif group == "comment":
                closer = _hidden_end(mark["comment"])
                close_at = -1 if closer in unclosed else text.find(closer, mark.end(), end)
                if close_at < 0:
                    unclosed.add(closer)
                    continue
                self.prose += text[done:at], " "
                done = close_at + len(closer)
                self.hidden.append((at, done))
            else:
                done = self._element(mark, done, end, unclosed)
        self.prose.append(text[done:end])

    def _element(self, opened: re.Match[str], done: int, end: int, unclosed: set[str]) -> int:
        """Take out an HTML element that holds code or a quote; return where prose goes on."""
        tag = opened["tag"].lower()
        closed = None if tag in unclosed else _element_end(tag).search(self.text, opened.end(), end)
        if closed is None:
            unclosed.add(tag)
            return done
        content = self.text[opened.end() : closed.start()]
        self.prose.append(self.text[done : opened.start()])
        if tag in {"pre", "blockquote"}:
            (self.fences if tag == "pre" else self.quoted).append(content)
            self.prose.append("\n\n")
        else:
            self.spans.append(content)
            self.prose.append(SPAN)
        return closed.end()


def _hidden_end(opened: str) -> str:
    return _HIDDEN_ENDS.get(opened, ">")


def _unpadded(span: str) -> str:
    """Take the blank off both ends that lets a span begin or end with a backtick."""
    return span[1:-1] if span[:1] == span[-1:] == " " and not span.isspace() else span


_ELEMENT_ENDS = {
    tag: re.compile(rf"</{tag}\s*+>", re.IGNORECASE)
    for tag in ("pre", "code", "samp", "kbd", "tt", "blockquote")
}


def _element_end(tag: str) -> re.Pattern[str]:
    return _ELEMENT_ENDS[tag]


def _closers(marks: list[re.Match[str]]) -> list[re.Match[str] | None]:
    """For each run of backticks the next run of the same length in its paragraph, found from the right in one go."""
    closers: list[re.Match[str] | None] = [None] * len(marks)
    following: dict[int, re.Match[str]] = {}
    for index in range(len(marks) - 1, -1, -1):
        mark = marks[index]
        if mark.lastgroup == "ticks":
            length = mark.end() - mark.start()
            closers[index] = following.get(length)
            following[length] = mark
        elif mark.lastgroup == "blank":
            following.clear()
    return closers


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before ``at``."""
    before = text[max(0, at - 64) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


_IMAGE = re.compile(r"!\[([^\[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,500})?\)")
_LINK = re.compile(r"\[([^\[\]\n]{0,1000})\]\(([^()\s]{0,2000})(?:\s[^()\n]{0,500})?\)")
_TAG = re.compile(
    r"</?(?:details|summary|br|p|sub|sup|b|i|em|strong|div|span|img|a|ul|ol|li|hr|h[1-6]|table|tr|td|th|tbody|thead)"
    r"(?:[ \t/][^<>]{0,1000})?>",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"(?<![ \t\r])[ \t\r]++(?=\n)")
_BLANK_LINES = re.compile(r"\n{3,}")


def plain(body: str) -> str:
    """Return ``body`` as a reader sees it: nothing hidden, images as their description, links as their text.

    A link without text keeps its target. Code, quotes and emphasis stay as written.
    """
    text = split(body).visible
    if "](" in text:
        text = _LINK.sub(lambda link: link[1] or link[2], _IMAGE.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub("", text)
    if "\n" in text:
        text = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text.replace("\r\n", "\n")))
    return text.strip()
