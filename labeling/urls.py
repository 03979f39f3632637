from django.urls import include, path

from labeling.views import frames, offline, practice, rating, round_content, round_setup, rounds, tables

urlpatterns = [
    path("packets/<int:packet_pk>/rate/", rating.rate, name="rate"),
    path("packets/<int:packet_pk>/answers/", rating.answers, name="answers"),
    path("packets/<int:packet_pk>/finish/", rating.finish, name="finish"),
    path("packets/<int:packet_pk>/offline/", offline.offline, name="offline"),
    path("packets/<int:packet_pk>/offline/packet.zip", offline.offline_zip, name="offline_zip"),
    path("rounds/<int:pk>/offline/", offline.round_offline, name="round_offline"),
    path("packets/<int:packet_pk>/practice/", practice.practise, name="practice"),
    path("showings/<slug:token>/", rating.showing, name="showing"),
    path("showings/<slug:token>/events/", rating.showing_events, name="showing_events"),
    path("renditions/<slug:token>/", rating.rendition, name="rendition"),
    path("frames/<slug:token>/", frames.frame, name="frame"),
    path("rounds/", rounds.rounds, name="rounds"),
    path("rounds/new/", round_setup.round_new, name="round_new"),
    path("rounds/<int:pk>/", rounds.round_page, name="round"),
    path("rounds/<int:pk>/settings/", round_setup.round_settings, name="round_settings"),
    path("rounds/<int:pk>/pairs/", round_content.round_pairs, name="round_pairs"),
    path("rounds/<int:pk>/items/", round_content.round_items, name="round_items"),
    path("rounds/<int:pk>/practice/", practice.round_practice, name="round_practice"),
    path("rounds/<int:pk>/practice/<int:practice_pk>/", practice.practice_pair, name="practice_pair"),
    path(
        "rounds/<int:pk>/practice/<int:practice_pk>/preview/",
        practice.practice_preview,
        name="practice_preview",
    ),
    path(
        "rounds/<int:pk>/practice/<int:practice_pk>/items/<slug:side>/",
        practice.practice_item,
        name="practice_item",
    ),
    path("rounds/<int:pk>/raters/", round_setup.round_raters, name="round_raters"),
    path("rounds/<int:pk>/preview/", round_setup.round_preview, name="round_preview"),
    path("rounds/<int:pk>/close/", rounds.round_close, name="round_close"),
    path("rounds/<int:pk>/reopen/", rounds.round_reopen, name="round_reopen"),
    path("tables/", tables.tables, name="tables"),
    path("tables/upload/", tables.tables_upload, name="tables_upload"),
    path("tables/previews/<int:job_pk>/", tables.table_preview, name="table_preview"),
    path("rubrics/<str:rubric_id>/", tables.rubric, name="rubric"),
    path("", include("labeling.oversight_urls")),
]
