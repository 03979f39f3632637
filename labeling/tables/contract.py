"""The contract tables: which columns each has, what a cell may hold, what makes a row unique.

The one source of these rules: the reader checks against it, the writer takes its column order from it,
``docs/tables.md`` prints it and a test holds the two together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "choice", "share", "count", "boolean", "timestamp", "uuid", "payload"]
"""What a cell holds. ``share`` is a decimal from 0 to 1, ``count`` a whole number from 0, ``timestamp`` ISO
8601 with a zone, ``payload`` the reference to an item's content (see :mod:`labeling.tables.payload`)."""

NUMBER_KINDS: frozenset[Kind] = frozenset({"share", "count"})

GOLD_TIERS = (
    "primary_human_expert",
    "public_reference",
    "crowd_reference",
    "simulation",
    "outcome",
    "provisional_agent_panel",
)
DATA_ORIGINS = (
    "study_human_expert",
    "simulation",
    "public_human_expert",
    "public_human_annotator",
    "public_crowd",
    "recorded_outcome",
)
SPLITS = ("train", "dev", "test")
DIFFICULTIES = ("easy", "medium", "hard", "ambiguous")
CUE_TYPES = ("null", "correct", "misleading")
USES = ("alignment_only", "analysis_only")
STATES = ("gold", "too_few", "tie", "below_gate")
EVENT_KINDS = ("vote", "abstain", "skip", "undo", "void", "import")
CHANNELS = ("browser", "offline_packet", "import")
PLACEHOLDER_LICENSE = "CC-BY-4.0-placeholder"

LICENSES = (
    # SPDX identifiers that allow redistribution. Not here: licences without derivatives, because what raters
    # see is a rendition of the original.
    "0BSD",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-2.0",
    "Artistic-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-NC-3.0",
    "CC-BY-NC-4.0",
    "CC-BY-NC-SA-3.0",
    "CC-BY-NC-SA-4.0",
    "CC-BY-SA-2.0",
    "CC-BY-SA-2.5",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC-PDDC",
    "CC0-1.0",
    "CDLA-Permissive-1.0",
    "CDLA-Permissive-2.0",
    "CDLA-Sharing-1.0",
    "EPL-2.0",
    "EUPL-1.2",
    "GFDL-1.3-only",
    "GFDL-1.3-or-later",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "ODC-By-1.0",
    "ODbL-1.0",
    "OFL-1.1",
    "PDDL-1.0",
    "Unlicense",
    "W3C",
    "Zlib",
    PLACEHOLDER_LICENSE,
)

Vocabulary = Mapping[str, tuple[str, ...]]

VOCABULARY: dict[str, tuple[str, ...]] = {
    "channel": CHANNELS,
    "cue_type": CUE_TYPES,
    "data_origin": DATA_ORIGINS,
    "difficulty": DIFFICULTIES,
    "event_kind": EVENT_KINDS,
    "gold_tier": GOLD_TIERS,
    "label_grain": ("item", "pair"),
    "license": LICENSES,
    "split": SPLITS,
    "state": STATES,
    "use_as": USES,
}
"""Closed lists by name. ``data_origin`` and ``license`` can be extended: see
:func:`labeling.tables.read_table`."""

EXTENSIBLE = ("data_origin", "license")


@dataclass(frozen=True)
class Column:
    """One column. ``optional``: it may be absent. ``may_be_empty``: its cells may be empty."""

    name: str
    meaning: str
    kind: Kind = "text"
    optional: bool = False
    may_be_empty: bool = False
    choices: str = ""
    """Name of a list in :data:`VOCABULARY`, for ``kind="choice"``."""

    @property
    def is_number(self) -> bool:
        """Numbers are exempt from the spreadsheet-safe dialect."""
        return self.kind in NUMBER_KINDS


@dataclass(frozen=True)
class Table:
    """One contract table. ``key`` names the columns that together must not repeat."""

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in the order they are written."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        """The column of that name; KeyError when the table has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name!r}; it has {', '.join(self.names)}")


def _maybe(name: str, meaning: str, kind: Kind = "text", choices: str = "") -> Column:
    return Column(name, meaning, kind, optional=True, may_be_empty=True, choices=choices)


def _choice(name: str, meaning: str, choices: str) -> Column:
    return Column(name, meaning, "choice", choices=choices)


_ORIGIN = _choice("data_origin", "where the rows come from", "data_origin")

BENCH_ITEMS = Table(
    "bench_items",
    "The things that are compared.",
    ("item_id",),
    (
        Column("item_id", "the item"),
        Column("domain", "its domain, such as visual, brand, book, tech"),
        Column(
            "uri_or_payload_ref", "path inside the imported folder, `text:` and the text, or a URL", "payload"
        ),
        _maybe("era_tag", "its era"),
        _maybe("circle_tags", "its circles, separated by `;`"),
        _choice("license", "a licence that allows redistribution", "license"),
        _ORIGIN,
    ),
)

BENCH_PAIRS = Table(
    "bench_pairs",
    "Which two items are compared, under which condition.",
    ("pair_id",),
    (
        Column("pair_id", "the pair"),
        Column("domain", "its domain"),
        Column("item_a", "item shown as A by construction"),
        Column("item_b", "item shown as B by construction"),
        _maybe("condition_era", "era that the rater is told to judge under"),
        _maybe("condition_circle", "circle that the rater is told to judge under"),
        _maybe("pair_group_id", "family of pairs that share items and differ in their cue"),
        _maybe("cue_type", "what the condition does to the right answer", "choice", "cue_type"),
        _choice("difficulty", "declared difficulty", "difficulty"),
        _choice("split", "which part of the benchmark", "split"),
        _maybe("agreement", "share of the most frequent label", "share"),
        _maybe("n_raters", "raters who chose", "count"),
        _ORIGIN,
        _maybe("brief", "the task that both items answer"),
    ),
)

BENCH_GOLD = Table(
    "bench_gold",
    "Pairs whose label passed the gate.",
    ("pair_id",),
    (
        Column("pair_id", "the pair"),
        Column("preferred_id", "the preferred item"),
        Column("agreement", "share of raters who chose it", "share"),
        Column("n_raters", "raters who chose", "count"),
        Column("rubric_id", "rubric they judged under"),
        _ORIGIN,
        _choice("gold_tier", "what kind of gold", "gold_tier"),
        Column("exclude_primary", "true keeps the row out of headline figures", "boolean"),
    ),
)

BENCH_WEAK = Table(
    "bench_weak",
    "Weak and engagement labels, kept apart from gold.",
    ("pair_id", "weak_source", "slice"),
    (
        Column("pair_id", "the pair"),
        Column("weak_preferred_id", "the item the weak signal prefers"),
        Column("weak_source", "where the signal comes from"),
        _choice(
            "use_as", "what it may be used for; `alignment_only` is for pairs of split train only", "use_as"
        ),
        _ORIGIN,
        _maybe("slice", "named part of the source"),
    ),
)

LABEL_AGGREGATES = Table(
    "label_aggregates",
    "Every aggregated label with its state, gold or not.",
    ("label_grain", "label_id"),
    (
        _choice("label_grain", "what the label is about", "label_grain"),
        Column("label_id", "the pair or item"),
        _maybe("preferred_id", "the preferred item of a pair"),
        _maybe("mean_score", "mean score of an item", "share"),
        _maybe("agreement", "share of the most frequent label", "share"),
        Column("n_raters", "raters who chose", "count"),
        _choice("state", "why it is gold or not", "state"),
        Column("exclude_primary", "true keeps the row out of headline figures", "boolean"),
        Column("rubric_id", "rubric they judged under"),
        _ORIGIN,
    ),
)

JUDGMENTS = Table(
    "judgments",
    "One current answer a rater a pair; the import format.",
    ("rater_id", "pair_id"),
    (
        Column("rater_id", "the rater's pseudonym"),
        Column("pair_id", "the pair"),
        Column("preferred_id", "the chosen item; empty means abstained", may_be_empty=True),
        _maybe("judged_at", "when", "timestamp"),
        _maybe("response_ms", "milliseconds from showing to answer", "count"),
        _maybe("shown_left", "the item shown on the left"),
        _maybe("confidence", "the rater's confidence", "share"),
        _maybe("note", "the rater's note"),
    ),
)

JUDGMENT_EVENTS = Table(
    "judgment_events",
    "Every answer as it was given; `judgments` is derived from it.",
    ("event_id",),
    (
        Column("event_id", "the event", "uuid"),
        Column("round", "the round"),
        _choice("kind", "what happened", "event_kind"),
        Column("rater_id", "the rater's pseudonym"),
        Column("pair_id", "the pair"),
        Column("showing", "the showing; empty for an imported answer", may_be_empty=True),
        _maybe("repeat_of", "the showing that this one repeats"),
        _maybe("replaces", "event that this one supersedes", "uuid"),
        _maybe("preferred_id", "the chosen item"),
        _maybe("verdict", "the button pressed"),
        _maybe("confidence", "the rater's confidence", "share"),
        _maybe("shown_left", "the item shown on the left"),
        _maybe("layout", "how the two were laid out"),
        _choice("channel", "how the answer came in", "channel"),
        _maybe("judged_at", "when", "timestamp"),
        _maybe("response_ms", "milliseconds from showing to answer", "count"),
        _maybe("reason", "why an answer was voided"),
    ),
)

SCORES = Table(
    "scores",
    "Absolute scores of single items.",
    ("rater_id", "item_id"),
    (
        Column("rater_id", "the rater's pseudonym"),
        Column("item_id", "the item"),
        Column("score", "the score", "share"),
        _maybe("judged_at", "when", "timestamp"),
        _maybe("note", "the rater's note"),
    ),
)

PREDS = Table(
    "preds",
    "A model's answers.",
    ("pair_id",),
    (
        Column("pair_id", "the pair"),
        Column(
            "pred_preferred_id",
            "the item the model prefers; empty means it did not answer",
            may_be_empty=True,
        ),
        _maybe("confidence", "the model's confidence in it", "share"),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        BENCH_ITEMS,
        BENCH_PAIRS,
        BENCH_GOLD,
        BENCH_WEAK,
        LABEL_AGGREGATES,
        JUDGMENTS,
        JUDGMENT_EVENTS,
        SCORES,
        PREDS,
    )
}
