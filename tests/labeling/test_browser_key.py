import pytest

from labeling.browser_key import browser_key
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_the_key_is_one_an_account_and_says_nothing_of_it():
    one, other = make_user(username="demo_expert_1"), make_user(username="demo_expert_2")
    assert browser_key(one) == browser_key(one)
    assert browser_key(one) != browser_key(other)
    assert "demo" not in browser_key(one)
