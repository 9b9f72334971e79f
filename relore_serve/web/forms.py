"""Labels given in a browser: a small form under each hit, and the page that says that a verdict was kept.

A browser sends the password along whoever wrote a form, so ours carry a mark of the caller (`Tokens.mark`), which no
other site can know. The origin that a browser states would not do: our pages ask for no referrer to be sent, and what
stands in Origin is then ``null``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from relore_serve.search.ages import utc
from relore_serve.web import asking, labelling
from relore_serve.web.errors import Forbidden
from relore_serve.web.fields import MAX_WORD, Text
from relore_serve.web.parameters import read, read_body
from relore_serve.web.routes import LABEL, LABEL_VERDICTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from relore_serve.web.desk import Desk
    from relore_serve.web.fields import Field

ADDRESS = "/label"
_LONGEST = 64 * 1024
"""Characters of a question in a form; one that came in an address is shorter."""
_FORM: dict[str, Field] = {
    "label": Text(_LONGEST),
    "verdict": Text(MAX_WORD),
    "mark": Text(MAX_WORD),
    "back": Text(_LONGEST),
}


def of_page(desk: Desk, asked: Mapping[str, Any], typed: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what the forms of a page of hits hold; None where there are to be none.

    Args:
        desk: knows whether the caller may label.
        asked: the question as it was read.
        typed: the question as it was typed, to lead back to.
    """
    if not (desk.labels and labelling.may_label(desk)):
        return None
    filters = {
        "sort": asked.get("sort"),
        "before": utc(asked.get("before")),
        "repos": [asked["repo"]] if "repo" in asked else None,
    }
    question = {"query": asked["q"], "kind": asked.get("kind"), "filters": filters}

    def label(hit: Mapping[str, Any]) -> str:
        """Return the label of a hit, but for the verdict."""
        named = {name: hit[name] for name in ("repo", "number", "source_type", "source_id")}
        return json.dumps({**question, **named}, ensure_ascii=False)

    return {
        "address": ADDRESS,
        "label": label,
        "mark": desk.tokens.mark(desk.caller),
        "back": urlencode(typed),
        "verdicts": [(verdict, verdict.replace("_", " ")) for verdict in LABEL_VERDICTS],
    }


def add_to(routes: Blueprint, desk: Desk, frame: Callable[[], dict[str, Any]]) -> None:
    """Add what the forms are sent to; ``frame`` returns what every page shows."""

    @routes.post(ADDRESS)
    def labelled() -> str:
        """Keep a verdict, and lead back to where it was given."""
        labelling.require_right(desk)
        sent = read(request.form.to_dict(), _FORM)
        if not desk.tokens.is_marked(desk.caller, sent.get("mark", "")):
            raise Forbidden(
                "This form is not of a page that was made for you by this server as it runs now: ask again, and judge "
                "there."
            )
        label = read_body(sent.get("label", "").encode(), LABEL.fields)
        label |= read({"verdict": sent.get("verdict")}, LABEL.fields)
        asking.require(label, LABEL)
        kept = labelling.keep(desk, label)
        return render_template("labelled.html", **frame(), kept=kept, back=f"/?{sent.get('back', '')}")

    # Flask registers the function; naming it here tells the type checker so.
    _ = labelled
