"""The rating screen: from key press to the next pair, the server's part of it, and what the page weighs.

    python -m benchmarks.rating_latency [--pairs 1000 100000] [--answers 60]

Needs requirements/dev.txt (Chromium by `make browser`). Prints figures; it passes or fails nothing.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

PER_PACKET = 200
BATCH = 5000
WATCH = """
  let pressed = null;
  window.times = [];
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => {
      if (pressed === null) return;
      const since = pressed;
      pressed = null;
      requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - since)));
    }).observe(document.querySelector('[data-side="left"] .panel__item'), { childList: true });
  });
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--answers", type=int, default=60)
    options = parser.parse_args()
    for n_pairs in options.pairs:
        with tempfile.TemporaryDirectory() as folder:
            # Each database in a process of its own: Django is set up once a process.
            environment = os.environ | {"TB_VAR_DIR": folder, "TB_LOG_LEVEL": "ERROR"}
            code = f"from benchmarks.rating_latency import one; one({n_pairs}, {options.answers})"
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def one(n_pairs: int, n_answers: int) -> None:
    """Measure with `n_pairs` pairs in a fresh SQLite database under TB_VAR_DIR."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tastebench_site.settings"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's event loop lives in this thread
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    packets = fill(n_pairs)
    print(f"{n_pairs:,} pairs, as many showings and answers of others; packets of {PER_PACKET}")
    server_time(packets[0], n_answers)
    screen_time(packets[1], n_answers)


def fill(n_pairs: int) -> list[Any]:
    """Packets of PER_PACKET pairs over all pairs, each answered but the first two."""
    from django.utils import timezone

    from labeling import models as m

    user = m.User.objects.create_user("rater", "a password of the benchmark", roles=(m.Role.EXPERT,))
    m.Consent.objects.create(user=user, text=m.ConsentText.objects.latest("version"))
    source = m.TableImport.objects.create(name="bench", state=m.TableImport.State.PUBLISHED)
    rubric = m.Rubric.objects.create(rubric_id="r", title="Craft", question="Which is better?", anchors=[])
    origin, license = m.DataOrigin.objects.get(code="simulation"), m.License.objects.first()
    common = {"data_origin": origin, "table_import": source, "domain": "book"}
    items = [
        m.Item(item_id=f"i{n}", payload_ref="text:x", license=license, **common) for n in range(2 * n_pairs)
    ]
    m.Item.objects.bulk_create(items, batch_size=BATCH)
    texts = [m.ItemRendition(item=item, kind="text", text=f"Item {item.pk}.", n_bytes=9) for item in items]
    m.ItemRendition.objects.bulk_create(texts, batch_size=BATCH)
    pairs = [
        m.Pair(
            pair_id=f"p{n}", item_a=items[2 * n], item_b=items[2 * n + 1], difficulty="easy", split="test",
            **common,
        )
        for n in range(n_pairs)
    ]  # fmt: skip
    m.Pair.objects.bulk_create(pairs, batch_size=BATCH)
    packets, showings = [], []
    for start in range(0, n_pairs, PER_PACKET):
        number = start // PER_PACKET
        # One round a packet: the rater of the benchmark may have one packet a round.
        round_ = m.Round.objects.create(
            slug=f"round-{number}",
            name="Bench",
            rubric=rubric,
            gold_tier="simulation",
            raters_per_pair=1,
            seed=1,
        )
        rater = m.Rater.objects.create(pseudonym=f"human_expert_{number}", user=user if number == 0 else None)
        rater = m.Rater.objects.get(user=user) if number == 1 else rater
        packets.append(m.Packet.objects.create(round=round_, rater=rater))
        showings += [
            m.Showing(
                packet=packets[-1], position=at, pair=pair, left_item=pair.item_a, right_item=pair.item_b
            )
            for at, pair in enumerate(pairs[start : start + PER_PACKET], start=1)
        ]
    m.Showing.objects.bulk_create(showings, batch_size=BATCH)
    m.Round.objects.update(state=m.RoundState.OPEN)
    answered = [
        m.JudgmentEvent(
            event_id=uuid.uuid4(), round_id=s.packet.round_id, rater_id=s.packet.rater_id, pair=s.pair,
            showing=s, kind="vote", preferred=s.left_item, shown_left=s.left_item, channel="browser",
            judged_at=timezone.now(),
        )
        for s in showings[2 * PER_PACKET :]
    ]  # fmt: skip
    m.JudgmentEvent.objects.bulk_create(answered, batch_size=BATCH)
    return packets[:2]


def server_time(packet: Any, n_answers: int) -> None:
    """POST an answer, get the next showings: time inside the server's process, and queries."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    browser = Client(SERVER_NAME="localhost")
    browser.force_login(packet.rater.user)
    times, cpu = [], []
    for showing in packet.showings.order_by("position")[: n_answers + 5]:
        event = {"event_id": str(uuid.uuid4()), "kind": "vote", "choice": "left"}
        start, worked = time.perf_counter(), time.process_time()
        response = browser.post(f"/showings/{showing.token}/events/", event, content_type="application/json")
        times.append(time.perf_counter() - start)
        cpu.append(time.process_time() - worked)
        assert response.status_code == 201, response.content
    last = packet.showings.get(position=PER_PACKET)
    with CaptureQueriesContext(connection) as queries:
        event = {"event_id": str(uuid.uuid4()), "kind": "vote", "choice": "left"}
        browser.post(f"/showings/{last.token}/events/", event, content_type="application/json")
    wall, worked = median(times[5:]) * 1000, median(cpu[5:]) * 1000
    print(
        f"server, answer + next       {wall:6.1f} ms, {worked:.1f} ms CPU (medians), {len(queries)} queries"
    )


def screen_time(packet: Any, n_answers: int) -> None:
    """Keys pressed in Chromium on a real server: time until the next pair is painted; weight of the page."""
    from playwright.sync_api import sync_playwright

    from tests import chromium

    with web_server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page(base_url=address)
        page.goto(f"/sign-in/?next=/packets/{packet.pk}/rate/")
        page.get_by_label("Sign-in name").fill("rater")
        page.get_by_label("Password").fill("a password of the benchmark")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector("#stage[data-accepting]")
        fresh = browser.new_context(base_url=address, storage_state=page.context.storage_state()).new_page()
        weigh(fresh, f"/packets/{packet.pk}/rate/")
        page.add_init_script(WATCH)
        page.reload()
        for _ in range(n_answers):
            page.wait_for_selector("#stage[data-accepting]")
            before = page.locator('[data-side="left"] .item').inner_text()
            page.keyboard.press("1")
            page.locator('[data-side="left"] .item').filter(has_not_text=before).wait_for()
        times = page.evaluate("window.times")
        browser.close()
    print(f"key press to next pair      {median(times):6.1f} ms (median of {len(times)})")


def weigh(page: Any, path: str) -> None:
    """What a first visit transfers, items apart: bodies as compressed on the way, without headers."""
    sent: Counter[str] = Counter()  # adds up
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    urls: dict[str, str] = {}
    devtools.on("Network.requestWillBeSent", lambda e: urls.update({e["requestId"]: e["request"]["url"]}))
    devtools.on("Network.dataReceived", lambda e: sent.update({e["requestId"]: e["encodedDataLength"]}))
    response = page.goto(path)
    page.wait_for_load_state("networkidle")
    files = sum(n for key, n in sent.items() if "/static/" in urls.get(key, ""))
    html = len(gzip.compress(response.body()))
    parts = f"files {files / 1000:.1f}, HTML {html / 1000:.1f} gzipped"
    print(f"weight of the page          {(files + html) / 1000:6.1f} kB: {parts}")


@contextmanager
def web_server() -> Iterator[str]:
    """The web server of `make run` on a free port."""
    from tastebench_site.serve import HOST, listen, web_command

    with listen(None) as listener:
        port = listener.getsockname()[1]
        server = subprocess.Popen(
            web_command(f"fd://{listener.fileno()}"), pass_fds=[listener.fileno()], start_new_session=True
        )
    try:
        yield f"http://{HOST}:{port}"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
