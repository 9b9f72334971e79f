"""Characters that show nothing, and characters that cannot be stored.

A reader does not see them, a model and a pattern do: they spell hidden instructions, split a word so that it
is not found, or a secret so that it is not redacted. Used wherever foreign text is stored, matched or shown;
knows nothing of what the text is for.
"""

import re

# Emoji that a variation selector or a joiner may follow; digits, # and * count only as the base of a keycap.
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u24c2\u25a0-\u25ff\u2600-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Scripts whose spelling needs the joiners U+200C and U+200D between two letters (Persian, Hindi, ...).
_JOINING = (
    "\u0600-\u06ff\u0700-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u180a\u1820-\u18af"
)

# C0 but tab and newline, DEL, C1; soft hyphen; grapheme joiner; Arabic letter mark; Hangul fillers; Khmer
# inherent vowels; Mongolian selectors; zero width and direction marks; line and paragraph separators;
# invisible operators; variation selectors; byte order mark; interlinear annotation; shorthand and musical
# controls; tags.
_SHOWS_NOTHING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)

#: One character that shows nothing. Emoji keep the selector and the joiner that shape them, words of joining
#: scripts their joiners; one each, so that no message fits in between.
HIDDEN = re.compile(
    f"[{_SHOWS_NOTHING}]"
    f"(?<![{_EMOJI}][\ufe0e\ufe0f])"
    "(?<![#*0-9]\ufe0f(?=\u20e3))"
    f"(?<![{_EMOJI}\ufe0f]\u200d(?=[{_EMOJI}]))"
    f"(?<![{_JOINING}][\u200c\u200d](?=[{_JOINING}]))"
)

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def strip_hidden(text: str) -> tuple[str, int]:
    """The text without its hidden characters, and how many they were."""
    if text.isascii():
        return _CONTROL.subn("", text) if _CONTROL.search(text) else (text, 0)
    return HIDDEN.subn("", text)


def replace_unstorable(text: str) -> tuple[str, int]:
    """The text with U+FFFD for each NUL and lone surrogate, which cannot be stored, and their number."""
    if text.isascii() and "\x00" not in text:
        return text, 0
    return _UNSTORABLE.subn("\ufffd", text)
