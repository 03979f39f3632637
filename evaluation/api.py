"""The HTTP API, version 1: releases to score against, submissions and their metrics."""

from django.shortcuts import get_object_or_404
from rest_framework import generics, permissions, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.forms import SubmissionForm
from evaluation.models import Submission
from evaluation.submissions import submit
from gold.models import Release
from labeling.models import Role, User


def _user(request: Request) -> User:
    """The signed-in user; permission was checked before."""
    assert isinstance(request.user, User)
    return request.user


class IsResearcher(permissions.BasePermission):
    """Researchers and admins; everything else is looked up through what they may see."""

    def has_permission(self, request: Request, _view: APIView) -> bool:
        return isinstance(request.user, User) and request.user.has_role(Role.RESEARCHER, Role.ADMIN)


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = [
            "number",
            "title",
            "gold_tier",
            "is_simulation",
            "n_pairs",
            "n_gold",
            "digest",
            "promoted_at",
        ]


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    release = serializers.IntegerField(source="release.number")
    state = serializers.CharField(source="job.state")
    error = serializers.CharField(source="job.error")

    class Meta:
        model = Submission
        fields = [
            "id",
            "release",
            "model_label",
            "split",
            "sha256",
            "state",
            "error",
            "metrics",
            "created_at",
        ]


class ReleaseList(generics.ListAPIView[Release]):
    permission_classes = [IsResearcher]
    serializer_class = ReleaseSerializer

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return Release.objects.visible_to(_user(self.request)).scorable()


class SubmissionList(generics.ListAPIView[Submission]):
    permission_classes = [IsResearcher]
    serializer_class = SubmissionSerializer

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return Submission.objects.visible_to(_user(self.request)).select_related("release", "job")


class SubmissionDetail(generics.RetrieveAPIView[Submission]):
    permission_classes = [IsResearcher]
    serializer_class = SubmissionSerializer

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return Submission.objects.visible_to(_user(self.request)).select_related("release", "job")


class Submit(APIView):
    """POST a prediction file (multipart: model_label, split, file): 202, and it is scored as a job."""

    permission_classes = [IsResearcher]
    parser_classes = [MultiPartParser]

    def post(self, request: Request, number: int) -> Response:
        user = _user(request)
        release = get_object_or_404(Release.objects.visible_to(user).scorable(), number=number)
        form = SubmissionForm(request.POST, request.FILES)
        if not form.is_valid():
            return Response({"fields": form.errors}, status=400)
        sent = form.cleaned_data
        stored = submit(
            release=release,
            owner=user,
            model_label=sent["model_label"],
            split=sent["split"],
            upload=sent["file"],
        )
        return Response(SubmissionSerializer(stored).data, status=202)
