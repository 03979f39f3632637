"""What an admin decides when promoting."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from gold.models import Release
from labeling.forms import RowsField
from labeling.models import Round, RoundState


class PromotionForm(forms.Form):
    """Title, further rounds of the same tier, and the release that the new one replaces."""

    title = forms.CharField(
        label=_("Title"), max_length=200, help_text=_("How the release is listed, for good.")
    )
    also = RowsField(
        label=_("Together with"),
        queryset=Round.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Other closed rounds of the same tier. A rater's latest answer to a pair counts once."),
    )
    supersedes = forms.ModelChoiceField(
        label=_("Replaces"),
        queryset=Release.objects.none(),
        required=False,
        empty_label=_("no earlier release"),
        help_text=_("The earlier release stays as it is and points to this one."),
    )

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._round = round_
        same_tier = Round.objects.filter(gold_tier=round_.gold_tier).exclude(pk=round_.pk)
        self._field("also").queryset = same_tier.filter(state__in=[RoundState.CLOSED, RoundState.PROMOTED])
        self._field("supersedes").queryset = Release.objects.published().filter(
            gold_tier=round_.gold_tier, superseded_by__isnull=True
        )
        for name in ("also", "supersedes"):
            if not self._field(name).queryset.exists():
                del self.fields[name]

    @property
    def selects(self) -> bool:
        """Whether rounds and replaced release are well chosen: enough for a preview, which needs no title."""
        return not self.errors.keys() - {"title"}

    @property
    def rounds(self) -> list[Round]:
        """The round and those ticked beside it, once `selects` was asked."""
        return [self._round, *self.cleaned_data.get("also", [])]

    @property
    def superseded(self) -> Release | None:
        """The release to replace, once `selects` was asked."""
        release: Release | None = self.cleaned_data.get("supersedes")
        return release

    def _field(self, name: str) -> Any:
        return self.fields[name]
