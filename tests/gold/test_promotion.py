"""From closed rounds to a published release: what is let through, what is refused and why."""

import pytest
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from gold.models import GoldAccess, Release
from gold.promotion import CannotPromote, build_and_publish, preview_promotion, promote
from labeling.models import DataOrigin, Job, Pair, Round
from labeling.tables import BENCH_GOLD, BENCH_PAIRS, JUDGMENT_EVENTS, JUDGMENTS, LABEL_AGGREGATES, read_table
from tests import factories
from tests.gold.worlds import imported, make_pair, make_round, shown, silent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def published(*rounds, supersedes=None, title="First"):
    release = promote(rounds, title=title, actor="test", supersedes=supersedes, enqueue=False)
    build_and_publish(release, actor="test", progress=silent())
    release.refresh_from_db()
    return release


def rows(release, table, *columns):
    """Some columns of a stored table as tuples."""
    stored = release.files.get(path=f"{table.name}.csv")
    with stored.file.open("rb") as file:
        frame = read_table(file.read(), table)
    return list(zip(*(frame.text(column) for column in columns), strict=True))


def problems(*rounds, supersedes=None):
    with pytest.raises(CannotPromote) as refused:
        promote(rounds, title="T", actor="test", supersedes=supersedes)
    assert not Release.objects.filter(state="building").exists()
    return " ".join(refused.value.problems)


# p1: 3 of 3 for a. p2: 2 of 3 for b passes. p3: two votes. p4: 2 of 4. p5: two votes and an abstention.
# p6: 4 of 7 for a: 5 * 4 = 20 < 21 = 3 * 7.
VOTES = ("aaa", "abb", "aa", "aabb", "aa-", "aaaabbb")


def test_gold_and_every_state_are_released():
    release = published(make_round(votes=VOTES, prefix=""))
    assert rows(
        release, BENCH_GOLD, "pair_id", "preferred_id", "agreement", "n_raters", "exclude_primary"
    ) == [
        ("p1", "p1-a", "1", "3", "false"),
        ("p2", "p2-b", "0.666667", "3", "false"),
    ]
    assert rows(
        release, LABEL_AGGREGATES, "label_id", "state", "n_raters", "preferred_id", "exclude_primary"
    ) == [
        ("p1", "gold", "3", "p1-a", "false"),
        ("p2", "gold", "3", "p2-b", "false"),
        ("p3", "too_few", "2", "p3-a", "true"),
        ("p4", "tie", "4", "", "true"),
        ("p5", "too_few", "2", "p5-a", "true"),
        ("p6", "below_gate", "7", "p6-a", "true"),
    ]
    assert rows(release, BENCH_PAIRS, "pair_id", "difficulty", "agreement", "n_raters") == [
        ("p1", "medium", "1", "3"),
        ("p2", "medium", "0.666667", "3"),
        ("p3", "ambiguous", "1", "2"),
        ("p4", "ambiguous", "0.5", "4"),
        ("p5", "ambiguous", "1", "2"),
        ("p6", "ambiguous", "0.571429", "7"),
    ]
    assert (release.number, release.n_pairs, release.n_gold, release.is_simulation) == (1, 6, 2, True)
    assert set(Pair.objects.values_list("difficulty", flat=True)) == {"medium"}


def test_publishing_marks_the_round_and_freezes_the_release():
    round_ = make_round()
    release = published(round_)
    round_.refresh_from_db()
    assert round_.state == "promoted"
    assert round_.transitions.get().reason == "release 1"
    assert GoldAccess.objects.get(release_number=1).what == "published the release"
    for change in (
        lambda: Release.objects.update(title="other"),
        lambda: release.files.update(sha256="0" * 64),
        lambda: release.files.all().delete(),
        lambda: release.release_rounds.all().delete(),
    ):
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            change()


def test_events_carry_chains_and_repeats_but_no_notes_confidences_or_tokens():
    round_ = make_round(votes=("aaa",), prefix="")
    pair = round_.pairs.get()
    first = shown(round_, pair, "human_expert_04", "lr")
    shown(round_, pair, "human_expert_04", "l", position=2, repeat_of=first)
    release = published(round_)
    columns = (
        "rater_id",
        "showing",
        "repeat_of",
        "kind",
        "preferred_id",
        "confidence",
        "reason",
        "judged_at",
    )
    place = "round-1/human_expert_04"
    assert rows(release, JUDGMENT_EVENTS, *columns)[3:] == [
        ("human_expert_04", f"{place}/1", "", "vote", "p1-a", "", "", "2026-03-01T12:01:00.000000Z"),
        ("human_expert_04", f"{place}/1", "", "vote", "p1-b", "", "", "2026-03-01T12:01:01.000000Z"),
        (
            "human_expert_04",
            f"{place}/2",
            f"{place}/1",
            "vote",
            "p1-a",
            "",
            "",
            "2026-03-01T12:02:00.000000Z",
        ),
    ]
    # The repeat is no vote, the changed answer is: 3 of 4 for a.
    assert rows(release, JUDGMENTS, "rater_id", "preferred_id", "note", "confidence")[3] == (
        "human_expert_04",
        "p1-b",
        "",
        "",
    )
    assert rows(release, BENCH_GOLD, "agreement", "n_raters") == [("0.75", "4")]
    for stored in release.files.all():
        with stored.file.open("rb") as file:
            content = file.read()
        assert b"private note" not in content
        assert first.token.encode() not in content


@pytest.mark.parametrize("acts", ["lu", "ls", "lv"])
def test_an_answer_taken_back_is_no_vote(acts):
    round_ = make_round(votes=("aaa",), prefix="")
    shown(round_, round_.pairs.get(), "human_expert_04", acts)
    assert rows(published(round_), BENCH_GOLD, "n_raters") == [("3",)]


def test_only_a_voided_answer_shows_its_reason():
    round_ = make_round(votes=("aaa",), prefix="")
    shown(round_, round_.pairs.get(), "human_expert_04", "lv")
    assert rows(published(round_), JUDGMENT_EVENTS, "kind", "reason")[3:] == [
        ("vote", ""),
        ("void", "a reason"),
    ]


def test_rounds_of_one_tier_make_one_release_and_a_rater_counts_once():
    first = make_round("round-1", votes=("aab",), prefix="")
    # Raters 1 to 3 answer again, rater 3 otherwise: 3 of 3 for a, not 5 of 6.
    second = make_round("round-2", votes=("aaa",), pairs=list(first.pairs.all()))
    release = published(first, second)
    assert rows(release, BENCH_GOLD, "agreement", "n_raters") == [("1", "3")]
    assert sorted(Round.objects.values_list("state", flat=True)) == ["promoted", "promoted"]


def test_a_primary_release_holds_only_its_own_tier():
    """Firewall: a database with rounds of every tier on the same pair gives the experts' votes alone."""
    DataOrigin.objects.get_or_create(code="study_human_expert")
    pair = make_pair("p1", "public_crowd")
    expert = make_round("expert", votes=("aab",), tier="primary_human_expert", pairs=[pair])
    for tier in ("public_reference", "crowd_reference", "outcome", "provisional_agent_panel"):
        make_round(tier, votes=("bbb",), tier=tier, pairs=[pair])
    make_round("simulated", votes=("bbb",))
    release = published(expert)
    assert rows(release, BENCH_GOLD, "pair_id", "preferred_id", "n_raters", "gold_tier", "data_origin") == [
        ("p1", "p1-a", "3", "primary_human_expert", "study_human_expert")
    ]
    assert {slug for (slug,) in rows(release, JUDGMENT_EVENTS, "round")} == {"expert"}
    assert len(rows(release, JUDGMENTS, "pair_id")) == 3


def test_the_panels_gold_is_archival():
    release = published(make_round(votes=("aaa",), tier="provisional_agent_panel", origin="public_crowd"))
    assert rows(release, BENCH_GOLD, "exclude_primary") == [("true",)]
    assert rows(release, LABEL_AGGREGATES, "exclude_primary") == [("true",)]


@pytest.mark.parametrize("state", ["draft", "open"])
def test_only_closed_rounds(state):
    assert f"is {state}; close it first" in problems(make_round(state=state))


def test_tiers_rubrics_and_minimums_never_mix():
    first = make_round("one", tier="public_reference", origin="public_crowd")
    second = make_round(
        "two", tier="crowd_reference", origin="public_crowd", rubric="rubric_v2", min_raters=4
    )
    text = problems(first, second)
    assert "one tier, these rounds have crowd reference, public reference" in text
    assert "one rubric, these rounds have rubric_v1, rubric_v2" in text
    assert "one minimum of raters, these rounds have 3, 4" in text


def test_simulated_and_real_never_mix():
    assert "2 of its pairs and 4 of their items are real" in problems(make_round(origin="public_crowd"))
    assert "2 of its pairs and 4 of their items are simulated" in problems(
        make_round("two", tier="crowd_reference")
    )
    # An item alone is enough.
    items = [factories.make_item(origin=origin) for origin in ("simulation", "public_crowd")]
    pair = factories.make_pair(items=items, origin="public_crowd")
    round_ = make_round("three", votes=["aaa"], pairs=[pair], tier="crowd_reference")
    assert "0 of its pairs and 1 of their items are simulated" in problems(round_)


def test_nothing_gold_is_refused_with_the_reason():
    text = problems(make_round(votes=("aa", "aabb", "aaaabbb")))
    assert "of 3 pairs 1 has too few raters, 1 is a tie, 1 is below the gate" in text
    assert "hold no pairs" in problems(make_round("empty", votes=()))


def test_a_title_is_needed():
    with pytest.raises(CannotPromote, match="title"):
        promote([make_round()], title=" ", actor="test")


def test_a_promoted_round_enters_a_further_release_only_by_superseding():
    round_ = make_round(votes=("aaa", "aab"), prefix="")
    old = published(round_)
    round_.refresh_from_db()
    assert "must supersede" in problems(round_)
    more = make_round("round-2", votes=("bbb",), prefix="q-")
    new = published(round_, more, supersedes=old)
    assert (new.number, new.supersedes) == (2, old)
    assert Release.objects.get(number=1).state == "published"
    round_.refresh_from_db()
    more.refresh_from_db()
    assert "is superseded by release 2" in problems(round_, supersedes=old)


def test_only_the_same_tier_supersedes():
    old = published(make_round())
    other = make_round("two", tier="crowd_reference", origin="public_crowd")
    assert "only a release of the same tier" in problems(other, supersedes=old)


def test_the_preview_tells_what_enters_leaves_and_flips():
    first = make_round("round-1", votes=("aaa", "aaa", "aaa"), prefix="")
    old = published(first)
    p1, p2, p3 = first.pairs.order_by("pair_id")
    second = make_round("round-2", votes=("bbb", "aab-", "bbb"), pairs=[p1, p2, make_pair("p4")])
    preview = preview_promotion([second], old)
    assert preview.problems == []
    assert preview.states == {"gold": 3, "too_few": 0, "tie": 0, "below_gate": 0}
    assert (preview.enters.pair_ids, preview.leaves.pair_ids, preview.flips.pair_ids) == (
        ("p4",),
        (p3.pair_id,),
        ("p1",),
    )


def test_the_preview_names_what_is_left_out():
    preview = preview_promotion([make_round(votes=VOTES, prefix="")])
    assert [(p.pair_id, p.state, p.n_raters, p.modal) for p in preview.left_out] == [
        ("p3", "too_few", 2, 2),
        ("p5", "too_few", 2, 2),
        ("p4", "tie", 4, 2),
        ("p6", "below_gate", 7, 4),
    ]
    assert preview.summary == "2 of 6 test pairs are gold; 2 have too few raters, 2 are split."
    assert preview.enters.n == 2


def test_a_job_builds_it_and_a_second_run_changes_nothing(finish_jobs):
    release = promote([make_round()], title="First", actor="test")
    (job,) = finish_jobs()
    assert (job.state, job.error) == ("succeeded", "")
    assert job.result == {"release": 1, "n_pairs": 2, "n_gold": 2}
    release.refresh_from_db()
    digest = release.digest
    job.state = "queued"
    job.save()
    (job,) = finish_jobs()
    release.refresh_from_db()
    assert (job.state, release.digest) == ("succeeded", digest)


def test_while_a_release_is_built_its_round_is_taken():
    round_ = make_round()
    promote([round_], title="First", actor="test")
    with pytest.raises(CannotPromote, match="still being built"):
        promote([round_], title="Second", actor="test")


def test_a_failed_build_makes_room():
    round_ = make_round()
    release = promote([round_], title="First", actor="test")
    Job.objects.filter(release=release).update(state="failed")
    assert published(round_, title="Again").number == 1


def test_a_build_taken_up_again_gives_the_same_bytes():
    round_ = make_round(votes=VOTES)
    release = promote([round_], title="First", actor="test", enqueue=False)
    with pytest.raises(KeyboardInterrupt):
        build_and_publish(release, actor="test", progress=StopsAt("Publishing"))
    # What the crashed try stored lies there, and is as good as what the next one stores.
    before = stored_bytes(release.number)
    assert len(before) == 16
    # Only what is not the same is stored anew.
    with default_storage.open("releases/1/bench_gold.csv", "wb") as file:
        file.write(b"half a fi")
    build_and_publish(release, actor="test", progress=silent())
    assert stored_bytes(release.number) == before
    release.refresh_from_db()
    assert release.state == "published"


def test_a_judgment_that_comes_in_meanwhile_stops_the_release():
    round_ = make_round()
    release = promote([round_], title="First", actor="test", enqueue=False)
    pair = round_.pairs.first()
    late = StopsAt("Publishing", lambda: imported(round_, pair, "human_expert_09", "b"))
    with pytest.raises(CannotPromote, match="came in while"):
        build_and_publish(release, actor="test", progress=late)
    release.refresh_from_db()
    assert release.state == "building"
    assert not release.files.exists()


class StopsAt:
    """Progress that does something at a step: by default what a killed worker does."""

    def __init__(self, name, act=None):
        self.name, self.act = name, act

    def step(self, name, total=0):  # noqa: ARG002  named as callers may name it
        if name == self.name:
            if self.act is None:
                raise KeyboardInterrupt
            self.act()

    def advance(self, n=1):
        pass


def stored_bytes(number):
    folder = f"releases/{number}"
    content = {}
    for name in default_storage.listdir(folder)[1]:
        with default_storage.open(f"{folder}/{name}") as file:
            content[name] = file.read()
    return content


def test_rows_stand_in_byte_order_whatever_the_databases_language():
    ids = ["p10", "p9", "P1", "pé", "_p", "pa", "pB", "0007"]
    round_ = make_round(votes=("aaa",) * len(ids), pairs=[make_pair(pair_id) for pair_id in ids])
    release = published(round_)
    # U+0030 0 < U+0050 P < U+005F _ < U+0070 p; then 1 < 9 < B < a < é.
    in_order = ["0007", "P1", "_p", "p10", "p9", "pB", "pa", "pé"]
    assert [pair_id for (pair_id,) in rows(release, BENCH_PAIRS, "pair_id")] == in_order
    assert [pair_id for (pair_id,) in rows(release, BENCH_GOLD, "pair_id")] == in_order
    assert [pair_id for (pair_id,) in rows(release, JUDGMENTS, "pair_id")] == [
        i for i in in_order for _ in "aaa"
    ]
