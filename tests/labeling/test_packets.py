"""Opening a round: what the plan promises holds for the showings that are stored."""

from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from labeling.assignment import REPEAT_GAP, AssignmentImpossible
from labeling.models import Packet, Round, RoundTransition, Showing
from labeling.packets import open_round, plan_round
from labeling.rounds import RoundNotReady, WrongState
from tests.factories import make_pair, make_rater, make_round, make_rubric, opened_round, showings_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def big_round():
    """40 pairs, 4 raters, 3 of them a pair: 30 first showings a rater, a quarter shown again."""
    pairs = [make_pair(domain=domain) for domain in ("visual", "book") for _ in range(20)]
    return opened_round(
        pairs, 4, raters_per_pair=3, repeat_share="0.25", rubric=make_rubric(domains=("visual", "book"))
    )


def a_left(showing):
    return showing.left_item_id == showing.pair.item_a_id


def stored_packets(round_):
    return [
        list(Showing.objects.filter(packet=packet).select_related("pair", "repeat_of").order_by("position"))
        for packet in Packet.objects.filter(round=round_).order_by("rater__pseudonym")
    ]


def firsts(packet):
    return [showing for showing in packet if showing.repeat_of_id is None]


def test_every_pair_goes_to_k_raters_and_loads_are_equal(big_round):
    packets = stored_packets(big_round)
    assert [len(firsts(packet)) for packet in packets] == [30, 30, 30, 30]  # 40 × 3 / 4
    times = Counter(showing.pair_id for packet in packets for showing in firsts(packet))
    assert len(times) == 40
    assert set(times.values()) == {3}


def test_both_items_of_a_pair_are_shown_and_positions_run_from_one(big_round):
    for packet in stored_packets(big_round):
        assert [showing.position for showing in packet] == list(range(1, len(packet) + 1))
        for showing in packet:
            assert {showing.left_item_id, showing.right_item_id} == {
                showing.pair.item_a_id,
                showing.pair.item_b_id,
            }


def test_item_a_is_left_for_one_or_two_of_the_three_raters_of_a_pair(big_round):
    left: Counter[int] = Counter()
    for packet in stored_packets(big_round):
        for showing in firsts(packet):
            left[showing.pair_id] += a_left(showing)
    assert set(left.values()) <= {1, 2}


def test_item_a_is_left_in_half_of_a_packet_and_of_each_domain(big_round):
    for packet in stored_packets(big_round):
        groups = defaultdict(list)
        for showing in packet:
            groups["all"].append(a_left(showing))
            groups[showing.pair.domain].append(a_left(showing))
        assert set(groups) == {"all", "visual", "book"}
        for sides in groups.values():
            assert abs(2 * sum(sides) - len(sides)) <= 1


def test_repeats_mirror_their_first_showing_and_keep_their_distance(big_round):
    for packet in stored_packets(big_round):
        repeats = [showing for showing in packet if showing.repeat_of is not None]
        assert len(repeats) in {7, 8}  # a quarter of 30
        for showing in repeats:
            first = showing.repeat_of
            assert first.packet_id == showing.packet_id
            assert (first.left_item_id, first.right_item_id) == (showing.right_item_id, showing.left_item_id)
            assert showing.position - first.position >= REPEAT_GAP


def test_the_stored_packets_are_the_plan():
    round_ = make_round(6, 3, raters_per_pair=2, seed=5)
    plan = plan_round(round_)
    open_round(round_, actor="test")
    planned = [
        [(plan.pairs[showing.pair].key, showing.a_left) for showing in packet] for packet in plan.packets
    ]
    stored = [[(showing.pair_id, a_left(showing)) for showing in packet] for packet in stored_packets(round_)]
    assert stored == planned


def test_the_seed_decides_and_the_order_of_adding_does_not():
    pairs = [make_pair(f"p{number}") for number in range(8)]
    raters = [make_rater() for _ in range(4)]
    designs = []
    for number, (some, seed) in enumerate([(pairs, 3), (pairs[::-1], 3), (pairs, 4)]):
        plan = plan_round(make_round(some, raters, raters_per_pair=2, seed=seed, slug=f"r{number}"))
        designs.append(plan.packets)
    assert designs[0] == designs[1]
    assert designs[0] != designs[2]


def test_no_rater_gets_two_members_of_a_family():
    pairs = [make_pair(pair_group_id="family") for _ in range(2)]
    round_ = opened_round(pairs, 4, raters_per_pair=2)
    assert [len(packet) for packet in stored_packets(round_)] == [1, 1, 1, 1]


def test_a_family_too_large_for_the_raters_is_refused_and_nothing_is_stored():
    round_ = make_round([make_pair(pair_group_id="family") for _ in range(2)], 3, raters_per_pair=2)
    with pytest.raises(AssignmentImpossible, match="family"):
        open_round(round_, actor="test")
    round_.refresh_from_db()
    assert round_.state == "draft"
    assert not Packet.objects.exists()
    assert not RoundTransition.objects.exists()


def test_tokens_are_all_different_and_hold_nothing_of_the_row():
    packet = Packet.objects.get(round=opened_round(10, 1))
    tokens = [
        token
        for showing in showings_of(packet)
        for token in (showing.token, showing.left_token, showing.right_token)
    ]
    assert len(set(tokens)) == 30
    assert all(len(token) == 22 for token in tokens)  # 16 random bytes, base64 without padding


def test_opening_is_logged_once():
    round_ = opened_round()
    [logged] = RoundTransition.objects.filter(round=round_)
    assert (logged.from_state, logged.to_state, logged.actor) == ("draft", "open", "test")


def test_opening_twice_is_refused():
    round_ = opened_round(3, 1)
    with pytest.raises(WrongState, match="has been opened before"):
        open_round(round_, actor="test")
    assert Showing.objects.count() == 3


def test_a_round_that_is_not_ready_is_not_opened():
    round_ = make_round(0, 1)
    with pytest.raises(RoundNotReady, match="There are no pairs"):
        open_round(round_, actor="test")
    assert not Packet.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_admins_opening_at_once_make_one_set_of_packets():
    round_ = make_round(5, 3)
    together = Barrier(2)

    def open_it(_number):
        together.wait()
        try:
            open_round(Round.objects.get(pk=round_.pk), actor="test")
        except WrongState:
            return "refused"
        finally:
            connection.close()
        return "opened"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(open_it, range(2))) == ["opened", "refused"]
    assert Packet.objects.count() == 3
    assert Showing.objects.count() == 15
    assert RoundTransition.objects.count() == 1
