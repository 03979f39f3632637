"""Real files of every kind: which are shown, at what size, and which are refused, and why.

`image_verdicts.csv` lists each file of the manifest. Sizes follow from the manifest's by turning upright
and by the 1600-pixel limit; where equal frames follow each other there can be fewer than in the original.
"""

import csv
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from labeling.renditions import CannotRender, render
from tests.shared_data import DATA, needs_data

IMAGES = DATA / "images"
TABLE = Path(__file__).with_name("image_verdicts.csv")
VERDICTS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


@needs_data
def test_the_table_covers_the_manifest():
    manifest = csv.DictReader((IMAGES / "MANIFEST.csv").read_text(encoding="utf-8").splitlines())
    assert [row["file"] for row in manifest] == [row["file"] for row in VERDICTS]


@needs_data
@pytest.mark.parametrize("expected", VERDICTS, ids=lambda row: row["file"])
def test_verdict(expected):
    path = IMAGES / expected["file"]
    try:
        rendition = render(path.read_bytes(), filename=path.name)
    except CannotRender as refused:
        assert (refused.refusal.value, refused.reason[-1]) == (expected["verdict"], ".")  # noqa: PT017
        return
    assert expected["verdict"] == "shown"
    size = (rendition.width, rendition.height)
    assert (*map(str, size), str(rendition.frames)) == (
        expected["width"],
        expected["height"],
        expected["frames"],
    )
    picture = Image.open(BytesIO(rendition.body))
    assert (picture.format, picture.size) == ("WEBP", size)
    assert set(picture.info) <= {"background", "duration", "loop", "timestamp"}
