"""A packet's zip, unpacked on a disk and opened without the server."""

import io
import zipfile

import pytest
from playwright.sync_api import Browser

from labeling.offline.packet_zip import write_packet
from tests.factories import make_item, make_pair, opened_packet, showings_of, webp

pytestmark = pytest.mark.browser


def test_the_pages_work_from_a_disk_and_ask_no_network(browser: Browser, transactional_db, tmp_path):
    pictures = make_pair(items=(make_item(image=webp()), make_item(image=webp((10, 200, 90)))))
    packet = opened_packet([pictures])
    [showing] = showings_of(packet)
    target = io.BytesIO()
    write_packet(target, packet)
    with zipfile.ZipFile(target) as opened:
        opened.extractall(tmp_path)
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("link", name=showing.token).click()
    widths = page.locator("figure img").evaluate_all("pictures => pictures.map(one => one.naturalWidth)")
    left, right = (figure.bounding_box() for figure in page.locator("figure").all())
    page.close()
    assert widths == [8, 8]
    assert left is not None
    assert right is not None
    assert left["width"] == right["width"]
    assert left["x"] < right["x"]
    assert all(address.startswith("file:") for address in asked)
    assert said == []  # nothing that the page's own policy refuses
