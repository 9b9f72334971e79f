"""The page: complete in itself, the same for the same rows, honest about what may be compared, safe to open."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from made_runs import Made

from relore_assets.report.build import NothingMeasured, build

if TYPE_CHECKING:
    from psycopg import Connection
    from rows import History

    from relore_assets.fetch.repos import Repo

TITLE, TEXT = "closing-title", "closing-text"
FOUND = [1, 2, 0, 4, 1, 0, 3, 1, 1, 0] * 4
LESS = [1, 0, 0, 4, 0, 0, 0, 0, 1, 0] * 4
WHOLE = Made(
    {
        "index": {TITLE: FOUND, TEXT: FOUND},
        "index+expand": {TITLE: FOUND, TEXT: FOUND},
        "fulltext": {TITLE: LESS, TEXT: LESS},
        "grep": {TITLE: LESS, TEXT: LESS},
        "index+expand -rarity": {TITLE: LESS, TEXT: FOUND},
    },
    ablations={"index+expand -rarity": "rarity"},
)


class Outline(HTMLParser):
    """What a page consists of: its elements with their attributes, and the words of some of them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "line", "circle", "polyline"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note its end."""
        if tag in self._open:
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Note words within."""
        for tag in {"h2", "h3", "caption", "title", "q", "pre", "li", "td", "th"} & set(self._open):
            self.words.setdefault(tag, []).append(data.strip())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of each element of a name."""
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def page(conn: Connection, repo: Repo) -> str:
    """The page of one run of everything."""
    WHOLE.write(conn, repo.id)
    return build(conn, repo).html


def test_the_same_rows_make_the_same_bytes(conn: Connection, repo: Repo, page: str) -> None:
    assert build(conn, repo).html == page


def test_nothing_is_loaded_and_nothing_runs(page: str) -> None:
    """One style sheet, which the page's policy admits by its digest; no script, no image, no address to fetch."""
    outline = Outline(page)
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)
    assert style
    digest = base64.b64encode(sha256(style[1].encode()).digest()).decode()
    policy = next(each["content"] for each in outline.all("meta") if "http-equiv" in each)

    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in outline.elements}
    used = {name for _, attributes in outline.elements for name in attributes}
    assert not {name for name in used if name.startswith("on") or name in {"src", "style", "srcset"}}
    assert all((each["href"] or "").startswith("#") for each in outline.all("a"))


def test_every_link_within_the_page_leads_somewhere(page: str) -> None:
    outline = Outline(page)
    targets = {attributes.get("id") for _, attributes in outline.elements}

    assert {(each["href"] or "")[1:] for each in outline.all("a")} <= targets
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_tables_and_charts_can_be_read_aloud(page: str) -> None:
    """Each table has a caption and every head its scope; each chart says its title and its values in words."""
    outline = Outline(page)

    assert page.count("<caption>") == len(outline.all("table")) > 3
    assert all(each.get("scope") for each in outline.all("th"))
    charts = outline.all("svg")
    assert charts
    assert all(each["role"] == "img" for each in charts)
    assert page.count("<desc id=") == page.count("<title id=") == len(charts)
    assert "index: held-out 0.700 (from 0." in page


def test_each_slice_has_its_systems_side_by_side_with_n(page: str) -> None:
    outline = Outline(page)

    assert [name for name in outline.words["h3"] if name in {TITLE, TEXT, "all"}] == [TITLE, TEXT, "all"]
    assert "held out, n = 20" in outline.words["th"]
    assert {"index", "index+expand", "fulltext", "grep"} <= set(outline.words["th"])


def test_a_difference_that_is_no_chance_is_marked(page: str) -> None:
    """Plain full text finds 12 where the served search finds 28 of 40; the plain index finds the same as it."""
    rows = re.findall(r'<tr><th scope="row">(\S+)</th>(.*?)</tr>', page)
    marked = {name for name, cells in rows if "\N{DAGGER}" in cells}

    assert {"fulltext", "grep"} <= marked
    assert "index" not in marked


def test_what_a_part_earns_stands_with_its_interval(page: str) -> None:
    """Without rarity 40 titles lose 16 of their answers, half of them in each part; texts none."""
    of = page[page.index('id="ablations"') :]
    recall = of[: of.index("MRR of the whole ranking")]
    earned = re.findall(
        r'<tr><th scope="row">rarity</th><td>(\S+) <small>[^<]+</small></td><td>(\S+?)</td>', recall
    )

    titles, texts = zip(*earned, strict=True)
    assert [each.rstrip("\N{DAGGER}") for each in titles] == ["+0.400"] * 3
    assert titles[2].endswith("\N{DAGGER}")
    assert texts == ("0.000",) * 3


def test_foreign_words_are_escaped_cleaned_and_cut(conn: Connection, repo: Repo) -> None:
    hostile = '<script>alert("x")</script>\u202e' + "& so on " * 40
    replace(WHOLE, question=hostile).write(conn, repo.id)
    page = build(conn, repo).html

    assert "<script>" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;" in page
    assert max(map(len, Outline(page).words["q"])) <= 82


def test_a_hostile_configuration_stays_text(conn: Connection, repo: Repo) -> None:
    replace(WHOLE, configuration={"caveats": ["</li><script>x()</script>"], "code": "</pre><b>"}).write(
        conn, repo.id
    )
    page = build(conn, repo).html

    assert "<script>" not in page
    assert "<b>" not in page


def test_few_questions_stand_without_intervals(conn: Connection, repo: Repo) -> None:
    Made({"index+expand": {TITLE: [1] * 9}, "fulltext": {TITLE: [0] * 9}}).write(conn, repo.id)
    page = build(conn, repo).html

    assert " to 1.00" not in page
    assert "\N{DAGGER}</td>" not in page
    assert "Too few questions to conclude anything from: closing-title (9)" in page
    assert "<svg" not in page


def test_what_leaks_stands_apart_and_is_said(conn: Connection, repo: Repo) -> None:
    replace(WHOLE, leaking=frozenset(range(4))).write(conn, repo.id)
    page = build(conn, repo).html

    outline = Outline(page)
    assert f"{TITLE}, leaking" in outline.words["h3"]
    assert "both parts, n = 36" in outline.words["th"]
    assert "4 of closing-text, 4 of closing-title" in page


def test_a_system_that_was_asked_less_stands_in_tables_of_its_own(conn: Connection, repo: Repo) -> None:
    """There all systems are cut to its questions, so that figures beside each other are of the same questions."""
    half = [place if index % 2 else None for index, place in enumerate(FOUND)]
    Made(
        {"index+expand": {TITLE: FOUND}, "github": {TITLE: half}},
        configuration={"not_put": {"it cannot look at an earlier state": 20}},
    ).write(conn, repo.id)
    page = build(conn, repo).html

    own = page[page.index("On the questions that github was asked") :]
    before = page[: page.index("On the questions that github was asked")]
    assert '<th scope="row">github</th>' not in before
    assert '<th scope="row">github</th>' in own
    assert "both parts, n = 20" in own
    assert "github: 20 questions were not put to it: it cannot look at an earlier state." in page


def test_the_words_say_what_is_in_sample_who_judged_and_what_was_left_out(
    conn: Connection, repo: Repo
) -> None:
    replace(
        WHOLE,
        judged_by="model",
        configuration={"left_out": [{"why": "nothing that answers them is indexed", "n": 3, "ids": []}]},
    ).write(conn, repo.id)
    said = " ".join(Outline(build(conn, repo).html).words["li"])

    assert "asked before 2024-03-01 are the part that the ranking may be fitted to" in said
    assert "80 by a model, whose judgement nobody has checked" in said
    assert "Left out: 3 questions: nothing that answers them is indexed." in said
    assert "grep cannot look at the repository as it stood" in said


def test_what_was_forgotten_since_is_said(conn: Connection, repo: Repo) -> None:
    """The figures were measured with it; the results are gone."""
    WHOLE.write(conn, repo.id)
    assert "forgotten" not in build(conn, repo).html

    conn.execute("UPDATE relore.bench_runs SET results = results - 0 - 0")
    said = " ".join(Outline(build(conn, repo).html).words["li"])
    assert "Of 80 questions 2 were forgotten on request since." in said


def test_the_history_holds_what_can_be_compared_and_says_why_the_rest_cannot(
    conn: Connection, repo: Repo
) -> None:
    replace(WHOLE, run_id="old-set", digest="e" * 64).write(conn, repo.id)
    replace(WHOLE, run_id="old-scoring", days=1, scoring="ts_rank_cd").write(conn, repo.id)
    replace(WHOLE, run_id="accepted", days=2, accepted=True).write(conn, repo.id)
    replace(WHOLE, run_id="newest", days=3).write(conn, repo.id)
    page = build(conn, repo).html

    history = page[page.index('id="history"') : page.index('id="questions"')]
    heads = re.findall(r'<th scope="row">([^<]+)</th><td>([^<]+)', history)
    assert heads == [("2024-06-04 12:00 newest", "\N{EN DASH}"), ("2024-06-03 12:00 accepted", "accepted")]
    assert "old-set: the set as it was before of questions (first, eeeeeeeeeeee)" in history
    assert "old-scor: another way of scoring (ts_rank_cd, now bm25)" in history
    assert '<svg viewBox="0 0 360 120' in history


def test_one_run_makes_no_line(page: str) -> None:
    assert "<polyline" not in page


def test_what_has_become_worse_is_said_first(conn: Connection, repo: Repo) -> None:
    replace(WHOLE, accepted=True).write(conn, repo.id)
    lost = {name: {TITLE: LESS, TEXT: FOUND} for name in WHOLE.places}
    replace(WHOLE, run_id="newest", days=1, places=lost).write(conn, repo.id)
    report = build(conn, repo)

    assert "Worse than the accepted run of 2024-06-01" in report.html
    assert report.said.startswith(
        "Worse than the accepted run run-one of 2024-06-01: index, closing-title: R@10"
    )
    changed = report.html[report.html.index("Answered otherwise than in the accepted run: 16 of 16, ") :]
    first = re.search(
        r'<th scope="row">(\S+)</th><td>(\S+)</td><td>(\S+)</td><td>(\S+)</td><td>([^<]+)</td>', changed
    )
    assert first
    assert first.groups() == (f"{TITLE}-{4:016x}", "#504", "#5", "1", "none of ten")


def test_the_configuration_is_whole(page: str) -> None:
    """What all systems share stands once; what an ablation switched off stands with it."""
    (told,) = Outline(page).words["pre"]

    assert '"rarity": 0.0' in told
    assert told.count('"ranking": "bm25"') == 1
    assert WHOLE.run_id in told


def test_nothing_measured_is_said_with_a_remedy(conn: Connection, repo: Repo, history: History) -> None:
    """Runs of another repository are nothing of this one."""
    WHOLE.write(conn, history.repo("harbor/moor").id)

    with pytest.raises(NothingMeasured, match="relored bench --repo harbor/tide"):
        build(conn, repo)
