"""People, their roles and invitations, the consent text, the log of accounts. Admins only."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.tokens import default_token_generator
from django.core.paginator import Paginator
from django.db.models import Prefetch, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling import consent, invitations, people
from labeling.access import SignedInRequest, role_required
from labeling.account_log import log_act
from labeling.actors import actor_of
from labeling.models import AccountAct, Act, Consent, ConsentText, Invitation, Role, RoleGrant, User
from labeling.people_forms import ConsentTextForm, InviteForm, RolesForm


@role_required(Role.ADMIN)
@require_safe
def people_list(request: SignedInRequest) -> HttpResponse:
    """Accounts by name; `role`, `state` and `q` (a part of a name) narrow them."""
    role, state, words = (request.GET.get(name, "").strip() for name in ("role", "state", "q"))
    found = User.objects.select_related("rater").order_by("username")
    found = found.prefetch_related(Prefetch("role_grants", RoleGrant.objects.order_by("role")))
    if role in Role.values:
        found = found.filter(pk__in=RoleGrant.objects.filter(role=role).values("user"))
    if state in {"active", "deactivated"}:
        found = found.filter(is_active=state == "active")
    if words:
        found = found.filter(
            Q(username__icontains=words)
            | Q(full_name__icontains=words)
            | Q(email__icontains=words)
            | Q(rater__pseudonym__icontains=words)
        )
    return render(
        request,
        "people/people.html",
        {
            "page_obj": Paginator(found, 50).get_page(request.GET.get("page")),
            "roles": Role.choices,
            "role": role,
            "state": state,
            "q": words,
            "n_open": Invitation.objects.usable().count(),
        },
    )


@role_required(Role.ADMIN)
@require_safe
def person(request: SignedInRequest, pk: int) -> HttpResponse:
    """One account: what it may, how it signs in, what was done to it."""
    return _person_page(request, get_object_or_404(User.objects.select_related("rater"), pk=pk))


@role_required(Role.ADMIN)
@require_POST
def person_roles(request: SignedInRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    form = RolesForm(request.POST)
    if not form.is_valid():
        return _person_page(request, user, form)
    try:
        if people.change_roles(user, form.cleaned_data["roles"], by=request.user):
            messages.success(request, _("The roles are changed; what was judged stays."))
    except people.NotAllowed as refusal:
        messages.error(request, str(refusal))
    return redirect("person", pk)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def person_active(request: SignedInRequest, pk: int) -> HttpResponse:
    """Deactivate an account, or activate it again, after a question."""
    user = get_object_or_404(User, pk=pk)
    if request.method == "POST":
        try:
            people.set_active(user, not user.is_active, by=request.user)
        except people.NotAllowed as refusal:
            messages.error(request, str(refusal))
        return redirect("person", pk)
    if user.is_active:
        title, submit = _("Deactivate %s?") % user, _("Deactivate")
        sentence = _(
            "The person is signed out at once and cannot sign in. All answers stay and count as before; open "
            "packets wait. The account can be activated again."
        )
    else:
        title, submit = _("Activate %s again?") % user, _("Activate")
        sentence = _("The person can sign in again, with the roles and the password of before.")
    return render(
        request,
        "confirm.html",
        {
            "title": title,
            "sentence": sentence,
            "form": forms.Form(),
            "submit": submit,
            "cancel_url": reverse("person", args=[pk]),
            "danger": user.is_active,
        },
    )


@role_required(Role.ADMIN)
@require_POST
def person_reset_link(request: SignedInRequest, pk: int) -> HttpResponse:
    """A link to set a new password, shown in this one answer and stored nowhere."""
    user = get_object_or_404(User, pk=pk, is_active=True)
    number = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("password_reset_confirm", args=[number, default_token_generator.make_token(user)])
    log_act(request.user, Act.RESET_LINK, subject=user)
    return render(
        request, "people/reset_link.html", {"person": user, "link": request.build_absolute_uri(path)}
    )


@role_required(Role.ADMIN)
@require_safe
def invitation_list(request: SignedInRequest) -> HttpResponse:
    found = Invitation.objects.select_related("created_by", "used_by")
    page = Paginator(found, 50).get_page(request.GET.get("page"))
    rows = [
        (invitation, invitations.state_of(invitation), invitations.roles_in_words(invitation.roles))
        for invitation in page.object_list
    ]
    return render(request, "people/invitations.html", {"page_obj": page, "rows": rows})


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_new(request: SignedInRequest) -> HttpResponse:
    """Invite somebody; the link is shown in this one answer, and mailed where an address is given."""
    form = InviteForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "people/invite.html", {"form": form})
    made, token = invitations.invite(by=request.user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    mailed = bool(made.email) and invitations.send(made, link)
    return render(
        request,
        "people/invited.html",
        {
            "invitation": made,
            "roles": invitations.roles_in_words(made.roles),
            "link": link,
            "mailed": mailed,
            "mail_failed": bool(made.email) and not mailed,
        },
    )


@role_required(Role.ADMIN)
@require_POST
def invitation_withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    if invitations.withdraw(get_object_or_404(Invitation, pk=pk), by=request.user):
        messages.success(request, _("The link no longer works."))
    else:
        messages.warning(request, _("The link did not work any more before either."))
    return redirect("invitation_list")


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def consent_text(request: SignedInRequest) -> HttpResponse:
    """The present consent text, and publishing the next version of it."""
    present = consent.present_text()
    form = ConsentTextForm(request.POST or None, initial={"text": present.text if present else ""})
    if request.method == "POST" and form.is_valid():
        try:
            published = consent.publish(form.cleaned_data["text"], by=request.user)
        except consent.TextUnchanged:
            form.add_error("text", _("This is the present text. Nobody would have to agree to anything new."))
        else:
            messages.success(
                request, _("Version %d is published; raters are asked again.") % published.version
            )
            return redirect("consent_text")
    return render(
        request,
        "people/consent_text.html",
        {
            "form": form,
            "present": present,
            "markup": consent.as_html(present) if present else "",
            "versions": ConsentText.objects.all(),
            "n_given": Consent.objects.filter(text=present).count(),
        },
    )


@role_required(Role.ADMIN)
@require_safe
def account_log(request: SignedInRequest) -> HttpResponse:
    page = Paginator(AccountAct.objects.all(), 50).get_page(request.GET.get("page"))
    return render(request, "people/log.html", {"page_obj": page})


def _person_page(request: SignedInRequest, user: User, form: RolesForm | None = None) -> HttpResponse:
    context: dict[str, Any] = {
        "person": user,
        "rater": getattr(user, "rater", None),
        "form": form or RolesForm(initial={"roles": sorted(user.role_names)}),
        "is_self": user.pk == request.user.pk,
        "consents": Consent.objects.filter(user=user).select_related("text").order_by("-given_at"),
        "acts": AccountAct.objects.filter(subject=actor_of(user))[:20],
    }
    return render(request, "people/person.html", context)
