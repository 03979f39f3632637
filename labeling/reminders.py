"""Reminding raters by mail of what is still open, at most once a day each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from smtplib import SMTPException

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling.models import Packet, Rater, Reminder, Round

AT_MOST_EVERY = timedelta(days=1)


@dataclass
class Reminded:
    """Pseudonyms of raters: those who got a mail, and those who did not, by reason."""

    sent: list[str] = field(default_factory=list)
    too_soon: list[str] = field(default_factory=list)
    no_address: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def waited_for(round_: Round) -> list[Packet]:
    """Packets with open showings whose raters can sign in, by pseudonym; none when the round is not open."""
    packets = Packet.objects.filter(round=round_, round__state="open", rater__in=Rater.objects.with_account())
    counted = packets.with_progress().select_related("rater__user").order_by("rater__pseudonym")
    return [packet for packet in counted if packet.n_done < packet.n_showings]


def remind(round_: Round, packets: Iterable[Packet], *, home_url: str, actor: str) -> Reminded:
    """Mail the raters of `packets` (of `waited_for`). A mail that fails leaves no reminder behind."""
    done = Reminded()
    for packet in packets:
        user = packet.rater.user
        if user is None or not user.email:
            done.no_address.append(packet.rater.pseudonym)
            continue
        try:
            is_sent = _remind_one(round_, packet, user.email, home_url=home_url, actor=actor)
        except (SMTPException, OSError):
            done.failed.append(packet.rater.pseudonym)
            continue
        (done.sent if is_sent else done.too_soon).append(packet.rater.pseudonym)
    return done


@transaction.atomic
def _remind_one(round_: Round, packet: Packet, address: str, *, home_url: str, actor: str) -> bool:
    """Send one mail, unless the rater had one within a day: two admins at once send one."""
    Packet.objects.select_for_update().get(pk=packet.pk)
    since = timezone.now() - AT_MOST_EVERY
    if Reminder.objects.filter(round=round_, rater=packet.rater_id, sent_at__gt=since).exists():
        return False
    Reminder.objects.create(round=round_, rater_id=packet.rater_id, actor=actor)
    words = {"round": round_, "n_open": packet.n_showings - packet.n_done, "home_url": home_url}
    send_mail(
        _("Waiting for your answers: %s") % round_.name,
        render_to_string("labeling/mail/reminder.txt", words),
        None,
        [address],
    )
    return True
