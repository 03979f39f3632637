"""The rows of a labeling project. One file per concern; import models from here."""

from labeling.models.account_log import AccountAct, Act
from labeling.models.accounts import Rater, Role, RoleGrant, User
from labeling.models.events import Channel, EventKind, JudgmentEvent, Layout
from labeling.models.invitations import Consent, ConsentText, Invitation, token_digest
from labeling.models.items import Difficulty, Item, ItemRendition, Pair, Split
from labeling.models.jobs import Job, JobState
from labeling.models.oversight import NoteReview, Reminder, ShowingReport, ShowingWithdrawal
from labeling.models.packets import Packet, Showing
from labeling.models.practice import PracticePair, PracticeShowing
from labeling.models.rounds import (
    GoldTier,
    Round,
    RoundItem,
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
    "AccountAct",
    "Act",
    "Channel",
    "Consent",
    "ConsentText",
    "DataOrigin",
    "Difficulty",
    "EventKind",
    "GoldTier",
    "Invitation",
    "Item",
    "ItemRendition",
    "Job",
    "JobState",
    "JudgmentEvent",
    "Layout",
    "License",
    "NoteReview",
    "Packet",
    "Pair",
    "PracticePair",
    "PracticeShowing",
    "Rater",
    "Reminder",
    "Role",
    "RoleGrant",
    "Round",
    "RoundItem",
    "RoundPair",
    "RoundRater",
    "RoundState",
    "RoundTransition",
    "Rubric",
    "RubricDomain",
    "Showing",
    "ShowingReport",
    "ShowingWithdrawal",
    "Split",
    "TableImport",
    "Task",
    "User",
    "VerdictSet",
    "token_digest",
]
