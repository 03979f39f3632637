"""A picture inside a formatted item is shown, under the policy that forbids everything from elsewhere."""

import base64
import io

import pytest
from PIL import Image
from playwright.sync_api import expect

from labeling.models import ItemRendition
from labeling.renditions import render
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_picture_inside_a_formatted_item_is_on_the_screen(page, live_server):
    drawn = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(drawn, "PNG")
    source = base64.b64encode(drawn.getvalue()).decode()
    rendition = render(
        f'<p>A poster</p><img src="data:image/png;base64,{source}">'.encode(), filename="a.html"
    )
    rater, pair = factories.make_rater(), factories.make_pair()
    ItemRendition.objects.update(kind="html", text=rendition.body.decode())
    packet = factories.opened_round([pair], [rater]).packets.get()
    session = factories.client_of(rater).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.goto(f"/packets/{packet.pk}/rate/")
    page.wait_for_selector("#stage[data-accepting]")
    for frame in page.locator(".panel__item iframe").all():
        picture = frame.content_frame.locator("img")
        expect(picture).to_be_visible()
        assert picture.evaluate("(image) => image.naturalWidth") == 40
