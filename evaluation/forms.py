from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.models import SPLIT_CHOICES
from labeling.models import Split


class SubmissionForm(forms.Form):
    """A prediction file and what it is called; the same fields on the page and in the API."""

    model_label = forms.CharField(
        label=gettext_lazy("Model"), max_length=200, help_text=gettext_lazy("The name shown with the score.")
    )
    split = forms.ChoiceField(
        label=gettext_lazy("Split"),
        choices=SPLIT_CHOICES,
        initial=Split.TEST,
        help_text=gettext_lazy("The headline is scored on test."),
    )
    file = forms.FileField(
        label=gettext_lazy("Predictions"),
        help_text=gettext_lazy(
            "CSV or Parquet with pair_id, pred_preferred_id and, if you like, confidence."
        ),
    )

    def clean_file(self) -> "UploadedFile[Any]":
        upload: UploadedFile[Any] = self.cleaned_data["file"]
        if (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            raise forms.ValidationError(
                _("The file has %(size)d bytes; at most %(max)d are taken.")
                % {"size": upload.size, "max": settings.UPLOAD_MAX_BYTES}
            )
        return upload
