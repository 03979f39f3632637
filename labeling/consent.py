"""Consent: raters agree to the present text before anything is shown to them to rate."""

from django.db import IntegrityError, transaction
from django.db.models import Max

from labeling.account_log import log_act
from labeling.models import Act, Consent, ConsentText, User
from labeling.renditions.documents import render_document


class TextUnchanged(Exception):
    """The text is that of the present version, so that asking everybody again would be for nothing."""


def present_text() -> ConsentText | None:
    return ConsentText.objects.order_by("-version").first()


def needs_consent(user: User) -> bool:
    """Whether the account has not agreed to the present version. One query."""
    newest = ConsentText.objects.order_by("-version").values("pk")[:1]
    return (
        ConsentText.objects.filter(pk__in=newest)
        .exclude(pk__in=Consent.objects.filter(user=user).values("text"))
        .exists()
    )


@transaction.atomic
def give(user: User, text: ConsentText) -> Consent:
    """Note that the account agrees to `text`; agreeing again changes nothing."""
    consent, new = Consent.objects.get_or_create(user=user, text=text)
    if new:
        log_act(user, Act.CONSENTED, subject=user, detail=f"version {text.version}")
    return consent


def publish(text: str, *, by: User) -> ConsentText:
    """The next version. Raises TextUnchanged."""
    for _ in range(3):
        present = present_text()
        if present is not None and present.text == text:
            raise TextUnchanged
        newest = ConsentText.objects.aggregate(newest=Max("version"))["newest"] or 0
        try:
            with transaction.atomic():
                published = ConsentText.objects.create(version=newest + 1, text=text)
                log_act(by, Act.CONSENT_PUBLISHED, detail=f"version {published.version}")
            return published
        except IntegrityError:  # another admin published at the same moment
            continue
    raise IntegrityError("Consent texts are published faster than versions can be counted.")


def as_html(text: ConsentText) -> str:
    """The text as HTML of harmless elements, one level of heading below that of a page."""
    return demoted(render_document(text.text, "markdown", len(text.text.encode())).body.decode())


def demoted(markup: str) -> str:
    """Each heading one level lower: the page has the first level for itself."""
    for level in (5, 4, 3, 2, 1):
        markup = markup.replace(f"<h{level}>", f"<h{level + 1}>").replace(f"</h{level}>", f"</h{level + 1}>")
    return markup
