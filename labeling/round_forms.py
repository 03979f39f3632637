"""What an admin decides about a round, one form a step."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from labeling.forms import RowsField
from labeling.models import GoldTier, Pair, Rater, Role, Round, Split, TableImport, VerdictSet

RATING_TIERS = [tier for tier in GoldTier if tier not in {GoldTier.OUTCOME, GoldTier.PROVISIONAL_AGENT_PANEL}]


class RoundForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Round
        fields = [
            "name",
            "slug",
            "rubric",
            "gold_tier",
            "raters_per_pair",
            "repeat_share",
            "seed",
            "deadline",
        ]
        widgets = {"deadline": forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")}
        labels = {"slug": _("Short name")}
        help_texts = {
            "slug": _("Letters, digits and hyphens; stands in commands and in the released tables."),
            "gold_tier": _("What the labels will be called. A release holds one tier."),
            "raters_per_pair": _("At least 3 votes are needed for gold. With 3, two must agree."),
            "repeat_share": _(
                "Share of a rater's pairs shown again with sides exchanged, 0 to 0.5; for self-consistency."
            ),
            "seed": _("Same pairs, raters and seed give the same packets."),
            "deadline": _("Shown to raters; nothing closes by itself."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["gold_tier"] = forms.ChoiceField(
            label=_("Gold tier"),
            choices=[("", "---------"), *((tier.value, tier.label) for tier in RATING_TIERS)],
            help_text=self.Meta.help_texts["gold_tier"],
        )

    def clean_raters_per_pair(self) -> int:
        """A round that asks fewer raters than gold needs can never yield gold."""
        asked: int = self.cleaned_data["raters_per_pair"]
        least = 3 if self.instance.verdicts == VerdictSet.RATING else 2
        if asked < least:
            raise forms.ValidationError(_("Gold needs at least %d votes a pair; ask as many raters.") % least)
        return asked


class PairFilter(forms.Form):
    """Which pairs are looked at, when choosing those of a round."""

    q = forms.CharField(label=_("Pair id holds"), required=False)
    tables = forms.ModelChoiceField(
        label=_("Tables"),
        queryset=TableImport.objects.filter(state=TableImport.State.PUBLISHED).order_by("-created_at"),
        required=False,
        empty_label=_("all"),
    )
    domain = forms.ChoiceField(label=_("Domain"), required=False)
    split = forms.ChoiceField(label=_("Split"), choices=[("", _("all")), *Split.choices], required=False)
    where = forms.ChoiceField(
        label=_("Show"),
        choices=[("", _("all pairs")), ("in", _("in this round")), ("out", _("not in this round"))],
        required=False,
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.round = round_
        domains = Pair.objects.published().order_by("domain").values_list("domain", flat=True).distinct()
        field = self.fields["domain"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("all")), *((domain, domain) for domain in domains)]

    def pairs(self) -> QuerySet[Pair]:
        """The pairs asked for, in order of id. A malformed filter asks for none: "all" then means none."""
        if not self.is_valid():
            return Pair.objects.none()
        pairs = Pair.objects.published().order_by("pair_id")
        asked = self.cleaned_data
        conditions = Q()
        if asked["q"]:
            conditions &= Q(pair_id__contains=asked["q"])
        if asked["tables"]:
            conditions &= Q(table_import=asked["tables"])
        if asked["domain"]:
            conditions &= Q(domain=asked["domain"])
        if asked["split"]:
            conditions &= Q(split=asked["split"])
        pairs = pairs.filter(conditions)
        if asked["where"] == "in":
            return pairs.filter(round_pairs__round=self.round)
        if asked["where"] == "out":
            return pairs.exclude(round_pairs__round=self.round)
        return pairs


class RatersForm(forms.Form):
    raters = RowsField(
        label=_("Raters"), queryset=Rater.objects.none(), widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["raters"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        role = Role.EXPERT if round_.verdicts == VerdictSet.RATING else Role.REVIEWER
        field.queryset = (
            Rater.objects.with_account().filter(user__role_grants__role=role).order_by("pseudonym")
        )
        self.initial.setdefault("raters", round_.raters.all())


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2000,
        help_text=_("Stays in the round's log."),
    )


class CloseForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        max_length=2000,
        required=False,
        help_text=_("Stays in the round's log; needed for nothing else."),
    )


class TablesUploadForm(forms.Form):
    file = forms.FileField(
        label=_("Zip of the folder"),
        help_text=_("bench_items.csv and bench_pairs.csv (or .parquet), with the item files that they name."),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
