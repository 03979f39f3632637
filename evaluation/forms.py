from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.models import SPLIT_CHOICES
from labeling.models import Split


class SubmissionForm(forms.Form):
    """A prediction file and what it is called; the same fields on the page and in the API."""

    model_label = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("The name shown with the score.")
    )
    split = forms.ChoiceField(
        label=_("Split"),
        choices=SPLIT_CHOICES,
        initial=Split.TEST,
        help_text=_("The headline is scored on test."),
    )
    file = forms.FileField(
        label=_("Predictions"),
        help_text=_("CSV or Parquet with pair_id, pred_preferred_id and, if you like, confidence."),
    )
