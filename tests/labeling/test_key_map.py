"""Which key does what: only what can be pressed and means one thing is stored."""

import pytest

from labeling.key_map import DEFAULTS, LABELS, BadKey, checked, keys_json


def test_every_act_has_words_and_a_key_of_its_own():
    assert set(LABELS) == set(DEFAULTS)
    assert len(set(DEFAULTS.values())) == len(DEFAULTS)


def test_only_what_differs_from_the_defaults_is_kept_and_in_lower_case():
    assert checked({"undo": "Z", "skip": "s", "note": ""}) == {"undo": "z"}


def test_two_acts_may_exchange_their_keys():
    assert checked({"left": "2", "right": "1"}) == {"left": "2", "right": "1"}


@pytest.mark.parametrize(
    ("wanted", "act", "why"),
    [
        ({"left": "s"}, "skip", "two things"),
        ({"undo": "ab"}, "undo", "one character"),
        ({"undo": "\t"}, "undo", "one character"),
        ({"undo": "i"}, "undo", "fixed meaning"),
        ({"skip": "3"}, "skip", "fixed meaning"),
        ({"jump": "j"}, "jump", "no act"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_act_and_the_reason(wanted, act, why):
    with pytest.raises(BadKey, match=why) as refusal:
        checked(wanted)
    assert refusal.value.act == act


def test_the_page_is_told_every_act_with_the_key_it_has():
    told = keys_json(False, {"undo": "z"})
    assert told == {"enabled": False, "map": {**DEFAULTS, "undo": "z"}}
