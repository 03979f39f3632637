"""The whole way in a browser: experts rate, an admin closes and promotes, a researcher scores a model."""

import json
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from labeling.models import JudgmentEvent, Packet, Rater, Showing
from labeling.packet_state import next_showing
from labeling.tables import (
    BENCH_GOLD,
    BENCH_PAIRS,
    JUDGMENT_EVENTS,
    JUDGMENTS,
    PREDS,
    Table,
    read_table,
    write_table,
)
from tastebench_site.cli import main
from tests.factories import client_of
from tests.polling import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.jobs,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("loaded_demo", "worker"),
]

KEYS = {"left": "ArrowLeft", "right": "2"}
NOTE = "The margin of the one on the right holds it together."


def test_experts_rate_an_admin_promotes_a_researcher_scores(window_of, tmp_path):
    first = rate_with_keys(window_of("demo-expert-1"))
    second = rate_over_the_protocol("demo-expert-2", lambda _: "left")
    third = rate_over_the_protocol("demo-expert-3", lambda position: "" if position == 4 else "right")
    folder, digest = close_promote_and_download(window_of("demo-admin"), tmp_path)

    assert judged(folder) == {**first, **second, **third}
    assert kinds_of(folder, "human_expert_01") == 12 * ["vote"] + ["skip", "undo"]
    assert JudgmentEvent.objects.filter(note=NOTE, kind="vote").count() == 1
    assert NOTE not in "".join(path.read_text("utf-8") for path in folder.glob("*.csv"))
    assert "All files and labels agree" in tb("verify", folder, "--digest", digest)

    # 10 pairs with two or three votes each: one was not judged by the third expert.
    gold = {row["pair_id"]: row["preferred_id"] for row in rows(folder, BENCH_GOLD)}
    assert len(gold) == 9
    score_on_page_and_api(window_of("demo-researcher"), folder, gold)


# --- experts ----------------------------------------------------------------------------------------


def rate_with_keys(page: Page) -> dict[tuple[str, str], str]:
    """Rate the whole packet of ten; what must be exported: (rater, pair) → preferred item."""
    page.get_by_role("link", name="Begin").click()
    practise(page)
    choices = {}
    for position, side in ((1, "left"), (2, "right")):
        choices[position] = side
        press(page, KEYS[side], done=position)
    skip(page)  # the third
    press(page, KEYS["left"], done=3)  # the fourth, taken back at once
    press(page, "u", done=2)
    page.keyboard.press("n")
    page.keyboard.type(NOTE)
    page.keyboard.press("Escape")
    choices[4] = "right"
    press(page, KEYS["right"], done=3)
    page.reload()
    for position in range(5, 11):
        expect(page.locator("[data-progress-label]")).to_have_text(f"{position - 2} of 10")
        choices[position] = "left" if position % 2 else "right"
        press(page, KEYS[choices[position]], done=position - 1)
    # The skipped one has come back, and is the last.
    expect(page.locator("#skip-button")).to_have_text("Cannot judge…", use_inner_text=True)
    choices[3] = "left"
    page.keyboard.press(KEYS["left"])
    expect(page.get_by_role("heading", level=1)).to_have_text("All answered")
    choices[1] = "right"
    change_through_my_answers(page, position=1, key=KEYS["right"])
    return preferred("demo-expert-1", choices)


def practise(page: Page) -> None:
    """One pair comes first, with keys as on the rating screen; what is better is said after the choice."""
    expect(page.get_by_text("Practice 1 of 1")).to_be_visible()
    expect(page.get_by_text("One idea carries the better one")).to_have_count(0)
    page.wait_for_selector("body[data-takes-keys]")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("One idea carries the better one")).to_be_visible()
    page.keyboard.press("Enter")


def press(page: Page, key: str, done: int) -> None:
    """Press a key when the pair can be judged, and wait until the server has counted `done` answers."""
    page.wait_for_selector("#stage[data-accepting]")
    page.keyboard.press(key)
    expect(page.locator("[data-progress-label]")).to_have_text(f"{done} of 10")
    page.wait_for_selector("#stage[data-accepting]")


def skip(page: Page) -> None:
    page.wait_for_selector("#stage[data-accepting]")
    page.keyboard.press("s")
    dialog = page.get_by_role("dialog", name="Skip this pair")
    dialog.get_by_label("I recognise one of them").check()
    dialog.get_by_role("button", name="Skip").click()
    expect(page.locator("#save-state")).to_have_text("saved")
    page.wait_for_selector("#stage[data-accepting]")


def change_through_my_answers(page: Page, position: int, key: str) -> None:
    page.get_by_role("link", name="My answers").click()
    expect(page.get_by_role("row")).to_have_count(11)
    page.get_by_role("link", name=f"Look at or change {position}", exact=True).click()
    expect(page.locator('[data-side="left"] [data-mark]')).to_contain_text("your answer")
    page.wait_for_selector("#stage[data-accepting]")
    page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("All answered")


def rate_over_the_protocol(username: str, side_at: Any) -> dict[tuple[str, str], str]:
    """Answer a whole packet as the page's script does; "" skips, and cannot judge when it comes back."""
    packet = packet_of(username)
    client = client_of(packet.rater)
    choices = {}
    while showing := next_showing(packet):
        side = side_at(showing.position)
        asked = client.get(f"/showings/{showing.token}/").json()
        kind = "vote" if side else "abstain" if asked["returned"] else "skip"
        sent = {
            "event_id": str(uuid.uuid4()),
            "replaces": asked["current"] and asked["current"]["event_id"],
            "kind": kind,
            "choice": side,
            "reason": "" if side else "too_close",
        }
        url = f"/showings/{showing.token}/events/"
        assert client.post(url, json.dumps(sent), content_type="application/json").status_code == 201
        choices[showing.position] = side
    return preferred(username, choices)


def packet_of(username: str) -> Packet:
    return Packet.objects.get(rater=Rater.objects.get(user__username=username), round__slug="demo")


def preferred(username: str, choices: dict[int, str]) -> dict[tuple[str, str], str]:
    """What each choice of a side means: (rater, pair) → item, "" for cannot judge."""
    packet = packet_of(username)
    showings = Showing.objects.filter(packet=packet)
    assert {showing.position for showing in showings} == choices.keys()
    return {
        (packet.rater.pseudonym, pair_id): {"left": left, "right": right, "": ""}[choices[position]]
        for position, pair_id, left, right in showings.values_list(
            "position", "pair__pair_id", "left_item__item_id", "right_item__item_id"
        )
    }


# --- admin ------------------------------------------------------------------------------------------


def close_promote_and_download(page: Page, tmp_path: Path) -> tuple[Path, str]:
    """Close the demo round and promote it on the pages; the downloaded folder, and the digest shown."""
    page.get_by_role("link", name="Rounds", exact=True).click()
    page.get_by_role("link", name="Posters, logos, prose, interfaces").click()
    page.get_by_role("link", name="Close…").click()
    expect(page.get_by_text("Every answer is in.")).to_be_visible()
    page.get_by_role("button", name="Close the round").click()
    page.get_by_role("link", name="Promote…").click()
    expect(page.get_by_text("9 of 10 pairs are gold")).to_be_visible()
    page.get_by_label("Title").fill("What the demo's experts said")
    page.get_by_role("button", name="Promote", exact=True).click()
    page.get_by_role("link", name="Open the release").click(timeout=60_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Release 2: What the demo's experts said")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all files").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    digest = page.locator("dt", has_text="Digest").locator("+ dd").inner_text().split()[0]
    page.get_by_role("link", name="Gold access").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("downloaded all files")
    return tmp_path / "tastebench-release-2", digest


def rows(folder: Path, table: Table) -> list[dict[str, str]]:
    frame = read_table(folder / f"{table.name}.csv", table)
    texts = [frame.text(name) for name in table.names]
    return [dict(zip(table.names, cells, strict=True)) for cells in zip(*texts, strict=True)]


def judged(folder: Path) -> dict[tuple[str, str], str]:
    return {(row["rater_id"], row["pair_id"]): row["preferred_id"] for row in rows(folder, JUDGMENTS)}


def kinds_of(folder: Path, rater: str) -> list[str]:
    """Kinds of a rater's exported events, votes first: eleven pairs' worth, and the one changed."""
    kinds = [row["kind"] for row in rows(folder, JUDGMENT_EVENTS) if row["rater_id"] == rater]
    return sorted(kinds, key=["vote", "skip", "undo"].index)


def tb(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


# --- researcher -------------------------------------------------------------------------------------


def score_on_page_and_api(page: Page, folder: Path, gold: dict[str, str]) -> None:
    """A model that always names item_a, scored on the page, over the API, and on the downloaded files."""
    pairs = rows(folder, BENCH_PAIRS)
    right = sum(gold.get(pair["pair_id"]) == pair["item_a"] for pair in pairs)
    preds = folder.parent / "preds.csv"
    cells = ({"pair_id": pair["pair_id"], "pred_preferred_id": pair["item_a"]} for pair in pairs)
    write_table(preds, PREDS, cells, columns=["pair_id", "pred_preferred_id"])

    on_page = score_on_page(page, preds)
    assert (on_page["pairwise_acc"]["correct"], on_page["n_eval"]) == (right, 9)
    assert score_over_api(page, preds) == on_page

    out = folder.parent / "metrics.json"
    tables = [f"--{name}={folder / f'bench_{name}.csv'}" for name in ("pairs", "gold", "items")]
    said = ["--split=dev", "--release=2", "--declare=model=Always item A"]
    tb("score", preds, *tables, *said, f"--out={out}")
    assert json.loads(out.read_text()) == on_page


def score_on_page(page: Page, preds: Path) -> dict[str, Any]:
    page.get_by_role("link", name="Releases", exact=True).click()
    page.get_by_role("link", name="What the demo's experts said").click()
    page.get_by_role("link", name="Submit predictions").click()
    page.get_by_label("Model").fill("Always item A")
    page.get_by_label("Split").select_option("dev")
    page.get_by_label("Predictions").set_input_files(preds)
    page.get_by_role("button", name="Upload and score").click()
    # The worker may be done before the page is there: then it shows the score at once, without a link to it.
    finished = page.get_by_role("link", name="See the score").or_(
        page.get_by_role("link", name="Metrics JSON")
    )
    expect(finished).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_text("Simulated labels")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Metrics JSON").click()
    metrics: dict[str, Any] = json.loads(download.value.path().read_text())
    shown = page.locator(".figure", has_text="Accuracy").first
    expect(shown).to_contain_text(f"{metrics['pairwise_acc']['value']:.3f}")
    expect(shown).to_contain_text("n = 9")
    return metrics


def score_over_api(page: Page, preds: Path) -> dict[str, Any]:
    api = page.context.request
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "csrftoken")
    sent = api.post(
        "/api/v1/releases/2/submissions/",
        headers={"X-CSRFToken": token},
        multipart={
            "model_label": "Always item A",
            "split": "dev",
            "file": {"name": preds.name, "mimeType": "text/csv", "buffer": preds.read_bytes()},
        },
    )
    assert sent.status == 202
    address = f"/api/v1/submissions/{sent.json()['id']}/"
    eventually(lambda: api.get(address).json()["state"] == "succeeded")
    metrics: dict[str, Any] = api.get(address).json()["metrics"]
    return metrics
