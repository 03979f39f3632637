"""What was done to accounts, by whom and when; by number, so that erasing a person erases the name."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from labeling.actors import actor_in_words


class Act(models.TextChoices):
    INVITED = "invited", _("made an invitation")
    INVITATION_WITHDRAWN = "withdrawn", _("withdrew an invitation")
    JOINED = "joined", _("made the account from an invitation")
    ROLES = "roles", _("changed the roles")
    DEACTIVATED = "deactivated", _("deactivated")
    ACTIVATED = "activated", _("activated again")
    RESET_LINK = "reset_link", _("made a password-reset link")
    PASSWORD = "password", _("set a new password")
    CONSENT_PUBLISHED = "consent_published", _("published a consent text")
    CONSENTED = "consented", _("agreed to the consent text")
    DATA = "data", _("downloaded the account's data")
    ERASED = "erased", _("erased")


class AccountAct(models.Model):
    """One entry of the log of accounts. Append-only: the database refuses changes (migration 0004)."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150, help_text=_("As labeling.actors writes it."))
    subject = models.CharField(
        max_length=150, blank=True, help_text=_("The account, as the actor is written.")
    )
    act = models.CharField(max_length=20, choices=Act.choices)
    detail = models.CharField(max_length=300, blank=True, help_text=_("Roles before and after, a version."))

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(act__in=Act.values), name="account_act_known")
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.act} {self.subject}".strip()

    @property
    def actor_in_words(self) -> str:
        return actor_in_words(self.actor)

    @property
    def subject_in_words(self) -> str:
        return actor_in_words(self.subject)
