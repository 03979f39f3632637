"""Releases for those who may see them: list, page, one file, all files."""

from django.core.paginator import Paginator
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gold.access_log import log_access
from gold.models import Release
from gold.provenance import ARCHIVAL_TIER
from gold.release_zip import folder_name, zip_pieces
from labeling.access import SignedInRequest, role_required
from labeling.models import Role, User

READERS = (Role.ADMIN, Role.RESEARCHER)


def _published(user: User, number: int) -> Release:
    return get_object_or_404(Release.objects.visible_to(user).published(), number=number)


@role_required(*READERS)
@require_safe
def releases(request: SignedInRequest) -> HttpResponse:
    """Every release this person may see, the newest first."""
    visible = Release.objects.visible_to(request.user).select_related("superseded_by", "supersedes", "job")
    page = Paginator(visible, 25).get_page(request.GET.get("page"))
    return render(request, "gold/releases.html", {"page_obj": page, "archival_tier": ARCHIVAL_TIER})


@role_required(*READERS)
@require_safe
def release(request: SignedInRequest, number: int) -> HttpResponse:
    """What a release is, and its files."""
    found = get_object_or_404(
        Release.objects.visible_to(request.user).select_related("superseded_by", "supersedes", "job"),
        number=number,
    )
    context = {
        "release": found,
        "files": found.files.all(),
        "rounds": found.rounds.select_related("rubric").order_by("created_at", "pk"),
        "newer": getattr(found, "superseded_by", None),
        "is_archival": found.gold_tier == ARCHIVAL_TIER,
        "is_scorable": Release.objects.scorable().filter(pk=found.pk).exists(),
        "crumbs": _crumbs(),
    }
    return render(request, "gold/release.html", context)


@role_required(*READERS)
@require_safe
def release_file(request: SignedInRequest, number: int, path: str) -> FileResponse:
    """One file as published, sent from private storage piece by piece."""
    found = _published(request.user, number)
    row = get_object_or_404(found.files, path=path)
    log_access(request.user, f"downloaded {row.path}", release=found)
    response = FileResponse(
        row.file.open("rb"), as_attachment=True, filename=f"{folder_name(found)}-{row.path.replace('/', '-')}"
    )
    response["Content-Length"] = str(row.n_bytes)
    return response


@role_required(*READERS)
@require_safe
def release_zip(request: SignedInRequest, number: int) -> StreamingHttpResponse:
    """All files as one zip."""
    found = _published(request.user, number)
    log_access(request.user, "downloaded all files", release=found)
    response = StreamingHttpResponse(zip_pieces(found), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{folder_name(found)}.zip"'
    return response


def _crumbs() -> list[dict[str, str]]:
    return [{"url": reverse("releases"), "label": _("Releases")}]
