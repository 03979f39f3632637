"""manage.py create_account, erase_account, add_license, add_data_origin."""

import io

import pytest
from django.core.management import CommandError, call_command

from labeling import accounts
from labeling.accounts import AccountRefused, create_account
from labeling.actors import actor_of
from labeling.importing.folder import read_folder
from labeling.models import DataOrigin, JudgmentEvent, License, Rater, RoundTransition, User
from labeling.rounds import close_round
from labeling.tables import TableErrors
from tests.factories import make_rater, make_user, opened_round, showings_of, vote
from tests.labeling.folders import ITEMS, write_folder

pytestmark = pytest.mark.django_db

GOOD = "quiet river stone"


def run(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def refused(*arguments):
    with pytest.raises(CommandError) as told:
        run(*arguments)
    return str(told.value)


# --- create_account ------------------------------------------------------------------------------


def test_an_expert_gets_the_next_pseudonym():
    make_rater("human_expert_07")
    assert "Made ada, rater human_expert_08." in run(
        "create_account", "ada", "--role", "expert", "--password", GOOD
    )
    user = User.objects.get(username="ada")
    assert user.check_password(GOOD)
    assert user.role_names == {"expert"}


@pytest.mark.parametrize(
    ("username", "password", "email", "told"),
    [
        ("human.reviewer.ada", "human.reviewer.ada", "", "too similar to the sign-in name"),
        ("ada", "ada.lovelace@tastes", "ada.lovelace@tastes.example", "too similar to the mail address"),
        ("ada", "short", "", "too short"),
        ("ada", "password1234", "", "too common"),
        ("taken", GOOD, "", "Sign-in name already exists"),
        ("", GOOD, "", "cannot be blank"),
        ("x" * 151, GOOD, "", "at most 150 characters"),
        ("ada", GOOD, "nobody", "valid email address"),
    ],
)
def test_what_no_account_can_be_made_of_is_told(username, password, email, told):
    make_user(username="taken")
    arguments = ["--role", "expert", "--password", password, "--email", email]
    assert told in refused("create_account", username, *arguments)
    assert list(User.objects.values_list("username", flat=True)) == ["taken"]
    assert not Rater.objects.exists()


def test_a_name_is_stored_as_sign_in_looks_for_it():
    """NFKC: the ligature “ﬁ” is looked up as “fi”."""
    run("create_account", "ﬁnn", "--role", "admin", "--password", GOOD)
    assert User.objects.get().username == "finn"


def test_a_pseudonym_taken_at_the_same_moment_is_passed_over(monkeypatch):
    make_rater("human_expert_01")
    offered = iter(["human_expert_01", "human_expert_02"])
    monkeypatch.setattr(accounts, "next_pseudonym", lambda _stem: next(offered))
    assert create_account("ada", GOOD, roles=("expert",)).rater.pseudonym == "human_expert_02"


def test_no_pseudonym_at_all_is_not_called_a_taken_name(monkeypatch):
    make_rater("human_expert_01")
    monkeypatch.setattr(accounts, "next_pseudonym", lambda _stem: "human_expert_01")
    with pytest.raises(AccountRefused, match="next pseudonym just now; try again"):
        create_account("ada", GOOD, roles=("expert",))
    assert not User.objects.filter(username="ada").exists()


def test_a_name_taken_after_it_was_checked_is_told(monkeypatch):
    make_user(username="ada")
    monkeypatch.setattr(User, "full_clean", lambda *_arguments, **_more: None)
    assert refused("create_account", "ada", "--role", "admin", "--password", GOOD) == (
        "The sign-in name ada is taken."
    )


# --- erase_account -------------------------------------------------------------------------------


@pytest.fixture
def judged():
    """A closed round with one answer of human_expert_01, closed by the same person."""
    rater = make_rater("human_expert_01", username="ada", email="ada@example.org", full_name="Ada L.")
    round_ = opened_round(1, [rater])
    vote(showings_of(round_.packets.get())[0])
    close_round(round_, actor=actor_of(rater.user))
    return round_


def test_erasing_a_person_keeps_the_answers_under_the_pseudonym(judged):
    number = User.objects.get().pk
    said = run("erase_account", "ada", "--yes")
    assert "answers under the pseudonym human_expert_01 (1 event)" in said
    assert f"log entries, which say “account {number}”" in said
    assert said.endswith("Erased.\n")
    assert not User.objects.exists()
    event = JudgmentEvent.objects.get()
    assert (event.rater.pseudonym, event.rater.user) == ("human_expert_01", None)
    assert RoundTransition.objects.filter(actor=f"account {number}").exists()


@pytest.mark.parametrize(("typed", "left"), [("ada", 0), ("", 1), ("yes", 1), ("Ada", 1)])
def test_it_asks_for_the_name_again(judged, monkeypatch, typed, left):
    monkeypatch.setattr("builtins.input", lambda _question: typed)
    if left:
        assert "Nothing was erased" in refused("erase_account", "ada")
    else:
        run("erase_account", "ada")
    assert User.objects.count() == left


def test_without_somebody_to_ask_nothing_is_erased(judged, monkeypatch):
    def nobody(_question):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    assert "Nothing was erased" in refused("erase_account", "ada")
    assert User.objects.exists()


def test_an_unknown_name_is_told():
    assert refused("erase_account", "nobody", "--yes") == "There is no account with the sign-in name nobody."


# --- words of the tables -------------------------------------------------------------------------


def test_a_licence_and_an_origin_can_be_used_once_they_are_added(tmp_path):
    items = [line.replace("CC-BY-4.0,simulation", "LicenseRef-Studio,studio_archive") for line in ITEMS]
    folder = write_folder(tmp_path, items=items, pairs=None)
    with pytest.raises(TableErrors) as told:
        read_folder(folder)
    assert {error.column for error in told.value.errors} == {"license", "data_origin"}
    assert run("add_license", "LicenseRef-Studio") == "LicenseRef-Studio can be used now.\n"
    assert run("add_data_origin", "studio_archive") == "studio_archive can be used now.\n"
    assert read_folder(folder).summary()["new_items"] == len(ITEMS) - 1
    assert not DataOrigin.objects.get(code="studio_archive").is_simulation


def test_a_known_word_changes_nothing():
    before = License.objects.count(), DataOrigin.objects.count()
    assert run("add_license", "CC-BY-4.0") == "CC-BY-4.0 was known before.\n"
    assert run("add_data_origin", "simulation", "--simulation") == "simulation was known before.\n"
    assert (License.objects.count(), DataOrigin.objects.count()) == before


def test_simulated_stays_simulated_and_real_real():
    assert "known as simulated" in refused("add_data_origin", "simulation")
    assert "known as real" in refused("add_data_origin", "public_crowd", "--simulation")
    run("add_data_origin", "second_simulation", "--simulation")
    assert DataOrigin.objects.get(code="second_simulation").is_simulation


@pytest.mark.parametrize("word", ["", "CC BY 4.0", "a;b", "-MIT", "x" * 101, "MIT\n"])
def test_what_is_no_licence_is_refused(word):
    assert "no SPDX identifier" in refused("add_license", "--", word)


@pytest.mark.parametrize("word", ["", "Studio", "studio archive", "1st", "x" * 101])
def test_what_is_no_origin_is_refused(word):
    assert "is no code" in refused("add_data_origin", word)
