import pytest

from labeling import actors
from labeling.actors import ERASED, actor_in_words, actor_of
from tests.factories import make_user


@pytest.mark.django_db
def test_logs_name_an_account_by_number():
    user = make_user(full_name="Demo Admin", username="demo_admin")
    assert actor_of(user) == f"account {user.pk}"
    assert actor_of(None) == ERASED


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("account 12", "Konto 12"),
        ("an erased account", "ein gelöschtes Konto"),
        ("manage.py promote", "manage.py promote"),
        ("account of nobody", "account of nobody"),
        ("", ""),
    ],
)
def test_pages_say_it_in_the_readers_language(monkeypatch, stored, shown):
    german = {"account %s": "Konto %s", "an erased account": "ein gelöschtes Konto"}
    monkeypatch.setattr(actors, "_", german.__getitem__)
    assert actor_in_words(stored) == shown
