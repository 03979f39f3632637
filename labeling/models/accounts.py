"""Who may do what. `User` is the one table with personal data; everything else knows a rater's pseudonym."""

from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    ADMIN = "admin", _("admin")
    EXPERT = "expert", _("expert")
    REVIEWER = "reviewer", _("reviewer")
    RESEARCHER = "researcher", _("researcher")


class UserManager(BaseUserManager["User"]):
    @transaction.atomic
    def create_user(
        self, username: str, password: str | None = None, *, roles: tuple[str, ...] = (), **more: Any
    ) -> "User":
        """An account with the given roles; without a password it cannot sign in."""
        user = self.model(username=username, **more)
        user.set_password(password)
        user.save(using=self._db)
        for role in roles:
            RoleGrant.objects.create(user=user, role=role)
        return user

    def create_superuser(self, username: str, password: str | None = None, **more: Any) -> "User":
        """What `manage.py createsuperuser` makes: an account with the admin role."""
        return self.create_user(username, password, roles=(Role.ADMIN,), **more)


class User(AbstractBaseUser):
    """A person's account. Deleting the row erases the person; votes stay under the pseudonym."""

    username = models.CharField(_("sign-in name"), max_length=150, unique=True)
    full_name = models.CharField(_("name"), max_length=200, blank=True)
    email = models.EmailField(_("mail address"), blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    theme = models.CharField(
        _("theme"),
        max_length=10,
        blank=True,
        choices=[("", _("as the system")), ("light", _("light")), ("dark", _("dark"))],
    )
    keys_enabled = models.BooleanField(_("single-key shortcuts"), default=True)
    keys = models.JSONField(
        default=dict, blank=True, help_text=_("Act → key, where it differs from the default.")
    )
    time_zone = models.CharField(_("time zone"), max_length=60, blank=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["email"]

    def has_role(self, *roles: str) -> bool:
        """Whether the account holds any of the roles. Asked of the database once a request."""
        return not self.role_names.isdisjoint(roles)

    @property
    def role_names(self) -> frozenset[str]:
        if not hasattr(self, "_role_names"):
            self._role_names = frozenset(self.role_grants.values_list("role", flat=True))
        return self._role_names


class RoleGrant(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="role_grants")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "role"], name="role_granted_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="role_known"),
        ]

    def __str__(self) -> str:
        return self.role


class RaterQuerySet(models.QuerySet["Rater"]):
    def with_account(self) -> Self:
        """Raters a person can sign in as."""
        return self.filter(user__isnull=False, user__is_active=True)


class Rater(models.Model):
    """A pseudonym under which judgments are stored. Imported judgments have a rater without an account."""

    pseudonym = models.CharField(max_length=150, unique=True)
    user = models.OneToOneField(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="rater")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[RaterQuerySet] = RaterQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.pseudonym
