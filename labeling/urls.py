from django.urls import path

from labeling.views import rating

urlpatterns = [
    path("packets/<int:packet_pk>/rate/", rating.rate, name="rate"),
    path("packets/<int:packet_pk>/answers/", rating.answers, name="answers"),
    path("packets/<int:packet_pk>/finish/", rating.finish, name="finish"),
    path("showings/<str:token>/", rating.showing, name="showing"),
    path("showings/<str:token>/events/", rating.showing_events, name="showing_events"),
    path("renditions/<str:token>/", rating.rendition, name="rendition"),
]
