"""What people do with their own account: consent, settings, password, keys, data."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from labeling import consent as consents
from labeling.access import JUDGES, SignedInRequest, role_required
from labeling.account_log import log_act
from labeling.key_map import LABELS
from labeling.models import Act, Consent, Rater, Role, User
from labeling.own_data import data_of
from labeling.people_forms import AccountForm, ConsentForm, KeysForm

EVERY_ROLE = tuple(Role.values)


@role_required(*JUDGES, before_consent=True)
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: SignedInRequest) -> HttpResponse:
    """The present text, and agreeing to it; a version published meanwhile is shown instead of agreed to."""
    text = consents.present_text()
    if text is None:
        raise Http404
    form = ConsentForm(request.POST or None, initial={"version": text.version})
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["version"] == text.version:
            consents.give(request.user, text)
            return redirect("home")
        messages.warning(request, _("The text has changed since you opened it. Please read it again."))
        return redirect("consent")
    given = Consent.objects.filter(user=request.user, text=text).first()
    return render(
        request,
        "account/consent.html",
        {"form": form, "text": text, "markup": consents.as_html(text), "given": given},
    )


@role_required(*EVERY_ROLE, before_consent=True)
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    # A row of its own, as a refused form leaves its faulty values in it.
    form = AccountForm(request.POST or None, instance=User.objects.get(pk=request.user.pk))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("account")
    return render(
        request,
        "account/account.html",
        {
            "form": form,
            "rater": Rater.objects.filter(user=request.user).first(),
            "judges": request.user.has_role(*JUDGES),
            "roles": [Role(role).label for role in sorted(request.user.role_names)],
            "consents": Consent.objects.filter(user=request.user)
            .select_related("text")
            .order_by("-given_at"),
        },
    )


@role_required(*EVERY_ROLE, before_consent=True)
@require_http_methods(["GET", "HEAD", "POST"])
def account_password(request: SignedInRequest) -> HttpResponse:
    """A new password; other sessions of the account end, this one goes on."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        update_session_auth_hash(request, form.save())
        log_act(request.user, Act.PASSWORD, subject=request.user)
        messages.success(
            request, _("The new password holds. Wherever else you were signed in, you are not now.")
        )
        return redirect("account")
    return render(request, "account/password.html", {"form": form})


@role_required(*EVERY_ROLE, before_consent=True)
@require_http_methods(["GET", "HEAD", "POST"])
def account_keys(request: SignedInRequest) -> HttpResponse:
    """Which single keys act on the rating screen."""
    form = KeysForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        request.user.keys_enabled = form.cleaned_data["enabled"]
        request.user.keys = form.cleaned_data["keys"]
        request.user.save(update_fields=["keys_enabled", "keys"])
        messages.success(request, _("Saved."))
        return redirect("account_keys")
    return render(request, "account/keys.html", {"form": form, "acts": LABELS})


@role_required(*EVERY_ROLE, before_consent=True)
@require_safe
def account_data(request: SignedInRequest) -> JsonResponse:
    """All that is kept about the person, as a file."""
    log_act(request.user, Act.DATA, subject=request.user)
    response = JsonResponse(data_of(request.user), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="my-tastebench-data.json"'
    return response
