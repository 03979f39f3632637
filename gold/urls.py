from django.urls import path

from gold.views import access, promotion, releases, report

urlpatterns = [
    path("releases/", releases.releases, name="releases"),
    path("releases/<int:number>/", releases.release, name="release"),
    path("releases/<int:number>/files/<path:path>", releases.release_file, name="release_file"),
    path("releases/<int:number>/all.zip", releases.release_zip, name="release_zip"),
    path("rounds/<int:pk>/promote/", promotion.promote_round, name="promote"),
    path("rounds/<int:pk>/report/", report.round_report, name="round_report"),
    path("gold-access/", access.gold_access, name="gold_access"),
]
