"""Rubrics as JSON, the form in which files, releases and the editor hold them: stored, changed, copied."""

import re
from operator import attrgetter
from typing import Any

from django.db import IntegrityError, transaction
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


RUBRIC_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What an id may look like: it stands in addresses, file names and tables."""

RESERVED_IDS = frozenset({"new", "import"})
"""Words that stand in the place of an id in addresses."""


class RubricRefused(Exception):
    """The data are no rubric, or may not be stored under this id; the message says what to change."""


class RubricFrozen(RubricRefused):
    """A round beyond draft uses the rubric."""


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
    _store_domains(rubric, data)
    return rubric


@transaction.atomic
def create_rubric(data: dict[str, Any]) -> Rubric:
    """Store a new rubric. Raises RubricRefused when its id is taken, whatever text is stored under it."""
    _check(data)
    if Rubric.objects.filter(rubric_id=data["rubric_id"]).exists():
        raise RubricRefused(_("%s is taken; choose another id.") % data["rubric_id"])
    return load_rubric(data)


@transaction.atomic
def change_rubric(rubric: Rubric, data: dict[str, Any]) -> None:
    """Replace the text of a rubric that no round beyond draft uses; the id stays.

    Raises RubricFrozen where one does, RubricRefused for data that are no rubric.
    """
    _check(data)
    stored = Rubric.objects.select_for_update().get(pk=rubric.pk)
    if stored.is_frozen():
        raise RubricFrozen(_("A round uses %s, so it is frozen; make its next version.") % stored.rubric_id)
    texts = {name: value for name, value in _completed(data).items() if name not in {"rubric_id", "domains"}}
    try:
        Rubric.objects.filter(pk=stored.pk).update(**texts)
        stored.domains.all().delete()
        _store_domains(stored, data)
    except IntegrityError as refusal:  # the database refuses it too, for a round that opens meanwhile
        raise RubricFrozen(_("A round uses %s, so it is frozen now.") % stored.rubric_id) from refusal


def next_version_id(rubric_id: str) -> str:
    """rubric_v1 → rubric_v2, or the first number after it that is free; an id without a number gets _v2."""
    found = re.fullmatch(r"(.+)_v(\d{1,9})", rubric_id)
    stem, number = (found[1], int(found[2])) if found else (rubric_id, 1)
    taken = set(Rubric.objects.filter(rubric_id__startswith=f"{stem}_v").values_list("rubric_id", flat=True))
    while (candidate := f"{stem}_v{number + 1}") in taken:
        number += 1
    return candidate


def make_next_version(rubric: Rubric) -> Rubric:
    """A copy of the rubric under the next id, to be edited. Raises RubricRefused when somebody was faster."""
    data = rubric_json(rubric) | {"rubric_id": next_version_id(rubric.rubric_id)}
    try:
        return create_rubric(data)
    except IntegrityError:
        raise RubricRefused(_("%s was made in the meantime; open it.") % data["rubric_id"]) from None


def _store_domains(rubric: Rubric, data: dict[str, Any]) -> None:
    RubricDomain.objects.bulk_create(
        RubricDomain(
            rubric=rubric, domain=name, cues=domain["cues"], default_brief=domain.get("default_brief", "")
        )
        for name, domain in data["domains"].items()
    )


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
    _check_texts(data)
    anchors = data.get("anchors", [])
    if not isinstance(anchors, list) or not all(_is_band(anchor) for anchor in anchors):
        raise RubricRefused(
            _("“anchors” is a list of bands, each with from, to (numbers, 0 ≤ from ≤ to ≤ 1) and label.")
        )
    domains = data["domains"]
    if not isinstance(domains, dict) or not all(_is_domain(*entry) for entry in domains.items()):
        raise RubricRefused(_("“domains” maps each domain to its cues (a list) and default_brief."))


def _check_texts(data: dict[str, Any]) -> None:
    wrong = [name for name in _TEXTS if name not in {"anchors", "non_criteria"}]
    wrong = [name for name in wrong if not isinstance(data.get(name, ""), str)]
    if wrong:
        raise RubricRefused(_("These parts are texts: %s.") % ", ".join(wrong))
    if not RUBRIC_ID.fullmatch(data["rubric_id"]) or data["rubric_id"] in RESERVED_IDS:
        raise RubricRefused(
            _("“%s” is no id. Use letters, digits, dots, hyphens and underscores, at most 100; not “new”.")
            % data["rubric_id"][:120]
        )
    if len(data["title"]) > 200:
        raise RubricRefused(_("The title is longer than 200 characters."))
    if not _are_texts(data.get("non_criteria", [])):
        raise RubricRefused(_("“non_criteria” is a list of texts."))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_band(anchor: object) -> bool:
    if not isinstance(anchor, dict) or set(anchor) != {"from", "to", "label"}:
        return False
    low, high = anchor["from"], anchor["to"]
    numbers = all(isinstance(edge, int | float) and not isinstance(edge, bool) for edge in (low, high))
    return numbers and 0 <= low <= high <= 1 and isinstance(anchor["label"], str)


def _is_domain(name: object, domain: object) -> bool:
    return (
        isinstance(name, str)
        and 0 < len(name) <= 100
        and isinstance(domain, dict)
        and set(domain) <= {"cues", "default_brief"}
        and _are_texts(domain.get("cues"))
        and isinstance(domain.get("default_brief", ""), str)
    )
