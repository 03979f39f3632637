"""What an admin says about a practice pair."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from labeling.models import Pair, PracticePair, Round
from labeling.practice import candidates


class PracticePairForm(forms.Form):
    better = forms.ChoiceField(
        label=_("Better"),
        choices=[("a", _("item A")), ("b", _("item B")), ("", _("neither: the explanation says why"))],
        widget=forms.RadioSelect,
        required=False,
    )
    explanation = forms.CharField(
        label=_("Explanation"),
        widget=forms.Textarea(attrs={"rows": 5}),
        max_length=4000,
        help_text=_(
            "Raters read it after their choice. Which side an item stands on differs from rater to rater, so "
            "write “the better one” and “the other”."
        ),
    )

    def __init__(self, *args: Any, practice_pair: PracticePair, **kwargs: Any) -> None:
        better = {practice_pair.pair.item_a_id: "a", practice_pair.pair.item_b_id: "b"}
        super().__init__(*args, **kwargs)
        self.initial = {
            "better": better.get(practice_pair.better_id or 0, ""),
            "explanation": practice_pair.explanation,
        }


class CandidateFilter(forms.Form):
    """Which candidates are looked at."""

    q = forms.CharField(label=_("Id holds"), required=False)
    domain = forms.ChoiceField(label=_("Domain"), required=False)

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.round = round_
        field = self.fields["domain"]
        assert isinstance(field, forms.ChoiceField)
        domains = round_.pairs.order_by("domain").values_list("domain", flat=True).distinct()
        field.choices = [("", _("all")), *((domain, domain) for domain in domains)]

    def pairs(self) -> QuerySet[Pair]:
        """The candidates asked for; none for a malformed filter."""
        if not self.is_valid():
            return Pair.objects.none()
        found = candidates(self.round)
        if self.cleaned_data["q"]:
            found = found.filter(pair_id__contains=self.cleaned_data["q"])
        if self.cleaned_data["domain"]:
            found = found.filter(domain=self.cleaned_data["domain"])
        return found
