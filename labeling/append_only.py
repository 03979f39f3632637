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
        "labeling_showing_fixed",
        "labeling_showing",
        ("UPDATE", "DELETE"),
        EVERY_ROW,
        "a showing keeps its pair and its sides for ever",
    ),
)
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
