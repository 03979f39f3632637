"""What an admin decides about a round, one form a step."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from labeling.forms import RowsField
from labeling.models import GoldTier, Item, Pair, Rater, Role, Round, Split, TableImport, Task, VerdictSet
from labeling.rounds import asked_of

RATING_TIERS = [tier for tier in GoldTier if tier not in {GoldTier.OUTCOME, GoldTier.PROVISIONAL_AGENT_PANEL}]


class RoundForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Round
        fields = [
            "name",
            "slug",
            "rubric",
            "task",
            "gold_tier",
            "raters_per_pair",
            "repeat_share",
            "asks_confidence",
            "seed",
            "deadline",
            "seconds_a_pair",
            "cost_per_hour",
        ]
        widgets = {"deadline": forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")}
        labels = {
            "slug": _("Short name"),
            "task": _("What a rater does"),
            "asks_confidence": _("Ask how sure the rater is"),
            "seconds_a_pair": _("Seconds an answer takes"),
        }
        help_texts = {
            "slug": _("Letters, digits and hyphens; stands in commands and in the released tables."),
            "gold_tier": _("What the labels will be called. A release holds one tier."),
            "raters_per_pair": _(
                "Gold needs at least 3 votes. With 3 or 5 any majority is enough and every answered pair "
                "becomes gold; with 7 the gate refuses more than half of all coin flips."
            ),
            "repeat_share": _(
                "Share of a rater's pairs shown again with sides exchanged, 0 to 0.5; for self-consistency."
            ),
            "seed": _("Same pairs, raters and seed give the same packets."),
            "deadline": _("Shown to raters; nothing closes by itself."),
            "task": _(
                "Pairwise: choose one of two. Absolute: place one item at a time on the rubric's scale."
            ),
            "asks_confidence": _(
                "0.5 (a coin flip) to 1 (certain), beside each choice; raters may leave it out."
            ),
            "seconds_a_pair": _("A planning figure, for the minutes and the cost in the design preview."),
            "cost_per_hour": _(
                "What an hour of a rater costs, in your currency; leave empty to see no cost."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["gold_tier"] = forms.ChoiceField(
            label=_("Gold tier"),
            choices=[("", "---------"), *((tier.value, tier.label) for tier in RATING_TIERS)],
            help_text=self.Meta.help_texts["gold_tier"],
        )
        self.fields["task"] = forms.ChoiceField(
            label=self.Meta.labels["task"],
            choices=[
                (Task.PAIRWISE.value, _("pairwise: chooses the better of two")),
                (Task.ABSOLUTE.value, _("absolute: scores one item at a time")),
            ],
            help_text=self.Meta.help_texts["task"],
            required=False,
        )
        self.fields["seconds_a_pair"].required = False

    def clean_task(self) -> str:
        """What is chosen already belongs to the present task; practice too is of pairs."""
        before: str = self.instance.task
        task: str = self.cleaned_data["task"] or before
        if task != before and self.instance.pk:
            if asked_of(self.instance).exists():
                raise forms.ValidationError(_("Remove what the round asks about before you change this."))
            if self.instance.practice_pairs.exists():
                raise forms.ValidationError(_("Remove the practice pairs before you change this."))
        return task

    def clean_seconds_a_pair(self) -> int:
        """Left empty it stays what it was."""
        seconds: int = self.cleaned_data["seconds_a_pair"] or self.instance.seconds_a_pair
        return seconds

    def clean(self) -> dict[str, Any]:
        """Confidence goes with a choice between two."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("task") == Task.ABSOLUTE and cleaned.get("asks_confidence"):
            self.add_error("asks_confidence", _("Scores carry no confidence; untick this, or ask for pairs."))
        return cleaned

    def clean_raters_per_pair(self) -> int:
        """A round that asks fewer raters than gold needs can never yield gold."""
        asked: int = self.cleaned_data["raters_per_pair"]
        least = 3 if self.instance.verdicts == VerdictSet.RATING else 2
        if asked < least:
            raise forms.ValidationError(_("Gold needs at least %d votes a pair; ask as many raters.") % least)
        return asked


class _RowFilter(forms.Form):
    """Which rows are looked at, when choosing those of a round. `round_` is the draft."""

    q = forms.CharField(label=_("Id holds"), required=False)
    tables = forms.ModelChoiceField(
        label=_("Tables"),
        queryset=TableImport.objects.filter(state=TableImport.State.PUBLISHED).order_by("-created_at"),
        required=False,
        empty_label=_("all"),
    )
    domain = forms.ChoiceField(label=_("Domain"), required=False)
    where = forms.ChoiceField(
        label=_("Show"),
        choices=[("", _("all")), ("in", _("in this round")), ("out", _("not in this round"))],
        required=False,
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.round = round_

    def offer_domains(self, rows: QuerySet[Any]) -> None:
        """Let the domains of `rows` be chosen."""
        field = self.fields["domain"]
        assert isinstance(field, forms.ChoiceField)
        domains = rows.order_by("domain").values_list("domain", flat=True).distinct()
        field.choices = [("", _("all")), *((domain, domain) for domain in domains)]

    def asked(self, name: str) -> Q:
        """The conditions on tables, domain and the id in column `name`. Call after `is_valid`."""
        asked = self.cleaned_data
        conditions = Q()
        if asked["q"]:
            conditions &= Q(**{f"{name}__contains": asked["q"]})
        if asked["tables"]:
            conditions &= Q(table_import=asked["tables"])
        if asked["domain"]:
            conditions &= Q(domain=asked["domain"])
        return conditions


class PairFilter(_RowFilter):
    split = forms.ChoiceField(label=_("Split"), choices=[("", _("all")), *Split.choices], required=False)
    field_order = ("q", "tables", "domain", "split", "where")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer_domains(Pair.objects.published())

    def pairs(self) -> QuerySet[Pair]:
        """The pairs asked for, in order of id. A malformed filter asks for none: "all" then means none."""
        if not self.is_valid():
            return Pair.objects.none()
        conditions = self.asked("pair_id")
        if self.cleaned_data["split"]:
            conditions &= Q(split=self.cleaned_data["split"])
        pairs = Pair.objects.published().filter(conditions).order_by("pair_id")
        if self.cleaned_data["where"] == "in":
            return pairs.filter(round_pairs__round=self.round)
        if self.cleaned_data["where"] == "out":
            return pairs.exclude(round_pairs__round=self.round)
        return pairs


class ItemFilter(_RowFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer_domains(Item.objects.ratable())

    def items(self) -> QuerySet[Item]:
        """The items asked for that can be shown, in order of id. A malformed filter asks for none."""
        if not self.is_valid():
            return Item.objects.none()
        items = Item.objects.ratable().filter(self.asked("item_id")).order_by("item_id")
        if self.cleaned_data["where"] == "in":
            return items.filter(round_items__round=self.round)
        if self.cleaned_data["where"] == "out":
            return items.exclude(round_items__round=self.round)
        return items


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
