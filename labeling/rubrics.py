"""Rubrics from a file: JSON, as a release carries it and as the fixtures hold it."""

from operator import attrgetter
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from labeling.models import Rubric, RubricDomain

_TEXTS = (
    "rubric_id",
    "title",
    "question",
    "pairwise",
    "non_criteria",
    "anchors",
    "condition_rule",
    "guidelines",
)


class RubricRefused(Exception):
    """The file is no rubric, or its id is taken by another text; the message says what to change."""


def rubric_json(rubric: Rubric) -> dict[str, Any]:
    """The rubric as its file holds it, the same on every database: domains stand in byte order."""
    return {
        "rubric_id": rubric.rubric_id,
        "title": rubric.title,
        "question": rubric.question,
        "pairwise": rubric.pairwise,
        "non_criteria": rubric.non_criteria,
        "anchors": rubric.anchors,
        "condition_rule": rubric.condition_rule,
        "guidelines": rubric.guidelines,
        "domains": {
            domain.domain: {"cues": domain.cues, "default_brief": domain.default_brief}
            for domain in sorted(rubric.domains.all(), key=attrgetter("domain"))
        },
    }


@transaction.atomic
def load_rubric(data: dict[str, Any]) -> Rubric:
    """Store the rubric, or return the stored one when it says the same. An edit needs a new rubric_id."""
    _check(data)
    stored = Rubric.objects.filter(rubric_id=data["rubric_id"]).first()
    if stored is not None:
        if rubric_json(stored) != _completed(data):
            raise RubricRefused(
                _("%s is stored with another text. Give the edited rubric the next version's id.")
                % data["rubric_id"]
            )
        return stored
    rubric = Rubric.objects.create(**{name: data[name] for name in _TEXTS if name in data})
    RubricDomain.objects.bulk_create(
        RubricDomain(
            rubric=rubric, domain=name, cues=domain["cues"], default_brief=domain.get("default_brief", "")
        )
        for name, domain in data["domains"].items()
    )
    return rubric


def _completed(data: dict[str, Any]) -> dict[str, Any]:
    """A checked file with the parts that it leaves out, as they are stored."""
    left_out: dict[str, Any] = dict.fromkeys(_TEXTS, "") | {"non_criteria": [], "anchors": []}
    domains = {name: {"default_brief": "", **domain} for name, domain in data["domains"].items()}
    return {**left_out, **data, "domains": domains}


def _check(data: object) -> None:
    if not isinstance(data, dict):
        raise RubricRefused(_("A rubric file holds one JSON object."))
    missing = [name for name in ("rubric_id", "title", "question", "domains") if not data.get(name)]
    if missing:
        raise RubricRefused(_("The rubric lacks %s.") % ", ".join(missing))
    unknown = sorted(set(data) - {*_TEXTS, "domains"})
    if unknown:
        raise RubricRefused(_("The rubric holds unknown parts: %s.") % ", ".join(unknown))
    anchors = data.get("anchors", [])
    if not isinstance(anchors, list) or not all(
        isinstance(anchor, dict) and set(anchor) == {"from", "to", "label"} for anchor in anchors
    ):
        raise RubricRefused(_("“anchors” is a list of bands, each with from, to and label."))
    domains = data["domains"]
    if not isinstance(domains, dict) or not all(
        isinstance(domain, dict) and isinstance(domain.get("cues"), list) for domain in domains.values()
    ):
        raise RubricRefused(_("“domains” maps each domain to its cues (a list) and default_brief."))
