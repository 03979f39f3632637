"""Every byte a rater receives: nothing in it tells where an item comes from or what others answered.

A round is imported whose items, pairs, files and people carry marker words in everything that must stay
behind. A rater then opens every address there is, and each answer is searched, headers and pictures too.
"""

import io
import json
import re
import uuid
import zipfile
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from labeling import append_only
from labeling.importing.folder import read_folder
from labeling.importing.staging import import_folder
from labeling.models import (
    DataOrigin,
    ItemRendition,
    JudgmentEvent,
    License,
    Packet,
    Pair,
    PracticePair,
    Role,
    Round,
    ShowingReport,
)
from labeling.packets import open_round
from labeling.rounds import add_pairs, close_round, set_raters
from tests.factories import client_of, make_rater, make_rubric, make_user, showings_of, silent, vote

pytestmark = pytest.mark.django_db

CANARY = re.compile(
    rb"(?<!Atlantic/)canary|0\.8765|81918191|4318\.19|public_reference|ambiguous|misleading|\btrain\b", re.I
)
"""The marker of all free text, and the words of what can only be chosen from a list."""

PARTS_OF_A_PAGE = re.compile(r"""\s(?:href|src|action)=["']([^"']*)["']""")
CHANGES_WITH_EACH_ANSWER = re.compile(
    rb'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<=name="event_id" value=")[-0-9a-f]+'
    rb'|(?<="csrf_token": ")\w+|(?m:^(Set-Cookie: csrftoken|Expires).*$)'
    rb'|"log": \[[^]]*\]|(?m:^Content-Length: .*$)'  # reading one's own data is itself noted in the log
)


def png(path):
    info = PngInfo()
    info.add_text("Software", "canary png text")
    info.add_itxt("Title", "canary png title")
    Image.new("RGB", (40, 30), (10, 90, 160)).save(path, pnginfo=info)


def jpeg(path):
    exif = Image.Exif()
    exif[0x0131] = "canary software"
    exif[0x010E] = "canary description"
    exif.get_ifd(0x8825)[0x1D] = "canary gps"
    Image.new("RGB", (40, 30), (160, 90, 10)).save(path, "JPEG", exif=exif, comment="canary jpeg comment")


def svg(path):
    Path(path).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" id="canary-id" width="40" height="30"><!-- canary -->'
        "<title>canary title</title><metadata>canary metadata</metadata>"
        '<rect class="canary" width="20" height="30" fill="#246"/></svg>'
    )


def html(path):
    Path(path).write_text(
        '<html><head><meta name="generator" content="canary generator"><title>canary title</title>'
        "<style>.canary { color: red }</style></head><body><!-- canary comment -->"
        '<p class="canary" id="canary-p" data-from="canary">A line of prose.</p>'
        "<script>canary()</script></body></html>"
    )


@pytest.fixture
def folder(tmp_path):
    """PNG and JPEG, SVG and JPEG, HTML and text, text and Markdown; PNG and HTML to practise on."""
    assets = tmp_path / "canary_assets"
    assets.mkdir()
    png(assets / "canary_a.png")
    jpeg(assets / "canary_b.jpg")
    svg(assets / "canary_c.svg")
    jpeg(assets / "canary_d.png")  # under a false name
    html(assets / "canary_e.html")
    (assets / "canary_h.md").write_text("A *line* of [prose](https://canary.example 'canary').\n")
    png(assets / "canary_i.png")
    html(assets / "canary_j.html")
    references = [
        *(f"canary_assets/canary_{name}" for name in ("a.png", "b.jpg", "c.svg", "d.png", "e.html")),
        "text:Plain prose.",
        "text:Other prose.",
        "canary_assets/canary_h.md",
        "canary_assets/canary_i.png",
        "canary_assets/canary_j.html",
    ]
    items = ["item_id,domain,uri_or_payload_ref,era_tag,circle_tags,license,data_origin"]
    for letter, reference in zip("abcdefghij", references, strict=True):
        items.append(
            f"canary_{letter},visual,{reference},canary era,canary one;canary two,LicenseRef-canary,"
            "canary_origin"
        )
    pairs = [
        "pair_id,domain,item_a,item_b,condition_era,pair_group_id,cue_type,difficulty,split,agreement,"
        "n_raters,data_origin,brief"
    ]
    for number, (a, b) in enumerate(zip("acegi", "bdfhj", strict=True)):
        cue = ("misleading", "correct", "null", "", "")[number]
        pairs.append(
            f"canary_pair_{number},visual,canary_{a},canary_{b},the seventies,canary_family_{number},{cue},"
            "ambiguous,train,0.8765,81918191,canary_origin,A brief to read."
        )
    (tmp_path / "bench_items.csv").write_text("\n".join(items) + "\n")
    (tmp_path / "bench_pairs.csv").write_text("\n".join(pairs) + "\n")
    return tmp_path


def make_packet(folder, *, practice=False):
    """The packet of the second rater; the first has answered everything, with notes, and reported a pair."""
    DataOrigin.objects.create(code="canary_origin")
    License.objects.create(spdx="LicenseRef-canary")
    import_folder(read_folder(folder), name="canary import", progress=silent())
    first = make_rater(
        "canary_expert", username="canary_user", full_name="canary name", email="canary@example.org"
    )
    second = make_rater("human_expert_02", username="demo_rater")
    round_ = Round.objects.create(
        slug="canary-round",
        name="Spring round",
        rubric=make_rubric(),
        gold_tier="public_reference",
        raters_per_pair=2,
        seed=81918191,
        cost_per_hour="4318.19",
    )
    practised = Pair.objects.get(pair_id="canary_pair_4")
    add_pairs(round_, Pair.objects.exclude(pk=practised.pk).values_list("pk", flat=True))
    set_raters(round_, [first, second])
    if practice:
        PracticePair.objects.create(
            round=round_, position=1, pair=practised, better=practised.item_a, explanation="It is calmer."
        )
    open_round(round_, actor="canary actor")
    for showing in showings_of(Packet.objects.get(rater=first)):
        vote(showing, "right", note="canary note", layout="stacked")
    ShowingReport.objects.create(
        showing=showing, event_id=uuid.uuid4(), reason="broken", note="canary report"
    )
    return Packet.objects.get(rater=second)


@pytest.fixture
def packet(folder):
    return make_packet(folder)


@pytest.fixture
def practising(folder):
    """The packet of a rater who has a pair to practise on first."""
    return make_packet(folder, practice=True)


def every_byte(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if body and response.headers.get("Content-Type") == "application/zip":
        body += unpacked(body)
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    return headers.encode() + b"\n" + response.cookies.output().encode() + b"\n\n" + body


def unpacked(body):
    """The names and the content of all files in a zip."""
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        return b"".join(f"\n\n{name}\n".encode() + opened.read(name) for name in opened.namelist())


def is_ours(address):
    return not urlsplit(address).netloc and not address.startswith(("/static/", "#", "data:", "mailto:"))


def crawl(browser, starts):
    """Open `starts` and all that their pages name, and so on: {address: every byte received}."""
    seen, waiting = {}, list(starts)
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        response = browser.get(address)
        seen[address] = every_byte(response)
        named = [response.headers["Location"]] if "Location" in response.headers else []
        if response.headers.get("Content-Type", "").startswith("text/html"):
            named += PARTS_OF_A_PAGE.findall(response.content.decode())
        elif response.headers.get("Content-Type") == "application/json":
            named += re.findall(r'"(/[^"]*/)"', response.content.decode())
        waiting += [urljoin(address, name).split("#")[0] for name in named if name and is_ours(name)]
    return seen


def patterns(found):
    for pattern in found:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from patterns(pattern.url_patterns)


def every_address(known):
    """Each route of the product but signing out, with the arguments of `known`."""
    return [
        reverse(pattern.name, kwargs={name: known[name] for name in pattern.pattern.converters})
        for pattern in patterns(get_resolver().url_patterns)
        if pattern.name != "logout"
    ]


def known_arguments(packet, showing):
    """An argument for every route: where it is not the rater's own, that of what must stay unseen."""
    report = ShowingReport.objects.get()
    practice = PracticePair.objects.first()
    return {
        "pk": packet.round_id,
        "packet_pk": packet.pk,
        "job_pk": 1,
        "number": 1,
        "token": showing.token,
        "path": "bench_gold.csv",
        "rubric_id": packet.round.rubric.rubric_id,
        "uidb64": "MQ",
        "rater_pk": report.showing.packet.rater_id,
        "report_pk": report.pk,
        "event_id": JudgmentEvent.objects.filter(rater=report.showing.packet.rater)[0].pk,
        "practice_pk": practice.pk if practice else 1,
        "side": "left",
    }


def starts(packet):
    """All addresses, with the rater's own showings and with those of the rater who must stay unseen."""
    addresses = []
    for owner in Packet.objects.filter(round=packet.round):
        for showing in showings_of(owner):
            addresses += every_address(known_arguments(owner, showing))
            addresses += addresses_of_sides(showing)
            addresses.append(f"{reverse('rate', args=[owner.pk])}?showing={showing.token}")
        for showing in owner.practice_showings.all():
            addresses += addresses_of_sides(showing)
    return addresses


def addresses_of_sides(showing):
    tokens = (showing.left_token, showing.right_token)
    return [reverse(name, args=[token]) for name in ("rendition", "frame") for token in tokens]


def assert_blind(received):
    for address, data in received.items():
        found = CANARY.search(data)
        assert found is None, f"{address} holds {data[max(0, found.start() - 80) : found.end() + 80]!r}"


def test_the_originals_and_the_admins_page_do_hold_the_markers(folder, packet):
    """Else the tests below would show nothing."""
    for path in (folder / "canary_assets").iterdir():
        assert CANARY.search(path.read_bytes()), path
    page = client_of(make_user(Role.ADMIN)).get(reverse("round", args=[packet.round_id]))
    assert CANARY.search(page.content)


def test_no_address_gives_a_rater_a_marker(packet):
    received = crawl(client_of(packet.rater), ["/", *starts(packet)])
    pages = [address for address in received if address.startswith(f"/packets/{packet.pk}/rate/")]
    pictures = [data for address, data in received.items() if b"image/webp" in data]
    assert len(pages) == 5  # the next pair, and each of the four by its token
    assert len(pictures) == 4
    assert_blind(received)


def test_the_offline_packet_holds_all_that_is_shown_and_no_marker(packet):
    address = reverse("offline_zip", args=[packet.pk])
    received = crawl(client_of(packet.rater), [address])
    body = received[address]
    assert body.count(b"\n\npages/") == 4
    assert body.count(b"\n\npictures/") == 4
    assert b"A line of prose." in body
    assert_blind(received)


def test_practice_gives_no_marker_before_and_after_the_choice(practising):
    browser = client_of(practising.rater)
    received = crawl(browser, ["/", *starts(practising)])
    address = reverse("practice", args=[practising.pk])
    assert b"It is calmer." not in b"".join(received.values())
    received["choice"] = every_byte(browser.post(address, {"choice": "left"}))
    assert b"It is calmer." in received["choice"]
    assert_blind(received)


def test_no_answer_to_a_report_gives_a_marker(packet):
    browser = client_of(packet.rater)
    received = {}
    [other] = Packet.objects.exclude(pk=packet.pk)
    for showing in (showings_of(packet)[0], showings_of(other)[0]):
        for sent in ({"event_id": str(uuid.uuid4()), "reason": "broken", "note": "mine"}, {}):
            response = browser.post(
                reverse("showing_reports", args=[showing.token]),
                json.dumps(sent),
                content_type="application/json",
            )
            received[f"{showing} {response.status_code}"] = every_byte(response)
    assert {key.rsplit(" ", 1)[1] for key in received} == {"201", "400", "404"}
    assert_blind(received)


def test_no_answer_to_an_event_gives_a_marker(packet):
    browser = client_of(packet.rater)
    received: dict[str, bytes] = {}
    statuses = set()

    def send(showing, answer):
        address = reverse("showing_events", args=[showing.token])
        response = browser.post(address, json.dumps(answer), content_type="application/json")
        statuses.add(response.status_code)
        received[f"{address} {response.status_code} {len(received)}"] = every_byte(response)

    for showing in showings_of(packet):
        first = str(uuid.uuid4())
        send(showing, {"event_id": first, "kind": "vote", "choice": "left", "note": "mine"})
        send(showing, {"event_id": str(uuid.uuid4()), "kind": "vote", "choice": "right"})  # out of order
        send(showing, {"event_id": str(uuid.uuid4()), "kind": "abstain", "replaces": first})
        send(showing, {"event_id": "?"})
    send(showings_of(Packet.objects.exclude(pk=packet.pk).get())[0], {})
    received |= crawl(browser, starts(packet))
    assert_blind(received)
    assert statuses == {201, 400, 404, 409}


def test_no_address_of_a_closed_round_gives_a_marker(packet):
    close_round(packet.round, actor="canary actor", reason="canary reason")
    assert_blind(crawl(client_of(packet.rater), ["/", *starts(packet)]))


def test_wrong_methods_and_the_signed_out_get_no_marker(packet):
    rater, nobody = client_of(packet.rater), Client()
    received = {}
    for address in set(starts(packet)):
        for browser in (rater, nobody):
            for method in ("get", "post", "put", "delete", "patch", "head", "options"):
                if address in {reverse("login"), reverse("logout")} and method == "post":
                    continue
                response = getattr(browser, method)(address)
                received[f"{method} {address} {browser is rater}"] = every_byte(response)
    assert_blind(received)
    assert not JudgmentEvent.objects.filter(rater=packet.rater).exists()


def test_pictures_are_all_webp_without_metadata_or_telling_headers(packet):
    browser = client_of(packet.rater)
    seen = 0
    for showing in showings_of(packet):
        for token in (showing.left_token, showing.right_token):
            response = browser.get(reverse("rendition", args=[token]))
            if response.status_code == 404:
                continue  # a text
            picture = Image.open(io.BytesIO(response.content))
            assert picture.format == "WEBP"
            assert not {"exif", "xmp", "comment", "Software", "Title"} & set(picture.info)
            assert not picture.getexif()
            assert set(response.headers) == {
                "Cache-Control",
                "Content-Language",
                "Content-Length",
                "Content-Security-Policy",
                "Content-Type",
                "Cross-Origin-Opener-Policy",
                "Cross-Origin-Resource-Policy",
                "Referrer-Policy",
                "Vary",
                "X-Content-Type-Options",
                "X-Frame-Options",
            }
            assert response.headers["Content-Type"] == "image/webp"
            seen += 1
    assert seen == 4


def test_renditions_are_stored_under_names_that_tell_nothing(packet):
    for rendition in ItemRendition.objects.all():
        assert not CANARY.search(str(rendition.file).encode())
        assert not CANARY.search(rendition.text.encode())


def normalised(received):
    return {
        address: CHANGES_WITH_EACH_ANSWER.sub(b"", without_cookies(data))
        for address, data in received.items()
    }


def without_cookies(data):
    return re.sub(rb"(?m)^Set-Cookie: csrftoken=[^\n]*", b"", data)


def test_exchanging_item_a_and_item_b_changes_no_byte_a_rater_receives(practising):
    browser = client_of(practising.rater)
    first, second, third, _fourth = showings_of(practising)
    vote(first, "left", note="mine")
    vote(second, "right")
    vote(third, "right")
    before = crawl(browser, ["/", *starts(practising)])
    # The database refuses the exchange; only so can it be tried.
    append_only.remove(connection, append_only.LABELING_GUARDS)
    Pair.objects.update(item_a=F("item_b"), item_b=F("item_a"))
    after = crawl(browser, ["/", *starts(practising)])
    assert b"\n\npages/" in before[reverse("offline_zip", args=[practising.pk])]
    assert normalised(after) == normalised(before)
