"""What the database itself refuses, tried with plain SQL past every layer of ours."""

import re

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from gold.models import GoldAccess, Release, ReleaseFile, ReleaseRound
from labeling import append_only
from labeling.models import DataOrigin, License, RoundTransition
from labeling.rounds import close_round
from tests import conftest, factories

LABELING = ["labeling_judgmentevent", "labeling_roundtransition", "labeling_showing"]
GOLD = ["gold_goldaccess", "gold_release", "gold_releasefile", "gold_releaseround"]
RUBRIC = ["labeling_rubric", "labeling_rubricdomain"]
COLUMN = {
    "labeling_judgmentevent": "note",
    "labeling_roundtransition": "reason",
    "labeling_showing": "token",
    "labeling_rubric": "question",
    "labeling_rubricdomain": "default_brief",
    "gold_goldaccess": "what",
    "gold_release": "title",
    "gold_releasefile": "sha256",
    "gold_releaseround": "round_id",
}


def release_of(round_, state="published"):
    release = Release.objects.create(
        number=1,
        title="One",
        gold_tier="simulation",
        is_simulation=True,
        canary="canary",
        digest="0" * 64,
        promoted_at=timezone.now(),
    )
    ReleaseRound.objects.create(release=release, round=round_)
    ReleaseFile.objects.create(release=release, path="bench_gold.csv", sha256="0" * 64, n_bytes=1)
    Release.objects.update(state=state)
    return release


@pytest.fixture
def round_(db):
    """A round with an event, a transition, showings and a used rubric, in a published release."""
    round_ = factories.opened_round(1)
    factories.vote(factories.showings_of(round_.packets.get())[0])
    close_round(round_, actor="test", reason="enough")
    GoldAccess.objects.create(actor="1", what="bench_gold.csv")
    release_of(round_)
    # PostgreSQL truncates nothing while foreign keys of this transaction are still to be checked.
    connection.check_constraints()
    return round_


def refused(sql):
    """The database's reason to refuse `sql`. Its savepoint is rolled back."""
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    return str(error.value)


def rows(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("table", LABELING + RUBRIC + GOLD)
def test_rows_that_stand_are_neither_changed_nor_removed(round_, table):
    before = rows(table)
    assert before
    attempts = [f"UPDATE {table} SET {COLUMN[table]} = {COLUMN[table]}", f"DELETE FROM {table}"]
    if connection.vendor == "postgresql":
        attempts.append(f"TRUNCATE {table} CASCADE")
    for attempt in attempts:
        assert re.search("append-only|frozen|for ever", refused(attempt)), attempt
    assert rows(table) == before


@pytest.mark.parametrize("table", LABELING + RUBRIC + GOLD)
def test_django_deletes_nothing_of_it_either(round_, table):
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    with pytest.raises(DatabaseError), transaction.atomic():
        model._default_manager.all()._raw_delete("default")


def test_a_used_rubric_takes_no_further_domain(round_):
    addition = "INSERT INTO labeling_rubricdomain (rubric_id, domain, cues, default_brief)"
    assert "frozen" in refused(f"{addition} VALUES ({round_.rubric_id}, 'tech', '[]', '')")


def test_a_published_release_takes_no_further_file_or_round(round_):
    release = Release.objects.get()
    with pytest.raises(DatabaseError, match="frozen"), transaction.atomic():
        ReleaseFile.objects.create(release=release, path="more.csv", sha256="0" * 64, n_bytes=1)
    with pytest.raises(DatabaseError, match="frozen"), transaction.atomic():
        ReleaseRound.objects.create(release=release, round=factories.make_round(1))


def test_an_unused_rubric_and_a_release_in_building_are_free(db):
    round_ = factories.make_round(1)
    release = release_of(round_, state="building")
    rubric = round_.rubric
    rubric.question = "Which is better made?"
    rubric.save()
    rubric.domains.all().delete()
    release.files.all().delete()
    release.title = "Other"
    release.save()
    assert (Release.objects.get().title, release.files.count()) == ("Other", 0)


def test_every_guard_is_in_the_database_once(db):
    """Migrations and the tests' flush install the same triggers."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT DISTINCT tgname FROM pg_trigger WHERE NOT tgisinternal")
        found = {name for (name,) in cursor.fetchall()}
    expected = set()
    for guard in conftest.GUARDS:
        if connection.vendor == "sqlite":
            expected |= {f"{guard.name}_{operation.lower()}" for operation in guard.operations}
        else:
            expected |= {guard.name} | ({f"{guard.name}_truncate"} if "DELETE" in guard.operations else set())
    assert found == expected
    assert set(conftest.GUARDS) == set(append_only.LABELING_GUARDS + append_only.GOLD_GUARDS)


@pytest.mark.parametrize("turn", [1, 2])
def test_a_test_that_commits_leaves_an_empty_database_with_guards_and_vocabularies(transactional_db, turn):
    """Each turn would meet the other's rows, or miss guards or vocabularies, if the flush did less."""
    assert RoundTransition.objects.count() == 0
    assert (License.objects.exists(), DataOrigin.objects.exists()) == (True, True)
    factories.opened_round(1)
    assert "append-only" in refused("DELETE FROM labeling_roundtransition")
