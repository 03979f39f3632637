"""Invitations: a link that makes one account with the roles an admin chose, once, until it expires."""

import logging
from collections.abc import Iterable, Sequence

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from labeling.account_log import log_act
from labeling.accounts import check_account, create_account
from labeling.models import Act, Invitation, Role, User, token_digest

logger = logging.getLogger(__name__)


class InvitationGone(Exception):
    """The link was used, withdrawn or has expired, or never was one; which of these is not told."""


@transaction.atomic
def invite(*, roles: Sequence[str], email: str = "", by: User) -> tuple[Invitation, str]:
    """A new invitation and its token. The token is known to nobody afterwards: its digest is stored."""
    token = Invitation.new_token()
    invitation = Invitation.objects.create(
        roles=list(roles), email=email, token_sha256=token_digest(token), created_by=by
    )
    log_act(by, Act.INVITED, detail=_said(invitation))
    return invitation, token


def usable_invitation(token: str) -> Invitation:
    """The invitation that `token` opens. Raises InvitationGone."""
    found = Invitation.objects.usable().filter(token_sha256=token_digest(token)).first()
    if found is None:
        raise InvitationGone
    return found


def by_number(pk: int) -> Invitation:
    """The usable invitation that a browser opened before. Raises InvitationGone."""
    found = Invitation.objects.usable().filter(pk=pk).first()
    if found is None:
        raise InvitationGone
    return found


@transaction.atomic
def accept(
    invitation: Invitation, *, username: str, password: str, full_name: str = "", email: str = ""
) -> User:
    """The new account. Raises InvitationGone, and AccountRefused for what no account can be made of.

    One statement takes the invitation, so of two who press the button together the database lets one through;
    a refused account gives it back with the transaction.
    """
    taken = Invitation.objects.usable().filter(pk=invitation.pk).update(used_at=timezone.now())
    if not taken:
        raise InvitationGone
    checked = check_account(username, password, email=email, full_name=full_name)
    user = create_account(
        checked.username,
        password,
        roles=tuple(invitation.roles),
        email=checked.email,
        full_name=checked.full_name,
    )
    Invitation.objects.filter(pk=invitation.pk).update(used_by=user)
    log_act(user, Act.JOINED, subject=user, detail=_said(invitation))
    return user


@transaction.atomic
def withdraw(invitation: Invitation, *, by: User) -> bool:
    """Make the link useless. Returns False when it was so already."""
    withdrawn = Invitation.objects.usable().filter(pk=invitation.pk).update(withdrawn_at=timezone.now())
    if withdrawn:
        log_act(by, Act.INVITATION_WITHDRAWN, detail=_said(invitation))
    return bool(withdrawn)


def state_of(invitation: Invitation) -> str:
    """ "used", "withdrawn", "expired" or "open"."""
    if invitation.used_at is not None:
        return "used"
    if invitation.withdrawn_at is not None:
        return "withdrawn"
    return "expired" if invitation.expires_at <= timezone.now() else "open"


def send(invitation: Invitation, link: str) -> bool:
    """Mail the link to the invited. False when the mail could not be sent: the link then has to be copied."""
    context = {"link": link, "expires_at": invitation.expires_at, "roles": roles_in_words(invitation.roles)}
    try:
        send_mail(
            render_to_string("mail/invitation_subject.txt", context).strip(),
            render_to_string("mail/invitation.txt", context),
            None,
            [invitation.email],
        )
    except OSError:  # smtplib's errors are OSErrors too
        logger.exception("The mail of invitation %d could not be sent.", invitation.pk)
        return False
    return True


def roles_in_words(roles: Iterable[str]) -> str:
    return ", ".join(str(Role(role).label) for role in sorted(roles))


def _said(invitation: Invitation) -> str:
    """The invitation as the log names it: without its mail address, which is personal."""
    return f"invitation {invitation.pk}: {', '.join(invitation.roles)}"
