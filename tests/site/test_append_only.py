"""What the database itself refuses, tried with plain SQL past every layer of ours."""

import re

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from gold.models import GoldAccess, Release, ReleaseFile, ReleaseRound
from labeling import append_only
from labeling.models import (
    AccountAct,
    Act,
    DataOrigin,
    License,
    Pair,
    PracticePair,
    Round,
    RoundItem,
    RoundRater,
    RoundTransition,
)
from labeling.rounds import close_round
from tests import conftest, factories

LABELING = [
    "labeling_judgmentevent",
    "labeling_roundtransition",
    "labeling_showing",
    "labeling_consenttext",
    "labeling_accountact",
]
GOLD = ["gold_goldaccess", "gold_release", "gold_releasefile", "gold_releaseround"]
RUBRIC = ["labeling_rubric", "labeling_rubricdomain"]
COLUMN = {
    "labeling_judgmentevent": "note",
    "labeling_roundtransition": "reason",
    "labeling_showing": "token",
    "labeling_consenttext": "text",
    "labeling_accountact": "detail",
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
    AccountAct.objects.create(actor="account 1", act=Act.INVITED)
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


OTHER = {
    "round": {
        "slug": "'other'",
        "rubric_id": "(SELECT max(id) FROM labeling_rubric)",
        "task": "'absolute'",
        "verdicts": "'a_b_neither_cannot'",
        "gold_tier": "'crowd_reference'",
        "raters_per_pair": "7",
        "min_raters": "4",
        "repeat_share": "0.25",
        "seed": "seed + 1",
    },
    "item": {
        "item_id": "'other'",
        "domain": "'book'",
        "payload_ref": "'text:other'",
        "era_tag": "'1970s'",
        "circle_tags": "'club'",
        "license_id": "'CC0-1.0'",
        "data_origin_id": "'public_crowd'",
        "table_import_id": "(SELECT max(id) FROM labeling_tableimport)",
    },
    "pair": {
        "pair_id": "'other'",
        "domain": "'book'",
        "item_a_id": "(SELECT max(id) FROM labeling_item)",
        "item_b_id": "(SELECT max(id) FROM labeling_item)",
        "condition_era": "'1970s'",
        "condition_circle": "'club'",
        "pair_group_id": "'family'",
        "cue_type": "'null'",
        "difficulty": "'hard'",
        "split": "'dev'",
        "data_origin_id": "'public_crowd'",
        "table_import_id": "(SELECT max(id) FROM labeling_tableimport)",
    },
}
"""For each fixed column an SQL expression that differs from what the factories store there."""


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for name, columns in OTHER.items() for column in columns]
)
def test_what_a_judgment_rests_on_cannot_be_changed_under_it(db, name, column):
    """The rules of a round that has begun; what items and pairs of a complete import are."""
    round_ = factories.opened_round(1)
    row = {"round": round_, "pair": round_.pairs.get(), "item": round_.pairs.get().item_a}[name]
    factories.make_rubric("rubric_v2")
    factories.make_item(table_import=factories.tables("under way", state="staging"))
    change = f"UPDATE labeling_{name} SET {column} = {OTHER[name][column]} WHERE id = {row.pk}"
    before = type(row).objects.values().get(pk=row.pk)
    assert "fixed" in refused(change)
    assert type(row).objects.values().get(pk=row.pk) == before


def test_what_no_judgment_rests_on_can_still_be_changed(db):
    """Names and deadlines, cached figures, the file of an item; and a stored value written again."""
    round_ = factories.opened_round(1)
    round_.name, round_.deadline = "Better name", timezone.now()
    round_.save()
    pair = round_.pairs.get()
    pair.n_raters = "3"
    pair.save()
    pair.item_a.original_sha256 = "0" * 64
    pair.item_a.save()
    assert Round.objects.get().name == "Better name"
    assert Pair.objects.get().n_raters == "3"


def test_a_draft_and_an_import_under_way_are_free(db):
    round_ = factories.make_round(1)
    Round.objects.update(seed=2, gold_tier="crowd_reference")
    RoundRater.objects.all().delete()
    round_.delete()
    under_way = factories.tables("under way", state="staging")
    items = [factories.make_item(table_import=under_way, rendition=False) for _ in "ab"]
    factories.make_pair("under way", items=items, table_import=under_way, split="dev")
    Pair.objects.filter(pair_id="under way").update(split="test")
    for rows_of in (under_way.pairs, under_way.items):
        rows_of.all().delete()
    under_way.delete()
    assert not Round.objects.exists()
    assert not Pair.objects.filter(pair_id="under way").exists()


@pytest.mark.parametrize("state", ["open", "closed", "promoted"])
def test_a_round_that_has_begun_keeps_its_pairs_and_raters(db, state):
    round_, draft = factories.opened_round(1), factories.make_round(1)
    Round.objects.filter(pk=round_.pk).update(state=state)
    for table, thing in (("labeling_roundpair", "pair"), ("labeling_roundrater", "rater")):
        mine = f"WHERE round_id = {round_.pk}"
        attempts = [
            f"DELETE FROM {table} {mine}",
            f"UPDATE {table} SET round_id = {draft.pk} {mine}",
            f"UPDATE {table} SET round_id = {round_.pk} WHERE round_id = {draft.pk}",
            f"INSERT INTO {table} (round_id, {thing}_id) "
            f"SELECT {round_.pk}, {thing}_id FROM {table} WHERE round_id = {draft.pk}",
        ]
        for attempt in attempts:
            assert "of a round that has begun are fixed" in refused(attempt), attempt
    assert "a round that has begun stays" in refused(f"DELETE FROM labeling_round WHERE id = {round_.pk}")


def test_a_round_that_has_begun_keeps_its_items_and_practice(db):
    round_ = factories.opened_round(1)
    pair = factories.make_pair()
    draft = factories.make_round(1)
    PracticePair.objects.create(round=draft, position=1, pair=pair, explanation="It is calmer.")
    RoundItem.objects.create(round=draft, item=pair.item_a)
    attempts = [
        f"INSERT INTO labeling_rounditem (round_id, item_id) VALUES ({round_.pk}, {pair.item_b_id})",
        f"UPDATE labeling_rounditem SET round_id = {round_.pk}",
        f"UPDATE labeling_practicepair SET round_id = {round_.pk}",
    ]
    Round.objects.filter(pk=draft.pk).update(state="open")
    attempts += ["DELETE FROM labeling_rounditem", "DELETE FROM labeling_practicepair"]
    for attempt in attempts:
        assert "of a round that has begun are fixed" in refused(attempt), attempt


def test_a_complete_import_stays_with_its_items_and_pairs(db):
    factories.make_pair()
    for table in ("labeling_pair", "labeling_item", "labeling_tableimport"):
        assert "complete import" in refused(f"DELETE FROM {table}")
    assert "complete import" in refused("UPDATE labeling_tableimport SET state = 'failed'")


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
    assert set(conftest.GUARDS) == set(
        append_only.LABELING_GUARDS
        + append_only.COLLECTING_GUARDS
        + append_only.PEOPLE_GUARDS
        + append_only.GOLD_GUARDS
    )


@pytest.mark.parametrize("turn", [1, 2])
def test_a_test_that_commits_leaves_an_empty_database_with_guards_and_vocabularies(transactional_db, turn):
    """Each turn would meet the other's rows, or miss guards or vocabularies, if the flush did less."""
    assert RoundTransition.objects.count() == 0
    assert (License.objects.exists(), DataOrigin.objects.exists()) == (True, True)
    factories.opened_round(1)
    assert "append-only" in refused("DELETE FROM labeling_roundtransition")
