"""The rubric editor: forms that hold what a rubric's JSON holds; rows come and go without JavaScript."""

import re
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from labeling.rubrics import RUBRIC_ID

_BAND = re.compile(r"\s*(\d*[.,]?\d+)\s*(?:-|–|to)\s*(\d*[.,]?\d+)\s*:?\s+(\S.*?)\s*")
SPARE_ROWS = 1
"""Empty rows for domains below those that are there."""


class LinesField(forms.CharField):
    """One text a line ↔ a list of texts; empty lines say nothing."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]


class AnchorsField(LinesField):
    """One band a line, "0.7–0.85 strong" ↔ [{"from": 0.7, "to": 0.85, "label": "strong"}]."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return "\n".join(f"{band['from']}–{band['to']} {band['label']}" for band in value)
        return value

    def clean(self, value: Any) -> Any:
        bands = []
        for line in super().clean(value):
            found = _BAND.fullmatch(line)
            if found is None:
                raise forms.ValidationError(_("“%s” is no band; write for example: 0.7–0.85 strong") % line)
            low, high = (float(edge.replace(",", ".")) for edge in found.group(1, 2))
            if not 0 <= low <= high <= 1:
                raise forms.ValidationError(_("“%s”: bands run upwards between 0 and 1.") % line)
            bands.append({"from": low, "to": high, "label": found[3]})
        return bands


def _rows(n: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": n})


class RubricForm(forms.Form):
    rubric_id = forms.RegexField(
        RUBRIC_ID,
        label=_("Id"),
        max_length=100,
        help_text=_("For example rubric_v1. It stands in rounds and releases and never changes."),
        error_messages={"invalid": _("Use letters, digits, dots, hyphens and underscores.")},
    )
    title = forms.CharField(label=_("Title"), max_length=200)
    question = forms.CharField(
        label=_("Question"), widget=_rows(2), help_text=_("The one sentence that stands above every pair.")
    )
    pairwise = forms.CharField(
        label=_("Between two"),
        widget=_rows(3),
        required=False,
        help_text=_("How the bands apply to a choice between two."),
    )
    non_criteria = LinesField(
        label=_("Not judged"), widget=_rows(4), required=False, help_text=_("One a line.")
    )
    anchors = AnchorsField(
        label=_("Anchors"),
        widget=_rows(5),
        required=False,
        help_text=_("Bands of the scale from 0 to 1, one a line: 0.7–0.85 strong"),
    )
    condition_rule = forms.CharField(
        label=_("With a condition"),
        widget=_rows(3),
        required=False,
        help_text=_("What an era or a circle beside a pair means for the choice."),
    )
    guidelines = forms.CharField(label=_("Guidelines for raters"), widget=_rows(8), required=False)


class DomainForm(forms.Form):
    domain = forms.CharField(label=_("Domain"), max_length=100)
    cues = LinesField(label=_("Cues"), widget=_rows(4), required=False, help_text=_("One a line."))
    default_brief = forms.CharField(
        label=_("Default brief"),
        widget=_rows(2),
        required=False,
        help_text=_("Shown where a pair has no brief of its own."),
    )


class _Domains(forms.BaseFormSet):  # type: ignore[type-arg]
    def clean(self) -> None:
        """At least one domain, and each once."""
        if any(self.errors):
            return
        names = [row["domain"] for row in self.kept()]
        if not names:
            raise forms.ValidationError(_("A rubric needs at least one domain."))
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise forms.ValidationError(_("Named twice: %s.") % ", ".join(twice))

    def kept(self) -> list[dict[str, Any]]:
        """The rows that are filled in and not to be removed."""
        rows = [form.cleaned_data for form in self.forms if form.has_changed() or form.initial]
        return [row for row in rows if row.get("domain") and not row.get("DELETE")]

    def typed(self) -> list[dict[str, Any]]:
        """The rows as they were typed, without those ticked to be removed and without empty ones."""
        rows = []
        for form in self.forms:
            typed = {name: form[name].value() or "" for name in ("domain", "cues", "default_brief")}
            if not form["DELETE"].value() and any(typed.values()):
                rows.append(typed)
        return rows


def domains_formset(n_more: int = SPARE_ROWS) -> type[_Domains]:
    """Rows of domains with `n_more` empty ones below."""
    made = forms.formset_factory(DomainForm, formset=_Domains, extra=n_more, can_delete=True, max_num=100)
    return cast("type[_Domains]", made)


def rubric_data(form: RubricForm, domains: _Domains) -> dict[str, Any]:
    """The rubric's JSON of valid forms."""
    rows = {
        row["domain"]: {"cues": row["cues"], "default_brief": row["default_brief"]} for row in domains.kept()
    }
    return {**form.cleaned_data, "domains": rows}


class RubricUploadForm(forms.Form):
    file = forms.FileField(
        label=_("Rubric"),
        help_text=_("A JSON file as the export writes it and as a release carries it."),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
