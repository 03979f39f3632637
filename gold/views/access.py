"""Who read or exported gold."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gold.models import GoldAccess
from labeling.access import SignedInRequest, role_required
from labeling.models import Role


@role_required(Role.ADMIN)
@require_safe
def gold_access(request: SignedInRequest) -> HttpResponse:
    """The log, the newest first; `release` narrows it to one release."""
    entries = GoldAccess.objects.all()
    number = request.GET.get("release", "").strip()
    if number.isdecimal() and len(number) < 10:
        entries = entries.filter(release_number=int(number))
    page = Paginator(entries, 50).get_page(request.GET.get("page"))
    return render(request, "gold/gold_access.html", {"page_obj": page, "number": number})
