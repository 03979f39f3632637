"""The rows of a labeling project. One file per concern; import models from here."""

from labeling.models.accounts import Rater, Role, RoleGrant, User
from labeling.models.events import Channel, EventKind, JudgmentEvent, Layout
from labeling.models.items import Difficulty, Item, ItemRendition, Pair, Split
from labeling.models.jobs import Job, JobState
from labeling.models.packets import Packet, Showing
from labeling.models.rounds import (
    GoldTier,
    Round,
    RoundPair,
    RoundRater,
    RoundState,
    RoundTransition,
    Task,
    VerdictSet,
)
from labeling.models.rubrics import Rubric, RubricDomain
from labeling.models.table_imports import DataOrigin, License, TableImport

__all__ = [
    "Channel",
    "DataOrigin",
    "Difficulty",
    "EventKind",
    "GoldTier",
    "Item",
    "ItemRendition",
    "Job",
    "JobState",
    "JudgmentEvent",
    "Layout",
    "License",
    "Packet",
    "Pair",
    "Rater",
    "Role",
    "RoleGrant",
    "Round",
    "RoundPair",
    "RoundRater",
    "RoundState",
    "RoundTransition",
    "Rubric",
    "RubricDomain",
    "Showing",
    "Split",
    "TableImport",
    "Task",
    "User",
    "VerdictSet",
]
