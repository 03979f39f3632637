"""Who may open what: every route × role × own or somebody else's object, for every method.

A route that is not listed here fails `test_every_route_is_listed`.
"""

import uuid
from dataclasses import dataclass, field
from http.cookies import SimpleCookie

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from evaluation.submissions import submit
from gold.promotion import build_and_publish, promote
from labeling import practice
from labeling.invitations import invite, withdraw
from labeling.models import Job, Packet, PracticeShowing, Role, RoleGrant, User
from labeling.packets import open_round
from labeling.reports import report
from tests.factories import (
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_rubric,
    make_user,
    opened_round,
    showings_of,
    silent,
    vote,
    webp,
)
from tests.gold.worlds import make_round as judged_round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

PEOPLE = (
    "nobody",  # not signed in
    "admin",
    "expert",  # owner of the packet
    "other_expert",
    "reviewer",
    "researcher",  # owner of the submission
    "other_researcher",
    "without_role",
)


@dataclass(frozen=True)
class Route:
    """Expected statuses by person, in the order of PEOPLE.

    `post` is what somebody gets who may open the page; None where POST is not allowed. `posts` gives all
    statuses of POST where that is not enough.
    """

    get: tuple[int, ...]
    args: tuple[str, ...] = ()
    post: int | None = None
    posts: tuple[int, ...] | None = None
    other: dict[str, int] = field(default_factory=dict)

    def expected(self, method: str, person: str) -> int:
        place = PEOPLE.index(person)
        if method == "get":
            return self.get[place]
        if method in self.other:
            return self.other[method]
        if method == "post" and self.posts is not None:
            return self.posts[place]
        denied = self.get[place] in {302, 403}
        if denied or (method == "post" and self.post and self.get[place] == 404):
            return self.get[place]
        return self.post if method == "post" and self.post else 405


def everybody(status: int) -> tuple[int, ...]:
    return (status,) * len(PEOPLE)


# nobody, admin, expert, other expert, reviewer, researcher, other researcher, without role
SIGNED_IN = (302, 200, 200, 200, 200, 200, 200, 403)
ADMINS = (302, 200, 403, 403, 403, 403, 403, 403)
ADMINS_POST = (302, 405, 403, 403, 403, 403, 403, 403)
RATERS_OWN = (302, 403, 200, 404, 404, 403, 403, 403)
READERS = (302, 200, 403, 403, 403, 200, 200, 403)
READERS_OWN = (302, 200, 403, 403, 403, 200, 404, 403)
API_READERS = (403, 200, 403, 403, 403, 200, 200, 403)
API_READERS_OWN = (403, 200, 403, 403, 403, 200, 404, 403)

ROUTES = {
    "home": Route(SIGNED_IN),
    "help": Route(everybody(200)),
    "healthz": Route(everybody(200)),
    "favicon": Route(everybody(302), other=dict.fromkeys(("post", "put", "patch", "delete"), 302)),
    "login": Route(everybody(200), post=200, other={"put": 200}),
    "sign_in_inline": Route(everybody(405), post=400),
    "logout": Route(everybody(405), posts=everybody(302)),
    "csrf": Route(everybody(200)),
    "password_reset": Route(everybody(200), post=200, other={"put": 200}),
    "password_reset_done": Route(everybody(200)),
    "password_reset_confirm": Route(
        everybody(200),
        ("person_code", "used_token"),
        other=dict.fromkeys(("post", "put", "patch", "delete"), 200),
    ),
    "jobs": Route(ADMINS),
    "job": Route((302, 200, 404, 404, 404, 200, 404, 403), ("score_job",)),
    # people
    "consent": Route((302, 403, 200, 200, 200, 403, 403, 403), post=200),
    "account": Route(SIGNED_IN, post=302),
    "account_password": Route(SIGNED_IN, post=200),
    "account_keys": Route(SIGNED_IN, post=302),
    "account_data": Route(SIGNED_IN),
    "join": Route(everybody(404), post=404),
    "invitation": Route(everybody(404), ("used_token",)),
    "people": Route(ADMINS),
    "person": Route(ADMINS, ("person",)),
    "person_roles": Route(ADMINS_POST, ("person",), post=200),
    "person_active": Route(ADMINS, ("person",), post=302),
    "person_reset_link": Route(ADMINS_POST, ("person",), post=200),
    "invitation_list": Route(ADMINS),
    "invitation_new": Route(ADMINS, post=200),
    "invitation_withdraw": Route(ADMINS_POST, ("invitation",), post=302),
    "consent_text": Route(ADMINS, post=200),
    "account_log": Route(ADMINS),
    # rating
    "rate": Route(RATERS_OWN, ("packet",), post=404),
    "answers": Route(RATERS_OWN, ("packet",)),
    "finish": Route(RATERS_OWN, ("packet",)),
    "practice": Route(RATERS_OWN, ("packet",), post=200),
    "offline": Route((302, 200, 200, 404, 404, 403, 403, 403), ("packet",), post=200),
    "offline_zip": Route((302, 200, 200, 404, 404, 403, 403, 403), ("packet",)),
    "showing": Route(RATERS_OWN, ("token",)),
    "showing_events": Route(
        (302, 403, 405, 405, 405, 403, 403, 403),
        ("token",),
        posts=(302, 403, 400, 404, 404, 403, 403, 403),
    ),
    "rendition": Route(RATERS_OWN, ("left_token",)),
    "frame": Route((302, 403, 404, 404, 404, 403, 403, 403), ("left_token",)),
    # rounds
    "rounds": Route(ADMINS),
    "round_new": Route(ADMINS, post=200),
    "round": Route(ADMINS, ("open_round",)),
    "round_settings": Route(ADMINS, ("draft",), post=200),
    "round_pairs": Route(ADMINS, ("draft",), post=302),
    "round_items": Route(ADMINS, ("draft_of_items",), post=302),
    "round_practice": Route(ADMINS, ("draft",), post=302),
    "practice_pair": Route(ADMINS, ("draft", "practice"), post=200),
    "practice_preview": Route(ADMINS, ("draft", "practice"), post=200),
    "practice_item": Route(ADMINS, ("draft", "practice", "letter")),
    "round_raters": Route(ADMINS, ("draft",), post=302),
    "round_preview": Route(ADMINS, ("draft",), post=302),
    "round_close": Route(ADMINS, ("open_round",), post=302),
    "round_reopen": Route(ADMINS, ("closed_round",), post=200),
    "round_monitor": Route(ADMINS, ("open_round",)),
    "round_rater": Route(ADMINS, ("open_round", "rater")),
    "round_pass_on": Route(ADMINS, ("open_round", "rater"), post=200),
    "round_void": Route(ADMINS, ("open_round", "rater"), post=200),
    "round_top_up": Route(ADMINS, ("open_round",), post=200),
    "round_remind": Route(ADMINS_POST, ("open_round",), post=302),
    "round_reports": Route(ADMINS, ("open_round",)),
    "round_notes": Route(ADMINS, ("open_round",), post=302),
    "answer_void": Route(ADMINS, ("answer",), post=200),
    "report": Route(ADMINS, ("report",), post=200),
    "report_rendition": Route(ADMINS, ("report", "reported_side")),
    "showing_reports": Route(
        (302, 403, 405, 405, 405, 403, 403, 403),
        ("token",),
        posts=(302, 403, 400, 404, 404, 403, 403, 403),
    ),
    "round_offline": Route(ADMINS, ("open_round",)),
    "tables": Route(ADMINS),
    "tables_upload": Route(ADMINS, post=200),
    "table_preview": Route(ADMINS, ("preview_job",), post=302),
    "rubrics": Route(ADMINS),
    "rubric": Route(ADMINS, ("rubric",)),
    "rubric_new": Route(ADMINS, post=302),
    "rubric_import": Route(ADMINS, post=200),
    "rubric_edit": Route(ADMINS, ("loose_rubric",), post=302),
    "rubric_next": Route(ADMINS_POST, ("rubric",), post=302),
    "rubric_preview": Route(ADMINS, ("rubric",)),
    "rubric_export": Route(ADMINS, ("rubric",)),
    # gold
    "releases": Route(READERS),
    "release": Route(READERS, ("release",)),
    "release_file": Route(READERS, ("release", "file")),
    "release_zip": Route(READERS, ("release",)),
    "promote": Route(ADMINS, ("closed_round",), post=200),
    "round_report": Route(ADMINS, ("closed_round",)),
    "gold_access": Route(ADMINS),
    # evaluation
    "submissions": Route(READERS),
    "submission": Route(READERS_OWN, ("submission",)),
    "submission_metrics": Route(READERS_OWN, ("submission",)),
    "submit": Route(READERS, ("release",), post=200),
    "api_releases": Route(API_READERS),
    "api_submit": Route(
        (403, 405, 403, 403, 403, 405, 405, 403), ("release",), posts=(403, 400, 403, 403, 403, 400, 400, 403)
    ),
    "api_submissions": Route(API_READERS),
    "api_submission": Route(API_READERS_OWN, ("submission",)),
}


@pytest.fixture
def private_files(settings, tmp_path):
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "files"), "base_url": None},
        }
    }


@pytest.fixture
def users():
    """An account for each person but nobody."""
    people = {
        "admin": make_user(Role.ADMIN),
        "expert": make_rater("human_expert_01").user,
        "other_expert": make_rater("human_expert_02").user,
        "reviewer": make_rater("reviewer_01", role=Role.REVIEWER).user,
        "researcher": make_user(Role.RESEARCHER),
        "other_researcher": make_user(Role.RESEARCHER),
        "without_role": make_user(Role.EXPERT, username="without_role"),
    }
    RoleGrant.objects.filter(user__username="without_role").delete()
    return {person: User.objects.get(pk=user.pk) for person, user in people.items()}


def practised(draft):
    """A practice pair of the draft, of two pictures, with its explanation."""
    added = practice.add(draft, make_pair(items=(make_item(image=webp()), make_item(image=webp()))).pk)
    assert added is not None
    practice.explain(added, better="a", explanation="It is clearer.")
    return added


@pytest.fixture
def known(users, finish_jobs):
    """What routes take as arguments: objects of the expert and of the researcher."""
    picture = make_pair(items=(make_item(image=webp()), make_item(image=webp())))
    rater, other = users["expert"].rater, users["other_expert"].rater
    open_round_ = make_round([picture], [rater], slug="open")
    practised(open_round_)
    open_round(open_round_, actor="test")
    PracticeShowing.objects.update(done_at=timezone.now())
    opened_round([picture], [other], slug="of-the-other")
    closed = judged_round("closed", votes=("aaa", "bbb"))
    release = promote([closed], title="First", actor="test", enqueue=False)
    build_and_publish(release, actor="test", progress=silent())
    submission = submit(
        release=release,
        owner=users["researcher"],
        model_label="model",
        split="test",
        upload=SimpleUploadedFile("preds.csv", b"pair_id,pred_preferred_id\nclosed-p1,closed-p1-a\n"),
    )
    finish_jobs()
    [showing] = showings_of(Packet.objects.get(round=open_round_))
    invitation, used_token = invite(roles=["expert"], by=users["admin"])
    withdraw(invitation, by=users["admin"])
    draft = make_round([picture], [rater], slug="draft")
    added = practised(draft)
    checked = {"summary": None, "errors": ["bench_items.csv:2: …"], "n_errors": 1}
    return {
        "person": users["other_researcher"].pk,
        "person_code": urlsafe_base64_encode(force_bytes(users["other_researcher"].pk)),
        "used_token": used_token,
        "invitation": invitation.pk,
        "packet": showing.packet_id,
        "token": showing.token,
        "left_token": showing.left_token,
        "draft": draft.pk,
        "practice": added.pk,
        "letter": "a",
        "open_round": open_round_.pk,
        "closed_round": judged_round("judged", votes=("aaa",)).pk,
        "rater": rater.pk,
        "answer": vote(showings_of(Packet.objects.get(round__slug="of-the-other"))[0]).pk,
        "report": report(showing, event_id=uuid.uuid4(), reason="broken", note="")[0].pk,
        "reported_side": "left",
        "rubric": "rubric_v1",
        "loose_rubric": make_rubric("rubric_v2").rubric_id,
        "draft_of_items": make_round([], [], slug="scores", task="absolute").pk,
        "release": release.number,
        "file": "bench_gold.csv",
        "submission": submission.pk,
        "score_job": submission.job_id,
        "preview_job": Job.objects.create(
            kind="preview_tables", state="succeeded", params={"name": "t.zip"}, result=checked
        ).pk,
    }


@pytest.fixture
def statuses(users, known):
    """statuses(method) → {(route, person): status}. What a request changes is taken back after it."""
    sessions = {person: client_of(user).cookies for person, user in users.items()}

    def ask(method: str, address: str, person: str) -> int:
        browser = Client()
        if person != "nobody":
            browser.cookies = SimpleCookie(sessions[person].output(header="", sep=";"))
        with transaction.atomic():
            sent = {"data": {"sent": "something"}} if method == "post" else {}
            response = getattr(browser, method)(address, **sent)
            if response.streaming:
                list(response.streaming_content)  # closes what it reads from
            transaction.set_rollback(True)
        status: int = response.status_code
        return status

    def ask_all(method: str) -> dict[tuple[str, str], int]:
        return {
            (name, person): ask(method, reverse(name, args=[known[arg] for arg in route.args]), person)
            for name, route in ROUTES.items()
            for person in PEOPLE
        }

    return ask_all


def names_of(found):
    for pattern in found:
        if isinstance(pattern, URLPattern):
            yield pattern.name
        else:
            yield from names_of(pattern.url_patterns)


def test_every_route_is_listed():
    assert sorted(names_of(get_resolver().url_patterns)) == sorted(ROUTES)


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_every_person_gets_the_status_listed(statuses, method):
    wrong = {
        key: (status, ROUTES[key[0]].expected(method, key[1]))
        for key, status in statuses(method).items()
        if status != ROUTES[key[0]].expected(method, key[1])
    }
    assert wrong == {}, "(got, expected)"


def test_head_answers_as_get_does(statuses):
    wrong = {
        key: (status, ROUTES[key[0]].expected("get", key[1]))
        for key, status in statuses("head").items()
        if status != ROUTES[key[0]].expected("get", key[1])
    }
    assert wrong == {}, "(got, expected)"


def test_options_reveals_no_more_than_get(statuses):
    """Where GET is refused, OPTIONS is refused too."""
    for (name, person), status in statuses("options").items():
        by_get = ROUTES[name].expected("get", person)
        if by_get in {302, 403}:
            assert status == by_get, (name, person)
        assert status < 500, (name, person)
