"""What an admin decides reaches releases: voided answers count no more, notes leave when released."""

import csv
import json

import pytest
from django.core.management import call_command

from gold.judgments import current_frames
from gold.promotion import build_and_publish, promote
from gold.verification import verify_folder
from labeling.models import JudgmentEvent, NoteReview, Rater, Round
from labeling.notes import review
from labeling.voiding import void_rater
from tests.gold.worlds import make_round, silent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


class Quiet:
    def write(self, _text):
        pass

    def flush(self):
        pass

    def isatty(self):
        return False


def exported(folder, number=1):
    """The release's tables as rows."""
    call_command("export_release", number, folder, stdout=Quiet())
    names = ("judgments", "judgment_events", "label_aggregates", "bench_gold")
    return {name: list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines())) for name in names}


def released(round_, supersedes=None):
    release = promote([round_], title="First", actor="test", supersedes=supersedes, enqueue=False)
    build_and_publish(release, actor="test", progress=silent())
    return release


def event_of(pair_id, rater):
    return JudgmentEvent.objects.get(pair__pair_id=pair_id, rater__pseudonym=rater)


def test_gold_and_n_raters_follow_a_voided_rater_and_the_events_stay(tmp_path):
    # Without the first rater p1 falls from 2 of 3 to 1 of 2, too few; p2 stays gold with 3 of 4 raters.
    round_ = make_round(votes=("aab", "aaaa"), prefix="")
    first = Rater.objects.get(pseudonym="human_expert_01")
    _pairs, before = current_frames([round_])
    void_rater(round_, first, actor="test", reason="did not read the rubric")
    _pairs, after = current_frames([round_])
    assert (len(before), len(after)) == (7, 5)
    assert first.pseudonym not in after.text("rater_id")
    released(Round.objects.get())
    tables = exported(tmp_path / "out")
    assert [(row["label_id"], row["n_raters"], row["state"]) for row in tables["label_aggregates"]] == [
        ("p1", "2", "too_few"),
        ("p2", "3", "gold"),
    ]
    assert [(row["pair_id"], row["n_raters"]) for row in tables["bench_gold"]] == [("p2", "3")]
    voids = [row for row in tables["judgment_events"] if row["kind"] == "void"]
    assert len(tables["judgment_events"]) == 9
    assert [row["reason"] for row in voids] == ["did not read the rubric"] * 2
    assert verify_folder(tmp_path / "out") == []


def test_only_released_notes_and_confidences_leave(tmp_path):
    round_ = make_round(votes=("aaa",), prefix="")  # each with a note and a confidence of 0.25
    review([event_of("p1", "human_expert_01")], release=True, actor="test")
    review([event_of("p1", "human_expert_02")], release=False, actor="test")
    released(round_)
    tables = exported(tmp_path / "out")
    assert [(row["rater_id"], row["confidence"], row["note"]) for row in tables["judgments"]] == [
        ("human_expert_01", "0.25", "a private note"),
        ("human_expert_02", "", ""),
        ("human_expert_03", "", ""),
    ]
    confidences = {row["rater_id"]: row["confidence"] for row in tables["judgment_events"]}
    assert confidences == {"human_expert_01": "0.25", "human_expert_02": "", "human_expert_03": ""}
    assert verify_folder(tmp_path / "out") == []


def test_a_changed_note_is_found_by_its_hash(tmp_path):
    round_ = make_round(votes=("aaa",), prefix="")
    review(JudgmentEvent.objects.all(), release=True, actor="test")
    released(round_)
    exported(tmp_path / "out")
    path = tmp_path / "out" / "judgments.csv"
    path.write_text(path.read_text().replace("a private note", "another note"))
    assert any(problem.startswith("judgments.csv: changed") for problem in verify_folder(tmp_path / "out"))


def test_the_same_decisions_give_the_same_bytes_and_later_ones_change_no_release(tmp_path):
    round_ = make_round(votes=("aaa",), prefix="")
    review([event_of("p1", "human_expert_01")], release=True, actor="test")
    first = released(round_)
    exported(tmp_path / "one")
    review(JudgmentEvent.objects.all(), release=True, actor="test")
    exported(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    NoteReview.objects.exclude(event__rater__pseudonym="human_expert_01").update(is_released=False)
    again = released(Round.objects.get(), supersedes=first)
    exported(tmp_path / "again", again.number)
    one, two = (
        {entry["path"]: entry["sha256"] for entry in json.loads(path.read_text())["files"]}
        for path in (tmp_path / "one" / "RELEASE_MANIFEST.json", tmp_path / "again" / "RELEASE_MANIFEST.json")
    )
    assert one == two
