from django.urls import path

from labeling.views import account, joining, people

urlpatterns = [
    path("consent/", account.consent, name="consent"),
    path("account/", account.account, name="account"),
    path("account/password/", account.account_password, name="account_password"),
    path("account/keys/", account.account_keys, name="account_keys"),
    path("account/data/", account.account_data, name="account_data"),
    path("invitations/join/", joining.join, name="join"),
    path("invitations/<slug:token>/", joining.invitation, name="invitation"),
    path("people/", people.people_list, name="people"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/roles/", people.person_roles, name="person_roles"),
    path("people/<int:pk>/active/", people.person_active, name="person_active"),
    path("people/<int:pk>/reset-link/", people.person_reset_link, name="person_reset_link"),
    path("people/invitations/", people.invitation_list, name="invitation_list"),
    path("people/invitations/new/", people.invitation_new, name="invitation_new"),
    path("people/invitations/<int:pk>/withdraw/", people.invitation_withdraw, name="invitation_withdraw"),
    path("people/consent/", people.consent_text, name="consent_text"),
    path("people/log/", people.account_log, name="account_log"),
]
