"""Coming in by an invitation."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from labeling.accounts import AccountRefused
from labeling.invitations import InvitationGone, accept, by_number, roles_in_words, usable_invitation
from labeling.people_forms import JoinForm

OPENED = "invitation"
"""The session's key for the number of the invitation that this browser opened."""


@require_safe
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Note in the session that the link was opened and go on without the token.

    So the page with the form has no token in its address: not in Referer, not in logs of what it sends.
    """
    try:
        request.session[OPENED] = usable_invitation(token).pk
    except InvitationGone:
        response = _gone(request)
    else:
        response = redirect("join")
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest) -> HttpResponse:
    """Choose a sign-in name and a password; the account is made once and signed in."""
    try:
        opened = by_number(request.session.get(OPENED, 0))
        if request.user.is_authenticated:
            return render(request, "account/join_signed_in.html")
        form = JoinForm(request.POST or None, initial={"email": opened.email})
        if request.method == "POST" and form.is_valid():
            chosen = {
                name: form.cleaned_data[name] for name in ("username", "password", "full_name", "email")
            }
            try:
                user = accept(opened, **chosen)
            except AccountRefused as refused:
                form.add_error(None, str(refused))
            else:
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
                return redirect("home")
    except InvitationGone:
        return _gone(request)
    context = {"form": form, "roles": roles_in_words(opened.roles), "expires_at": opened.expires_at}
    return render(request, "account/join.html", context)


def _gone(request: HttpRequest) -> HttpResponse:
    """One answer for a link that was used, was withdrawn, has expired or never was one."""
    return render(request, "account/invitation_gone.html", status=404)
