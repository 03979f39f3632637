"""What an admin decides about a round that collects, and what a rater reports."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from labeling.forms import NOTE_LENGTH, RowsField, WordsField
from labeling.models import Rater, Round, ShowingReport
from labeling.oversight import may_join
from labeling.topping_up import TARGETS, Split


class LoggedReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2000,
        help_text=_("Stays in the round's log. The reason of a voided answer is released with its event."),
    )


class JoiningForm(forms.Form):
    """A reason, and raters who join the round while it collects."""

    joining = RowsField(
        label=_("Raters who join"),
        queryset=Rater.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("They get a packet of their own. The round's other raters get theirs in any case."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2000,
        help_text=_("Stays in the round's log."),
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["joining"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = may_join(round_)
        if not field.queryset:
            del self.fields["joining"]

    def joiners(self) -> list[Rater]:
        return list(self.cleaned_data.get("joining", ()))


class TopUpForm(JoiningForm):
    splits = forms.MultipleChoiceField(
        label=_("Which pairs"),
        choices=Split.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[Split.TIE, Split.BELOW_GATE],
    )
    target = forms.TypedChoiceField(
        label=_("To how many raters"),
        coerce=int,
        choices=[(n, str(n)) for n in TARGETS],
        widget=forms.RadioSelect,
        initial=TARGETS[0],
    )
    field_order = ("splits", "target", "joining", "reason")

    def __init__(self, *args: Any, counts: dict[Split, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["splits"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(split, f"{split.label}: {counts[split]}") for split in Split]


class ResolutionForm(forms.Form):
    resolution = forms.CharField(
        label=_("What came of it"), widget=forms.Textarea(attrs={"rows": 2}), max_length=2000
    )


class ReportForm(forms.Form):
    """A rater's report as the rating page sends it."""

    event_id = forms.UUIDField()
    reason = forms.ChoiceField(choices=ShowingReport.Reason.choices)
    note = WordsField(max_length=NOTE_LENGTH, required=False)
