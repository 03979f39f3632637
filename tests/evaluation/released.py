"""A published release to score against, and prediction files for it."""

from django.core.files.uploadedfile import SimpleUploadedFile

from gold.promotion import build_and_publish, promote
from labeling.models import Role
from tests.factories import make_user, silent
from tests.gold.worlds import make_round

RIGHT = {"p1": "p1-a", "p2": "p2-b", "p3": "p3-a"}
"""Gold of `published()`: three votes for a, three for b, two of three for a. p4 has too few raters."""


def published(slug="spring", **more):
    """A release of three gold pairs, all of split test."""
    round_ = make_round(slug, votes=("aaa", "bbb", "aab", "ab"), prefix="", **more)
    release = promote([round_], title="Spring", actor="test", enqueue=False)
    build_and_publish(release, actor="test", progress=silent())
    release.refresh_from_db()
    return release


def researcher(**more):
    return make_user(Role.RESEARCHER, **more)


def preds(*rows, header="pair_id,pred_preferred_id,confidence", name="preds.csv"):
    """An upload of prediction rows."""
    return SimpleUploadedFile(name, "\n".join([header, *rows, ""]).encode(), "text/csv")


def oracle():
    return preds(*(f"{pair},{item},1" for pair, item in RIGHT.items()), name="oracle.csv")
