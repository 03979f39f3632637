"""How people come in: invitations by a link that works once, and the consent they give at first sign-in."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labeling.models.accounts import User

INVITATION_DAYS = 14


def token_digest(token: str) -> str:
    """What is stored of a link's token, so that the database gives no way in."""
    return hashlib.sha256(token.encode()).hexdigest()


def invitation_expiry() -> datetime:
    return timezone.now() + timedelta(days=INVITATION_DAYS)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self) -> Self:
        """Neither used nor withdrawn nor expired."""
        return self.filter(used_at__isnull=True, withdrawn_at__isnull=True, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A single-use link that makes an account with the roles the admin chose."""

    email = models.EmailField(_("mail address"), blank=True)
    roles = models.JSONField(default=list)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(default=invitation_expiry)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[InvitationQuerySet] = InvitationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"

    @staticmethod
    def new_token() -> str:
        """256 unguessable bits for the link; only its digest is stored."""
        return secrets.token_urlsafe(32)


class ConsentText(models.Model):
    """A version of the consent and privacy text. Published versions never change (append-only)."""

    version = models.PositiveIntegerField(unique=True)
    text = models.TextField(help_text=_("Markdown."))
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]

    def __str__(self) -> str:
        return str(self.version)


class Consent(models.Model):
    """That a person agreed to a version, and when. Goes with the account when the person is erased."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="consents")
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "text"], name="consent_given_once_a_version")]
