"""The monitor of a round, and the acts on it: passing on, topping up, voiding, reminding. Admins only."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.assignment import AssignmentImpossible
from labeling.models import EventKind, JudgmentEvent, Packet, Rater, Role, Round, RoundState
from labeling.monitor import SORTS, rows_of
from labeling.oversight_forms import JoiningForm, LoggedReasonForm, TopUpForm
from labeling.passing import pass_on, unanswered
from labeling.reminders import Reminded, remind, waited_for
from labeling.rounds import WrongState
from labeling.topping_up import contested, top_up
from labeling.voiding import standing_answers, void_answer, void_rater


def monitor_context(request: SignedInRequest, round_: Round) -> dict[str, Any]:
    """What `_monitor.html` shows: rows in the order asked for, and for each column the order a click asks."""
    sort = request.GET.get("sort", "rater")
    if sort.removeprefix("-") not in SORTS:
        sort = "rater"
    turned = {key: f"-{key}" if sort == key else key for key in SORTS}
    direction = "descending" if sort.startswith("-") else "ascending"
    return {
        "round": round_,
        "rows": rows_of(round_, sort),
        "sort": sort,
        "turned": turned,
        "sorted_by": {key: direction if sort.removeprefix("-") == key else "" for key in SORTS},
    }


@role_required(Role.ADMIN)
@require_safe
def round_monitor(request: SignedInRequest, pk: int) -> HttpResponse:
    """The table of raters alone, for the page to put in place of what it shows."""
    found = _begun(pk)
    return render(request, "labeling/_monitor.html", monitor_context(request, found))


@role_required(Role.ADMIN)
@require_safe
def round_rater(request: SignedInRequest, pk: int, rater_pk: int) -> HttpResponse:
    """One rater's showings: what is answered and what is open, without what was preferred."""
    found, rater = _rater_of(pk, rater_pk)
    events = JudgmentEvent.objects.current().filter(round=found, rater=rater)
    events = events.select_related("pair", "item", "showing").order_by("showing__position", "pair__pair_id")
    context = {
        "round": found,
        "rater": rater,
        "page_obj": Paginator(events, 100).get_page(request.GET.get("page")),
        "n_open": _n_open(found, rater),
        "n_standing": standing_answers(found, rater).count(),
        "settled": (EventKind.VOTE, EventKind.ABSTAIN, EventKind.IMPORT),
    }
    return render(request, "labeling/round_rater.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_pass_on(request: SignedInRequest, pk: int, rater_pk: int) -> HttpResponse:
    found, rater = _rater_of(pk, rater_pk)
    form = JoiningForm(request.POST or None, round_=found)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            passed = pass_on(
                found,
                rater,
                joining=form.joiners(),
                actor=actor_of(request.user),
                reason=form.cleaned_data["reason"],
            )
            return (
                ngettext("%d showing was passed on.", "%d showings were passed on.", passed.n_passed)
                % passed.n_passed
            )

        if _done(request, form, act):
            return redirect(found)
    n_open = _n_open(found, rater)
    sentence = (
        ngettext(
            "%(n)d unanswered showing of %(rater)s is withdrawn and asked of raters new to it.",
            "%(n)d unanswered showings of %(rater)s are withdrawn and asked of raters new to them.",
            n_open,
        )
        % {"n": n_open, "rater": rater.pseudonym}
        + " "
        + _("Open repeats are withdrawn and passed to nobody. Answers that were given stay. This stays so.")
    )
    return _confirm(
        request, found, form, _("Pass on what %s has not answered?") % rater.pseudonym, sentence, _("Pass on")
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_top_up(request: SignedInRequest, pk: int) -> HttpResponse:
    found = _begun(pk)
    counts = {split: len(pairs) for split, pairs in contested(found).items()}
    form = TopUpForm(request.POST or None, round_=found, counts=counts)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            added = top_up(
                found,
                splits=form.cleaned_data["splits"],
                target=form.cleaned_data["target"],
                joining=form.joiners(),
                actor=actor_of(request.user),
                reason=form.cleaned_data["reason"],
            )
            return (
                ngettext("%d showing was added.", "%d showings were added.", added.n_showings)
                % added.n_showings
            )

        if _done(request, form, act):
            return redirect(found)
    sentence = _("More raters are asked about pairs on which the votes so far are split, by new showings at ")
    sentence += _("the end of their packets. Added showings stay.")
    if found.state == RoundState.CLOSED:
        sentence += " " + _("The round is closed and will be open again.")
    return _confirm(request, found, form, _("Top up contested pairs?"), sentence, _("Add showings"))


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_void(request: SignedInRequest, pk: int, rater_pk: int) -> HttpResponse:
    """Void all that a rater answered in the round."""
    found, rater = _rater_of(pk, rater_pk)
    form = LoggedReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            voided = void_rater(
                found, rater, actor=actor_of(request.user), reason=form.cleaned_data["reason"]
            )
            return (
                ngettext("%d answer was voided.", "%d answers were voided.", voided.n_events)
                % voided.n_events
            )

        if _done(request, form, act):
            return redirect(found)
    n = standing_answers(found, rater).count()
    sentence = ngettext(
        "%(n)d answer of %(rater)s counts no more, in gold and everywhere else.",
        "%(n)d answers of %(rater)s count no more, in gold and everywhere else.",
        n,
    ) % {"n": n, "rater": rater.pseudonym}
    sentence += " " + _(
        "The rater is asked nothing more in this round. The events stay in the log, with the reason. "
        "Releases that are out stay as they are. This cannot be undone."
    )
    return _confirm(
        request,
        found,
        form,
        _("Void all answers of %s?") % rater.pseudonym,
        sentence,
        _("Void the answers"),
        danger=True,
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def answer_void(request: SignedInRequest, event_id: str) -> HttpResponse:
    """Void one answer."""
    events = JudgmentEvent.objects.select_related("round", "rater", "pair", "item")
    event = get_object_or_404(events, pk=event_id)
    found = event.round
    form = LoggedReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            void_answer(found, event, actor=actor_of(request.user), reason=form.cleaned_data["reason"])
            return _("The answer was voided.")

        if _done(request, form, act):
            return redirect("round_rater", found.pk, event.rater_id)
    thing = event.pair.pair_id if event.pair else event.item.item_id if event.item else ""
    sentence = _("The answer of %(rater)s on %(thing)s counts no more; its event stays in the log.") % {
        "rater": event.rater.pseudonym,
        "thing": thing,
    }
    if found.state == RoundState.OPEN and event.showing_id:
        sentence += " " + _("The rater is asked again.")
    return _confirm(request, found, form, _("Void this answer?"), sentence, _("Void the answer"), danger=True)


@role_required(Role.ADMIN)
@require_POST
def round_remind(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mail the rater named in the form, or all with open showings."""
    found = _begun(pk)
    packets = waited_for(found)
    asked = request.POST.get("rater", "")
    if asked:
        packets = [packet for packet in packets if str(packet.rater_id) == asked]
    done = remind(
        found,
        packets,
        home_url=request.build_absolute_uri(reverse("home")),
        actor=actor_of(request.user),
    )
    _tell_reminded(request, done)
    return redirect(found)


def _tell_reminded(request: SignedInRequest, done: Reminded) -> None:
    told = (
        (done.sent, messages.success, _("Reminded: %s.")),
        (done.too_soon, messages.info, _("Reminded within a day already: %s.")),
        (done.no_address, messages.warning, _("No mail address: %s. Add one on the page of people.")),
        (done.failed, messages.error, _("The mail could not be sent: %s. Look at the mail settings.")),
    )
    for names, tell, words in told:
        if names:
            tell(request, words % ", ".join(names))
    if not any(names for names, _tell, _words in told):
        messages.info(request, _("There is nobody to remind."))


def _begun(pk: int) -> Round:
    return get_object_or_404(Round.objects.exclude(state=RoundState.DRAFT).select_related("rubric"), pk=pk)


def _rater_of(pk: int, rater_pk: int) -> tuple[Round, Rater]:
    """The round and a rater who has a packet or imported judgments in it."""
    found = _begun(pk)
    rater = get_object_or_404(Rater, pk=rater_pk)
    if not (found.packets.filter(rater=rater).exists() or found.events.filter(rater=rater).exists()):
        raise Http404
    return found, rater


def _n_open(round_: Round, rater: Rater) -> int:
    packet = Packet.objects.filter(round=round_, rater=rater).first()
    return unanswered(packet).count() if packet else 0


def _done(request: SignedInRequest, form: Any, act: Callable[[], str]) -> bool:
    """Whether `act` happened; its sentence, or why not beside the form."""
    try:
        messages.success(request, act())
    except (WrongState, AssignmentImpossible, Packet.DoesNotExist) as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


def _confirm(
    request: SignedInRequest,
    found: Round,
    form: Any,
    title: str,
    sentence: str,
    submit: str,
    *,
    danger: bool = False,
) -> HttpResponse:
    context = {
        "title": title,
        "sentence": sentence,
        "submit": submit,
        "form": form,
        "danger": danger,
        "cancel_url": found.get_absolute_url(),
    }
    return render(request, "confirm.html", context)
