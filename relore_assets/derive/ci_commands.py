"""Tells comments that say nothing to people: only commands to a bot or to continuous integration.

Such a comment is machine tier although a person sent it: `@bors r+` is no claim about anything, and in a busy
repository hundreds of them carry a maintainer's name. The rule is strict: every line that is neither blank nor
quoted must be a command of a known form, and words that give a reason make the comment a person's again. Where in
doubt, a comment stays a person's. Pure, and linear in the length of the text.
"""

from __future__ import annotations

import re

#: Longer texts are not looked at: nobody commands at this length, and people explain.
MAX_CHARACTERS = 2000
#: Plain words after a command's own word: `squash and merge`, `ignore this major version`. More is a sentence.
MAX_WORDS = 4


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Accounts that take commands and whose names do not show it to `is_bot_name`.
_BOTS = _words("""
    allcontributors azure-pipelines bors claude codecov codecov-commenter codecov-io coderabbitai codex
    conda-forge-admin copilot craterbot dependabot dependabot-preview flinkbot gemini-code-assist github-actions
    googlebot grahamcofborg greenkeeper homu jenkins llvmbot lumberbot-app meeseeksdev mergify mergifyio
    miss-islington netlify ofborg percy pytorchbot pytorchmergebot renovate rfcbot rust-highfive rust-timer rustbot
    sonarcloud sourcery-ai triagebot vercel
""")

# What a bot is told to do, as the first word after its name. Anything else there is talk about the bot.
_VERBS = _words("""
    add approve assign author autofix backport bench benchmark bless blocked build bump cancel check cherry-pick
    cherrypick claim clean close concern consent crater delegate deploy fcp fix force format full generate help
    hold ignore
    label labels lint merge modify nominate note ok perf pause ping poll prepare preview prioritize publish queue
    re-run ready rebase rebuild recheck recreate refresh regenerate rekick release-assignment remove reopen rerender
    re-render rerun reset resolve resolved restart resume retest retitle retry revert review reviewed rollup run
    second show skip smoke squash start stop style summary sync tag test treeclosed try unapprove unassign unhold
    unignore unlabel untag update use validate verify
""")
_BOT_ENDINGS = _words("bot robot ci")
_COURTESY = _words("please pls plz kindly now again thanks thx ty")

# Slash commands of the bots in common use. Bare ones need not be listed, those with words after them must be.
_SLASH = _words("""
    approve area assign auto-cc autofix azp azurepipelines backport bench benchmark bot branch build cancel cc check
    check-cla cherry-pick cherrypick ci close cmd committee deploy easycla format gemini help hold honk invite joke
    kind label language lgtm lifecycle lint make merge meow milestone ok-to-test open override payload pipeline pony
    preview priority project publish rebase rebuild recheck release release-note release-note-none remove remove-area
    remove-kind remove-label remove-lgtm remove-lifecycle remove-priority remove-sig reopen rerun rerun-all
    rerun-failed restart retest retest-failed retest-required retry revert review run sig skip snapshot squash status
    style sync test test-all triage try unassign uncc unhold unlabel verify verify-owners wg woof
""")
# A line may hold nothing but a path, and these begin one more often than they command.
_FOLDERS = _words("bin boot dev etc home lib lib64 media mnt nix opt proc root run sbin srv sys tmp usr var")

_SLASHED = re.compile(r"/([A-Za-z][\w-]+)(?=\s|\Z)")
_BANGED = re.compile(r"!([a-z][\w-]*+)(?=\s|\Z)")
_ADDRESSED = re.compile(
    r"@([A-Za-z0-9][\w-]*+(?:\[bot\])?)[,:]?(?=\s|\Z)|(bors|homu|jenkins)[,:]?(?=\s)", re.IGNORECASE
)
# Without a bot's name: a reviewer is asked for. With one: also `r+`, `r=somebody`, `d+`, `p=1`, `delegate+`, `try-`.
_ASKED = re.compile(r"r\?\s*+@")
_MARKED = re.compile(r"[a-z]++(?:[+-](?=\s|\Z)|=\S)|r\?(?=\s|\Z)", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[^\W\d_]++(?:['\u2019][^\W\d_]++)?[.,;:!]*+")
_RUN_LIST = re.compile(
    r"(?:run[-_ ]slow[ \t]*+:|\[run[-_ ]slow\])[ \t]*+[^\s,]++(?:[ \t]*+,[ \t]*+[^\s,]++)*+[ \t]*+,?+\Z",
    re.IGNORECASE,
)

# Lines that are a trigger by themselves.
_PHRASES = frozenset(
    (
        "recheck",
        "retest",
        "rerun ci",
        "run ci",
        "run tests",
        "run slow",
        "run-slow",
        "retest this",
        "test this please",
        "retest this please",
        "please retest this",
        "please test this",
        "build this please",
        "rebuild this please",
        "ok to test",
        "add to whitelist",
        "add to allowlist",
        "recheck no bug",
        "i have read the cla document and i hereby sign the cla",
    )
)
# What contributors tell a bot about their licence agreement.
_SIGNED = frozenset({"i signed it", "i consent", "i've signed it", "i fixed it"})


def is_only_commands(visible: str) -> bool:
    """Return whether a comment is nothing but commands.

    Args:
        visible: the comment without what GitHub hides (HTML comments).
    """
    if len(visible) > MAX_CHARACTERS or "```" in visible or "~~~" in visible:
        return False
    found = False
    for line in visible.split("\n"):
        said = line.strip()
        if not said or said.startswith(">"):
            continue
        # Four spaces make it code, which is shown to be read.
        if line.startswith(("    ", "\t")) or not _is_command(said.removeprefix("`").removesuffix("`")):
            return False
        found = True
    return found


def _is_command(line: str) -> bool:
    plain = line.rstrip(" .!").casefold()
    if plain in _PHRASES or _RUN_LIST.match(line):
        return True
    if _ASKED.match(line):
        return _short(line.split()[1:])
    if found := _SLASHED.match(line):
        return _slash(found[1].casefold(), line[found.end() :].split())
    if found := _BANGED.match(line):
        return found[1] in _VERBS and _short(line[found.end() :].split())
    if found := _ADDRESSED.match(line):
        name = found[1] or found[2]
        return is_bot_name(name) and _told(line[found.end() :].split())
    return False


def is_bot_name(login: str) -> bool:
    """Return whether a login is one that commands are sent to, as far as its name tells."""
    folded = login.casefold()
    if folded in _BOTS or folded.endswith("[bot]"):
        return True
    # DrahtBot, k8s-ci-robot, cla-bot, swift-ci; not talbot, nor robot-dreams.
    last = folded.replace("_", "-").rpartition("-")
    return (last[1] != "" and last[2] in _BOT_ENDINGS) or (login.endswith("Bot") and login[-4:-3].islower())


def _slash(word: str, arguments: list[str]) -> bool:
    if word == "retitle":
        return bool(arguments)
    if word in _SLASH:
        return (bool(arguments) or word not in _FOLDERS) and _short(arguments)
    if word in _FOLDERS:
        return False
    # Not known: a command still if nothing follows that could be the rest of a sentence.
    return all(not _PLAIN_WORD.fullmatch(argument) for argument in arguments)


def _told(words: list[str]) -> bool:
    """Return whether what follows a bot's name tells it to do something."""
    while words and words[0].strip(",.!").casefold() in _COURTESY:
        words = words[1:]
    if not words:
        return False
    if " ".join(words).rstrip(".! ").replace("\u2019", "'").casefold() in _SIGNED:
        return True
    first = words[0].strip(",.!:").casefold()
    if words[0].startswith("/"):
        return _slash(words[0][1:].casefold(), words[1:])
    return (first in _VERBS or _MARKED.match(words[0]) is not None) and _short(words[1:])


def _short(arguments: list[str]) -> bool:
    """Return whether arguments are no sentence: few plain words, and no question."""
    words = 0
    for argument in arguments:
        if argument.endswith("?"):
            return False
        if _PLAIN_WORD.fullmatch(argument) and argument.strip(",.!").casefold() not in _COURTESY:
            words += 1
    return words <= MAX_WORDS
