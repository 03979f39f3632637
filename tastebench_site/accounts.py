"""Signing in and out, on a page and in place beside an answer that waits; a forgotten password."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordResetConfirmView,
    PasswordResetDoneView,
    PasswordResetView,
)
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from labeling import strict_json
from labeling.account_log import log_act
from labeling.models import Act, Packet, User

sign_in = LoginView.as_view(template_name="registration/login.html")
sign_out = LogoutView.as_view()
# The same answer whether an account has the address or not.
password_reset = PasswordResetView.as_view(
    template_name="registration/password_reset_form.html",
    email_template_name="mail/password_reset.txt",
    subject_template_name="mail/password_reset_subject.txt",
)
password_reset_done = PasswordResetDoneView.as_view(template_name="registration/password_reset_done.html")


class NewPasswordView(PasswordResetConfirmView):
    """A new password by a link that works once; the link's secret moves from the address to the session."""

    template_name = "registration/password_reset_confirm.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        answer = super().form_valid(form)
        log_act(form.user, Act.PASSWORD, subject=form.user)
        messages.success(self.request, _("The new password holds. Sign in with it."))
        return answer


password_reset_confirm = NewPasswordView.as_view()


@require_safe
@never_cache
def csrf(request: HttpRequest) -> JsonResponse:
    """A fresh CSRF token for a page whose own was rotated by a sign-in in another tab."""
    return JsonResponse({"csrf_token": get_token(request)})


@require_POST
def sign_in_inline(request: HttpRequest) -> JsonResponse:
    """Sign in beside an unsent answer.

    The page names the packet it belongs to; an account that is not that packet's rater is refused and stays
    signed out, so that an answer is never stored under another name.
    """
    try:
        sent = strict_json.read_object(request.body)
        username, password, packet = str(sent["username"]), str(sent["password"]), int(sent["packet"])
    except (ValueError, TypeError, KeyError):
        return JsonResponse({"error": _("Send username, password and packet as JSON.")}, status=400)
    username = User.normalize_username(username)  # as the form of the page does
    # PostgreSQL takes no NUL, not even to say that it knows no such name.
    user = None if "\0" in username else authenticate(request, username=username, password=password)
    if not isinstance(user, User):
        return JsonResponse({"error": _("Sign-in name and password do not match.")}, status=400)
    if not Packet.objects.of(user).filter(pk=packet).exists():
        return JsonResponse(
            {"error": _("This packet belongs to another account. Sign in with the one that began it.")},
            status=403,
        )
    login(request, user)
    return JsonResponse({"rater_matches": True, "csrf_token": get_token(request)})


def client_address(request: HttpRequest) -> str:
    """Where a request comes from: behind our proxy the address that the proxy saw, which it writes last."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def locked_out(request: HttpRequest, _answer: HttpResponse, _credentials: object) -> HttpResponse:
    """429: too many wrong passwords for one name from one address. AXES_LOCKOUT_CALLABLE."""
    wait = settings.AXES_COOLOFF_TIME
    minutes = int(wait.total_seconds() // 60)
    response: HttpResponse
    if request.path == reverse("sign_in_inline"):
        error = ngettext(
            "Too many wrong passwords. Wait %d minute, then try again.",
            "Too many wrong passwords. Wait %d minutes, then try again.",
            minutes,
        )
        response = JsonResponse({"error": error % minutes}, status=429)
    else:
        response = render(request, "429.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(int(wait.total_seconds()))
    return response
