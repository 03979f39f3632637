"""Triggers that make the database itself refuse what must not happen, on SQLite and PostgreSQL.

Migrations install them; the test suite's flush drops and restores them (tests/conftest.py).
"""

from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper


@dataclass(frozen=True)
class Guard:
    """Refuse `operations` on rows of `table` for which `condition` (SQL over OLD or NEW) holds."""

    name: str
    table: str
    operations: tuple[str, ...]
    condition: str
    message: str


EVERY_ROW = "1 = 1"


def append_only(table: str) -> Guard:
    """Rows are inserted and never changed."""
    return Guard(
        name=f"{table}_append_only",
        table=table,
        operations=("UPDATE", "DELETE"),
        condition=EVERY_ROW,
        message=f"{table} is append-only",
    )


_RUBRIC_USED = "EXISTS (SELECT 1 FROM labeling_round r WHERE r.rubric_id = {rubric} AND r.state <> 'draft')"
_RELEASE_OUT = "EXISTS (SELECT 1 FROM gold_release r WHERE r.id = {release} AND r.state = 'published')"
_ROUND_BEGUN = "EXISTS (SELECT 1 FROM labeling_round r WHERE r.id = {round} AND r.state <> 'draft')"
_IMPORT_OUT = (
    "EXISTS (SELECT 1 FROM labeling_tableimport t WHERE t.id = {table_import} AND t.state = 'published')"
)


def _changed(*columns: str) -> str:
    """Whether an UPDATE changes one of `columns`, all of which are NOT NULL: with NULL it would not say."""
    return "(" + " OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns) + ")"


def _fixed_with_its_round(table: str) -> tuple[Guard, Guard]:
    """Rows that belong to a round come and go while it is a draft, and only then."""
    message = "pairs, items, practice and raters of a round that has begun are fixed"
    return (
        Guard(
            f"{table}_fixed", table, ("UPDATE", "DELETE"), _ROUND_BEGUN.format(round="OLD.round_id"), message
        ),
        Guard(
            f"{table}_no_addition",
            table,
            ("INSERT", "UPDATE"),
            _ROUND_BEGUN.format(round="NEW.round_id"),
            message,
        ),
    )


def _fixed_with_its_import(table: str, *columns: str) -> tuple[Guard, Guard]:
    """Rows of a complete import stay, and stay what they are: `columns` say what that is."""
    published = _IMPORT_OUT.format(table_import="OLD.table_import_id")
    message = "items and pairs of a complete import are fixed; import new ones under new ids"
    return (
        Guard(f"{table}_stays", table, ("DELETE",), published, message),
        Guard(
            f"{table}_identity_fixed",
            table,
            ("UPDATE",),
            f"{_changed(*columns, 'table_import_id')} AND {published}",
            message,
        ),
    )


LABELING_GUARDS = (
    append_only("labeling_judgmentevent"),
    append_only("labeling_roundtransition"),
    Guard(
        "labeling_rubric_frozen",
        "labeling_rubric",
        ("UPDATE", "DELETE"),
        _RUBRIC_USED.format(rubric="OLD.id"),
        "a rubric that a round uses is frozen; make its next version",
    ),
    Guard(
        "labeling_rubricdomain_frozen",
        "labeling_rubricdomain",
        ("UPDATE", "DELETE"),
        _RUBRIC_USED.format(rubric="OLD.rubric_id"),
        "a rubric that a round uses is frozen; make its next version",
    ),
    Guard(
        "labeling_rubricdomain_no_addition",
        "labeling_rubricdomain",
        ("INSERT",),
        _RUBRIC_USED.format(rubric="NEW.rubric_id"),
        "a rubric that a round uses is frozen; make its next version",
    ),
    Guard(
        "labeling_round_never_draft_again",
        "labeling_round",
        ("UPDATE",),
        "OLD.state <> 'draft' AND NEW.state = 'draft'",
        "a round that has begun is never a draft again",
    ),
    Guard(
        "labeling_round_design_fixed",
        "labeling_round",
        ("UPDATE",),
        "OLD.state <> 'draft' AND "
        + _changed(
            "slug",
            "rubric_id",
            "task",
            "verdicts",
            "gold_tier",
            "raters_per_pair",
            "min_raters",
            "repeat_share",
            "seed",
        ),
        "the rules of a round that has begun are fixed",
    ),
    Guard(
        "labeling_round_stays",
        "labeling_round",
        ("DELETE",),
        "OLD.state <> 'draft'",
        "a round that has begun stays; its rules are fixed",
    ),
    *_fixed_with_its_round("labeling_roundpair"),
    *_fixed_with_its_round("labeling_roundrater"),
    Guard(
        "labeling_tableimport_stays_complete",
        "labeling_tableimport",
        ("UPDATE",),
        "OLD.state = 'published' AND NEW.state <> 'published'",
        "a complete import is fixed and stays complete",
    ),
    Guard(
        "labeling_tableimport_stays",
        "labeling_tableimport",
        ("DELETE",),
        "OLD.state = 'published'",
        "a complete import is fixed and stays complete",
    ),
    *_fixed_with_its_import(
        "labeling_item",
        "item_id",
        "domain",
        "payload_ref",
        "era_tag",
        "circle_tags",
        "license_id",
        "data_origin_id",
    ),
    *_fixed_with_its_import(
        "labeling_pair",
        "pair_id",
        "domain",
        "item_a_id",
        "item_b_id",
        "condition_era",
        "condition_circle",
        "pair_group_id",
        "cue_type",
        "difficulty",
        "split",
        "data_origin_id",
    ),
    Guard(
        "labeling_showing_fixed",
        "labeling_showing",
        ("UPDATE", "DELETE"),
        EVERY_ROW,
        "a showing keeps its pair and its sides for ever",
    ),
)
COLLECTING_GUARDS = (
    *_fixed_with_its_round("labeling_rounditem"),
    *_fixed_with_its_round("labeling_practicepair"),
    append_only("labeling_consenttext"),
    append_only("labeling_showingwithdrawal"),
)
PEOPLE_GUARDS = (append_only("labeling_accountact"),)
GOLD_GUARDS = (
    append_only("gold_goldaccess"),
    Guard(
        "gold_release_frozen",
        "gold_release",
        ("UPDATE", "DELETE"),
        "OLD.state = 'published'",
        "a published release is frozen; promote a superseding one",
    ),
    Guard(
        "gold_releasefile_frozen",
        "gold_releasefile",
        ("UPDATE", "DELETE"),
        _RELEASE_OUT.format(release="OLD.release_id"),
        "files of a published release are frozen",
    ),
    Guard(
        "gold_releasefile_no_addition",
        "gold_releasefile",
        ("INSERT",),
        _RELEASE_OUT.format(release="NEW.release_id"),
        "files of a published release are frozen",
    ),
    Guard(
        "gold_releaseround_frozen",
        "gold_releaseround",
        ("UPDATE", "DELETE"),
        _RELEASE_OUT.format(release="OLD.release_id"),
        "rounds of a published release are frozen",
    ),
    Guard(
        "gold_releaseround_no_addition",
        "gold_releaseround",
        ("INSERT",),
        _RELEASE_OUT.format(release="NEW.release_id"),
        "rounds of a published release are frozen",
    ),
)


def install(connection: BaseDatabaseWrapper, guards: tuple[Guard, ...]) -> None:
    """Create the triggers of `guards`."""
    with connection.cursor() as cursor:
        for guard in guards:
            for statement in _statements(connection.vendor, guard):
                cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper, guards: tuple[Guard, ...]) -> None:
    """Drop the triggers of `guards`, for a migration backwards and for the test suite's flush."""
    with connection.cursor() as cursor:
        for guard in guards:
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP FUNCTION IF EXISTS {guard.name}() CASCADE")
                continue
            for operation in guard.operations:
                cursor.execute(f"DROP TRIGGER IF EXISTS {guard.name}_{operation.lower()}")


def _statements(vendor: str, guard: Guard) -> list[str]:
    message = guard.message.replace("'", "''")
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER {guard.name}_{operation.lower()} BEFORE {operation} ON {guard.table} "
            f"FOR EACH ROW WHEN {guard.condition} BEGIN SELECT RAISE(ABORT, '{message}'); END"
            for operation in guard.operations
        ]
    if vendor != "postgresql":
        raise NotImplementedError(f"Guards exist for SQLite and PostgreSQL, not for {vendor}.")
    # 23001 is restrict_violation: it reaches Django as IntegrityError, as on SQLite.
    refuse = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23001';"
    statements = [
        f"CREATE FUNCTION {guard.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF TG_OP = 'TRUNCATE' THEN {refuse} END IF; IF {guard.condition} THEN {refuse} END IF; "
        "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER {guard.name} BEFORE {' OR '.join(guard.operations)} ON {guard.table} "
        f"FOR EACH ROW EXECUTE FUNCTION {guard.name}()",
    ]
    if "DELETE" in guard.operations:
        statements.append(
            f"CREATE TRIGGER {guard.name}_truncate BEFORE TRUNCATE ON {guard.table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {guard.name}()"
        )
    return statements
