"""What people say about themselves and admins about people, checked."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from labeling import key_map
from labeling.models import Role, User

CONSENT_LENGTH = 50_000

password_rules = lazy(password_validators_help_text_html, str)


class RolesForm(forms.Form):
    """Roles of an account; at least one, as an account without any can open nothing."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, widget=forms.CheckboxSelectMultiple
    )


class InviteForm(RolesForm):
    email = forms.EmailField(
        label=_("Mail address"),
        required=False,
        help_text=_("The link is mailed there. Without it you get the link alone, to pass on yourself."),
    )


class JoinForm(forms.ModelForm):  # type: ignore[type-arg]
    """How the invited wants to be called, and a password."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_rules(),
    )
    password_again = forms.CharField(
        label=_("Password, again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = User
        fields = ["username", "full_name", "email"]
        field_classes = {"username": UsernameField}
        widgets = {"full_name": forms.TextInput(attrs={"autocomplete": "name"})}
        help_texts = {
            "full_name": _("For the admins of this server; it never leaves it."),
            "email": _("For setting a new password when you have forgotten yours."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "password" in cleaned and cleaned["password"] != cleaned.get("password_again"):
            self.add_error("password_again", _("The two passwords differ."))
        return cleaned

    def _post_clean(self) -> None:
        """Once the account has its fields, so that a password like the name is found."""
        super()._post_clean()  # type: ignore[misc]
        password = self.cleaned_data.get("password")
        if password:
            try:
                validate_password(password, self.instance)
            except ValidationError as refused:
                self.add_error("password", refused)


class ConsentForm(forms.Form):
    """Agreement to the version that was shown, and to no later one."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    agree = forms.BooleanField(
        label=_("I have read this and agree."),
        error_messages={"required": _("Tick the box to agree, or sign out.")},
    )


class ConsentTextForm(forms.Form):
    text = forms.CharField(
        label=_("Text (Markdown)"),
        max_length=CONSENT_LENGTH,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24}),
    )

    def clean_text(self) -> str:
        """With the line ends of Unix: a form sends those of DOS."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n").strip() + "\n"


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ["full_name", "email", "theme", "time_zone"]
        help_texts = {"theme": _("The menu changes it for this browser alone.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC")
        self.fields["time_zone"] = forms.ChoiceField(
            label=_("Time zone"),
            required=False,
            help_text=_("In which pages show times."),
            choices=[("", _("as the server")), *((zone, zone.replace("_", " ")) for zone in zones)],
        )


class KeysForm(forms.Form):
    """Single-key shortcuts: on or off, and the key of each act where it is not the default."""

    enabled = forms.BooleanField(label=_("Single keys act on the rating screen"), required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        initial = {"enabled": user.keys_enabled}
        initial |= {act: key_name(key) for act, key in user.keys.items() if act in key_map.DEFAULTS}
        super().__init__(*args, **{**kwargs, "initial": initial})
        for act, default in key_map.DEFAULTS.items():
            attrs = {"size": 6, "autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
            self.fields[act] = forms.CharField(
                label=str(key_map.LABELS[act]),
                required=False,
                strip=False,
                max_length=20,
                widget=forms.TextInput(attrs=attrs | {"placeholder": key_name(default)}),
            )

    def clean(self) -> dict[str, Any]:
        typed = {act: key_typed(self.cleaned_data.get(act, "")) for act in key_map.DEFAULTS}
        try:
            return {"enabled": self.cleaned_data["enabled"], "keys": key_map.checked(typed)}
        except key_map.BadKey as bad:
            self.add_error(bad.act, str(bad))
            return {}


def key_name(key: str) -> str:
    """A key as a person reads it: the space is not to be seen."""
    return "space" if key == " " else key


def key_typed(text: str) -> str:
    """The key that a person named."""
    return " " if text == " " or text.strip().lower() == "space" else text.strip()
