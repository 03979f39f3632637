from django.urls import path

from labeling.views import oversight, review

urlpatterns = [
    path("rounds/<int:pk>/monitor/", oversight.round_monitor, name="round_monitor"),
    path("rounds/<int:pk>/monitor/<int:rater_pk>/", oversight.round_rater, name="round_rater"),
    path("rounds/<int:pk>/monitor/<int:rater_pk>/pass-on/", oversight.round_pass_on, name="round_pass_on"),
    path("rounds/<int:pk>/monitor/<int:rater_pk>/void/", oversight.round_void, name="round_void"),
    path("rounds/<int:pk>/top-up/", oversight.round_top_up, name="round_top_up"),
    path("rounds/<int:pk>/remind/", oversight.round_remind, name="round_remind"),
    path("rounds/<int:pk>/reports/", review.round_reports, name="round_reports"),
    path("rounds/<int:pk>/notes/", review.round_notes, name="round_notes"),
    path("answers/<uuid:event_id>/void/", oversight.answer_void, name="answer_void"),
    path("reports/<int:report_pk>/", review.report_page, name="report"),
    path("reports/<int:report_pk>/<slug:side>/", review.report_rendition, name="report_rendition"),
    path("showings/<slug:token>/reports/", review.showing_reports, name="showing_reports"),
]
