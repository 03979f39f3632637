"""Every address of the product. tests/site/test_routes.py lists who may open each."""

from django.urls import include, path
from django.views.generic import RedirectView

from tastebench_site import accounts, views

urlpatterns = [
    path("", views.home, name="home"),
    path("help/", views.help_page, name="help"),
    path("healthz/", views.health, name="healthz"),
    path("favicon.ico", RedirectView.as_view(url="/static/img/favicon.svg"), name="favicon"),
    path("sign-in/", accounts.sign_in, name="login"),
    path("sign-in/inline/", accounts.sign_in_inline, name="sign_in_inline"),
    path("sign-out/", accounts.sign_out, name="logout"),
    path("csrf/", accounts.csrf, name="csrf"),
    path("password/forgotten/", accounts.password_reset, name="password_reset"),
    path("password/forgotten/sent/", accounts.password_reset_done, name="password_reset_done"),
    path("password/new/<uidb64>/<token>/", accounts.password_reset_confirm, name="password_reset_confirm"),
    path("jobs/", views.jobs, name="jobs"),
    path("jobs/<int:pk>/", views.job, name="job"),
    path("", include("labeling.urls")),
    path("", include("labeling.people_urls")),
    path("", include("gold.urls")),
    path("", include("evaluation.urls")),
]
