"""Rubrics: the list, the editor, what a rater would see, import and export as JSON. Admins only."""

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling import strict_json
from labeling.access import SignedInRequest, role_required
from labeling.models import Role, Rubric
from labeling.rubric_forms import SPARE_ROWS, RubricForm, RubricUploadForm, domains_formset, rubric_data
from labeling.rubrics import (
    RubricFrozen,
    RubricRefused,
    change_rubric,
    create_rubric,
    load_rubric,
    make_next_version,
    next_version_id,
    rubric_json,
)
from labeling.serving import instructions_json

UPLOAD_LIMIT = 1_000_000
"""Bytes of a rubric file: far more than anybody reads before judging."""


@role_required(Role.ADMIN)
@require_safe
def rubrics(request: SignedInRequest) -> HttpResponse:
    found = Rubric.objects.annotate(n_rounds=Count("rounds")).order_by("rubric_id")
    return render(request, "labeling/rubrics.html", {"rubrics": found})


@role_required(Role.ADMIN)
@require_safe
def rubric(request: SignedInRequest, rubric_id: str) -> HttpResponse:
    found = get_object_or_404(Rubric, rubric_id=rubric_id)
    context = {
        "rubric": found,
        "domains": found.domains.order_by("domain"),
        "is_frozen": found.is_frozen(),
        "next_id": next_version_id(found.rubric_id),
    }
    return render(request, "labeling/rubric.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def rubric_new(request: SignedInRequest) -> HttpResponse:
    if request.method == "POST":
        return _posted(request, None)
    start = {"rubric_id": next_version_id("rubric") if Rubric.objects.exists() else "rubric_v1"}
    return _editor(request, None, RubricForm(initial=start), domains_formset(2)(prefix="domains"))


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def rubric_edit(request: SignedInRequest, rubric_id: str) -> HttpResponse:
    """Change a rubric that no round uses yet; a frozen one leads to its page, where the next is made."""
    found = get_object_or_404(Rubric, rubric_id=rubric_id)
    if found.is_frozen():
        messages.error(request, _("A round uses this rubric, so it is frozen; make its next version."))
        return redirect("rubric", rubric_id)
    if request.method == "POST":
        return _posted(request, found)
    data = rubric_json(found)
    rows = [{"domain": name, **domain} for name, domain in data["domains"].items()]
    return _editor(
        request, found, _form(found, initial=data), domains_formset()(initial=rows, prefix="domains")
    )


def _form(found: Rubric | None, *args: Any, **kwargs: Any) -> RubricForm:
    """The form; the id of a stored rubric cannot be changed."""
    form = RubricForm(*args, **kwargs)
    form.fields["rubric_id"].disabled = found is not None
    return form


def _posted(request: SignedInRequest, found: Rubric | None) -> HttpResponse:
    form = _form(found, request.POST, initial={"rubric_id": found.rubric_id} if found else None)
    domains = domains_formset()(request.POST, prefix="domains")
    if not domains.management_form.is_valid():
        return redirect(request.path)
    if request.POST.get("act") == "rows":  # drawn again as typed, without judging what is half written
        typed = {name: form[name].value() for name in form.fields}
        rows = domains_formset(SPARE_ROWS + 1)(initial=domains.typed(), prefix="domains")
        return _editor(request, found, _form(found, initial=typed), rows)
    # Both are asked, so that all faults show at once.
    if all([form.is_valid(), domains.is_valid()]):
        data = rubric_data(form, domains)
        try:
            stored = _store(found, data)
        except RubricFrozen as refusal:
            messages.error(request, str(refusal))
            return redirect("rubric", data["rubric_id"])
        except RubricRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved."))
            page = "rubric_preview" if request.POST.get("act") == "preview" else "rubric"
            return redirect(page, stored.rubric_id)
    return _editor(request, found, form, domains)


def _store(found: Rubric | None, data: dict[str, Any]) -> Rubric:
    if found is None:
        return create_rubric(data)
    change_rubric(found, data)
    return found


def _editor(request: SignedInRequest, found: Rubric | None, form: RubricForm, domains: Any) -> HttpResponse:
    return render(request, "labeling/rubric_edit.html", {"rubric": found, "form": form, "domains": domains})


@role_required(Role.ADMIN)
@require_POST
def rubric_next(request: SignedInRequest, rubric_id: str) -> HttpResponse:
    """Copy the rubric under the next id and open the copy in the editor."""
    found = get_object_or_404(Rubric, rubric_id=rubric_id)
    try:
        made = make_next_version(found)
    except RubricRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("rubric", rubric_id)
    messages.success(request, _("%s is a copy; change it here.") % made.rubric_id)
    return redirect("rubric_edit", made.rubric_id)


@role_required(Role.ADMIN)
@require_safe
def rubric_preview(request: SignedInRequest, rubric_id: str) -> HttpResponse:
    """The rating screen's head in one domain, for a pair without brief and condition of its own."""
    found = get_object_or_404(Rubric, rubric_id=rubric_id)
    domains = sorted(found.domains.values_list("domain", flat=True))
    asked = request.GET.get("domain", "")
    domain = asked if asked in domains else domains[0]
    context = {
        "rubric": found,
        "domains": domains,
        "domain": domain,
        "showing": instructions_json(found, domain, None),
    }
    return render(request, "labeling/rubric_preview.html", context)


@role_required(Role.ADMIN)
@require_safe
def rubric_export(request: SignedInRequest, rubric_id: str) -> HttpResponse:
    found = get_object_or_404(Rubric, rubric_id=rubric_id)
    response = HttpResponse(strict_json.dumps(rubric_json(found)), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{found.rubric_id}.json"'
    return response


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def rubric_import(request: SignedInRequest) -> HttpResponse:
    form = RubricUploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            stored = load_rubric(_read(form.cleaned_data["file"]))
        except (RubricRefused, strict_json.NotStrict) as refusal:
            form.add_error("file", str(refusal))
        else:
            messages.success(request, _("%s is stored.") % stored.rubric_id)
            return redirect("rubric", stored.rubric_id)
    return render(request, "labeling/rubric_import.html", {"form": form})


def _read(upload: Any) -> dict[str, Any]:
    if upload.size > UPLOAD_LIMIT:
        raise RubricRefused(_("The file is larger than a megabyte; that is no rubric."))
    return strict_json.read_object(upload.read())
