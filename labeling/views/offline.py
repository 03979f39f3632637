"""Offline packets: the zip, and its answers coming back, for the packet's rater and for admins."""

import tempfile
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import SignedInRequest, role_required
from labeling.importing.uploads import UploadGone
from labeling.models import Packet, Role, Round, RoundState
from labeling.offline import uploads
from labeling.offline.packet_zip import write_packet
from labeling.offline.responses import RESPONSES
from labeling.offline.returning import Returned, preview_return, return_packet
from labeling.packet_state import progress_of
from labeling.recording import RoundNotOpen
from labeling.tables import TableErrors, read_table

MAX_BYTES = 20_000_000
PIECE = 1_000_000


class ResponsesForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("The filled responses.csv"),
        help_text=gettext_lazy("You see what it holds before anything is stored."),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    replace = forms.BooleanField(
        label=gettext_lazy("Replace answers given elsewhere since"),
        help_text=gettext_lazy("Otherwise they stand, and the rows are listed. Both stay on record."),
        required=False,
    )

    def __init__(self, *args: Any, may_replace: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_replace:
            del self.fields["replace"]

    def clean_file(self) -> Any:
        """A table of answers is small; a larger file is another one."""
        upload = self.cleaned_data["file"]
        if upload.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file has more than %d megabytes; is it the right one?") % (MAX_BYTES // 1_000_000)
            )
        return upload


def _packet(request: SignedInRequest, packet_pk: int) -> Packet:
    """An admin's any packet, a rater's own."""
    packets = Packet.objects.all() if request.user.has_role(Role.ADMIN) else Packet.objects.of(request.user)
    return get_object_or_404(packets.select_related("round", "rater"), pk=packet_pk)


@role_required(Role.ADMIN, Role.EXPERT, Role.REVIEWER)
@require_safe
def offline_zip(request: SignedInRequest, packet_pk: int) -> StreamingHttpResponse:
    """The packet's pages and table of answers, while its round is open."""
    packet = _packet(request, packet_pk)
    if packet.round.state != RoundState.OPEN:
        raise Http404
    response = StreamingHttpResponse(_pieces(packet), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="packet.zip"'
    return response


def _pieces(packet: Packet) -> Iterator[bytes]:
    """The zip, made in a file that is gone when the last piece is sent."""
    with tempfile.TemporaryFile() as made:
        write_packet(made, packet)
        made.seek(0)
        while piece := made.read(PIECE):
            yield piece


@role_required(Role.ADMIN, Role.EXPERT, Role.REVIEWER)
@require_http_methods(["GET", "HEAD", "POST"])
def offline(request: SignedInRequest, packet_pk: int) -> HttpResponse:
    """Download, and hand in: a file is shown first, and stored when its ticket comes back."""
    packet = _packet(request, packet_pk)
    is_admin = request.user.has_role(Role.ADMIN)
    if "ticket" in request.POST:
        return _confirm(request, packet, may_replace=is_admin)
    form = ResponsesForm(request.POST or None, request.FILES or None, may_replace=is_admin)
    if request.method == "POST" and form.is_valid():
        ticket = uploads.keep(
            form.cleaned_data["file"], packet, replace=form.cleaned_data.get("replace", False)
        )
        return _preview(request, packet, ticket)
    return render(
        request,
        "labeling/offline.html",
        {"packet": packet, "progress": progress_of(packet), "form": form, "is_admin": is_admin},
    )


def _preview(request: SignedInRequest, packet: Packet, ticket: str) -> HttpResponse:
    kept = uploads.opened(ticket, packet)
    context: dict[str, Any] = {"packet": packet, "name": kept.name, "ticket": ticket}
    try:
        frame = read_table(kept.data, RESPONSES, name=kept.name)
        context["returned"] = preview_return(packet.round, frame, packet=packet, replace=kept.replace)
        context["warnings"] = frame.warnings
    except TableErrors as refused:
        context |= {"errors": [str(error) for error in refused.errors], "n_errors": refused.total}
        uploads.forget(kept)
    except RoundNotOpen as refused:
        messages.error(request, str(refused))
        uploads.forget(kept)
        return redirect("offline", packet.pk)
    return render(request, "labeling/offline_preview.html", context)


def _confirm(request: SignedInRequest, packet: Packet, *, may_replace: bool) -> HttpResponse:
    try:
        kept = uploads.opened(request.POST["ticket"], packet)
        frame = read_table(kept.data, RESPONSES, name=kept.name)
        returned = return_packet(packet.round, frame, packet=packet, replace=kept.replace and may_replace)
    except (UploadGone, RoundNotOpen) as refused:
        messages.error(request, str(refused))
    except TableErrors:
        messages.error(request, _("The packet changed meanwhile; choose the file again."))
    else:
        uploads.forget(kept)
        messages.success(request, stored_words(returned))
        for sentence in returned.standing:
            messages.warning(request, sentence)
    return redirect("offline", packet.pk)


def stored_words(returned: Returned) -> str:
    """What was done with a file, in a sentence."""
    n = returned.stored
    words = ngettext("%d answer stored.", "%d answers stored.", n) % n
    if returned.known:
        n = returned.known
        words += " " + ngettext("%d was stored before.", "%d were stored before.", n) % n
    return words


@role_required(Role.ADMIN)
@require_safe
def round_offline(request: SignedInRequest, pk: int) -> HttpResponse:
    """The packets of a round, each with its zip and the way back."""
    found = get_object_or_404(Round, pk=pk)
    packets = found.packets.with_progress().select_related("rater").order_by("rater__pseudonym")
    return render(request, "labeling/round_offline.html", {"round": found, "packets": packets})
