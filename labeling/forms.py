"""What a rater's browser may send, checked before anything is recorded."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from labeling.models import EventKind, Layout
from labeling.recording import Answer

NOTE_LENGTH = 4000


class WordsField(forms.CharField):
    """Text kept as it was sent; JSON can also hold other values in its place."""

    def to_python(self, value: Any) -> str:
        if value is not None and not isinstance(value, str):
            raise forms.ValidationError(_("This is no text."))
        return super().to_python(value) or ""


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Rows chosen by number. One that no database can hold is unknown like any other that is not offered."""

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if len(number) > 18:
                raise forms.ValidationError(
                    self.error_messages["invalid_pk_value"], params={"pk": number[:40]}
                )
        return super().clean(value)


class AnswerForm(forms.Form):
    """One event of a showing; the same fields from JSON and from the form that works without JavaScript."""

    event_id = forms.UUIDField()
    replaces = forms.UUIDField(required=False)
    kind = forms.ChoiceField(
        choices=[
            (kind, kind.label) for kind in (EventKind.VOTE, EventKind.ABSTAIN, EventKind.SKIP, EventKind.UNDO)
        ]
    )
    choice = forms.ChoiceField(choices=[("left", _("left")), ("right", _("right"))], required=False)
    score = forms.DecimalField(min_value=0, max_value=1, max_digits=4, decimal_places=3, required=False)
    confidence = forms.DecimalField(
        min_value=Decimal("0.5"), max_value=1, max_digits=4, decimal_places=3, required=False
    )
    waited_ms = forms.IntegerField(min_value=0, max_value=30 * 24 * 3600 * 1000, required=False)
    note = WordsField(max_length=NOTE_LENGTH, required=False, strip=False)
    reason = WordsField(max_length=NOTE_LENGTH, required=False)
    layout = forms.ChoiceField(choices=Layout.choices, required=False)
    response_ms = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)

    def answer(self) -> Answer:
        """The checked act. Call after `is_valid`."""
        return Answer(**self.cleaned_data)


def first_errors(form: forms.Form) -> dict[str, Any]:
    """The form's errors as {field: [sentence, …]} for JSON."""
    return {field: [str(error) for error in errors] for field, errors in form.errors.items()}
