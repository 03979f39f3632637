from django.urls import path

from evaluation import api
from evaluation.views import submissions

urlpatterns = [
    path("submissions/", submissions.submissions, name="submissions"),
    path("submissions/<int:pk>/", submissions.submission, name="submission"),
    path("submissions/<int:pk>/metrics.json", submissions.submission_metrics, name="submission_metrics"),
    path("releases/<int:number>/submit/", submissions.submit, name="submit"),
    path("api/v1/releases/", api.ReleaseList.as_view(), name="api_releases"),
    path("api/v1/releases/<int:number>/submissions/", api.Submit.as_view(), name="api_submit"),
    path("api/v1/submissions/", api.SubmissionList.as_view(), name="api_submissions"),
    path("api/v1/submissions/<int:pk>/", api.SubmissionDetail.as_view(), name="api_submission"),
]
