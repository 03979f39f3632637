"""Laws of a round's plan, for any numbers of pairs, raters, domains and families."""

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.assignment import REPEAT_GAP, AssignmentImpossible, PlanPair, plan, preview


@st.composite
def rounds(draw):
    """Feasible rounds: k raters a pair, families of at most n_raters // k pairs."""
    n_raters = draw(st.integers(1, 12))
    k = draw(st.integers(1, n_raters))
    n_domains = draw(st.integers(1, 5))
    room = n_raters // k
    pairs: list[PlanPair] = []
    for family in range(draw(st.integers(1, 90))):
        size = draw(st.integers(1, min(room, 4)))
        alone = size == 1 and draw(st.booleans())
        for _ in range(size):
            key = f"p{len(pairs)}"
            items = (f"i{draw(st.integers(0, 9))}", f"j{draw(st.integers(0, 9))}")
            domain = f"d{draw(st.integers(1, n_domains))}"
            pairs.append(PlanPair(key, domain, items, None if alone else f"f{family}"))
    share = draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 1.0]))
    raters = [f"r{i}" for i in range(n_raters)]
    return pairs, raters, {"k": k, "repeat_share": share, "seed": draw(st.integers(0, 2**63 - 1))}


def firsts(packet):
    return [showing for showing in packet if showing.repeat_of is None]


@given(rounds())
@settings(max_examples=150)
def test_every_pair_goes_to_k_raters_and_loads_are_equal(round_):
    pairs, raters, options = round_
    planned = plan(pairs, raters, **options)
    seen = [[showing.pair for showing in firsts(packet)] for packet in planned.packets]
    assert len(planned.packets) == len(raters)
    assert all(len(set(mine)) == len(mine) for mine in seen)
    times = Counter(pair for mine in seen for pair in mine)
    assert times == dict.fromkeys(range(len(pairs)), options["k"])
    assert max(map(len, seen)) - min(map(len, seen)) <= 1


@given(rounds())
@settings(max_examples=150)
def test_no_rater_gets_two_members_of_a_family(round_):
    pairs, raters, options = round_
    for packet in plan(pairs, raters, **options).packets:
        families = [pairs[showing.pair].family for showing in firsts(packet) if pairs[showing.pair].family]
        assert len(set(families)) == len(families)


@given(rounds())
@settings(max_examples=150)
def test_sides_are_balanced_at_every_pair_packet_and_domain(round_):
    pairs, raters, options = round_
    planned = plan(pairs, raters, **options)
    a_first = Counter(s.pair for packet in planned.packets for s in firsts(packet) if s.a_left)
    k = options["k"]
    assert all(a_first[index] in {k // 2, (k + 1) // 2} for index in range(len(pairs)))
    for packet in planned.packets:
        by_domain = defaultdict(list)
        for showing in packet:
            by_domain[pairs[showing.pair].domain].append(showing.a_left)
        for sides in [*by_domain.values(), [showing.a_left for showing in packet]]:
            # One unmatched showing at most: the two sides differ by one at most.
            assert abs(2 * sum(sides) - len(sides)) <= 1
        votes = [showing.a_left for showing in firsts(packet)]
        assert abs(2 * sum(votes) - len(votes)) <= 1  # also when repeats are left out
        for domain in by_domain:
            votes = [s.a_left for s in firsts(packet) if pairs[s.pair].domain == domain]
            assert abs(2 * sum(votes) - len(votes)) <= 2


@given(rounds())
@settings(max_examples=150)
def test_repeats_mirror_their_first_showing_and_keep_their_distance(round_):
    pairs, raters, options = round_
    for packet in plan(pairs, raters, **options).packets:
        repeats = [(place, s.repeat_of, s) for place, s in enumerate(packet) if s.repeat_of is not None]
        n = len(firsts(packet))
        wanted = options["repeat_share"] * n if n >= REPEAT_GAP else 0
        assert abs(len(repeats) - wanted) <= 0.5
        assert len({seat for _, seat, _ in repeats}) == len(repeats)
        for place, seat, showing in repeats:
            first = packet[seat]
            assert place - seat >= REPEAT_GAP
            assert first.repeat_of is None
            assert (first.pair, first.a_left) == (showing.pair, not showing.a_left)


@given(rounds())
@settings(max_examples=30)
def test_the_seed_decides_the_plan(round_):
    pairs, raters, options = round_
    assert plan(pairs, raters, **options) == plan(list(pairs), list(raters), **options)


@given(rounds())
@settings(max_examples=50)
def test_preview_counts_what_the_plan_holds(round_):
    pairs, raters, options = round_
    planned = plan(pairs, raters, **options)
    seen = preview(planned)
    assert seen.pairs == len(pairs)
    assert seen.first_showings == len(pairs) * options["k"]
    assert seen.first_showings + seen.repeats == sum(map(len, planned.packets))
    assert seen.load[1] - seen.load[0] <= 1
    for packet, shown in zip(planned.packets, seen.packets, strict=True):
        assert shown.a_left == sum(showing.a_left for showing in packet)
        assert shown.showings == len(packet)
        assert sum(left for left, _ in shown.by_domain.values()) == shown.a_left
        without = options["repeat_share"] > 0 and len(firsts(packet)) == len(packet)
        assert (shown.rater in seen.without_repeats) == without


def alone(n, domain="visual"):
    return [PlanPair(f"p{i}", domain, (f"a{i}", f"b{i}")) for i in range(n)]


def test_one_pair_and_one_rater():
    planned = plan(alone(1), ["r"], k=1, repeat_share=0.5, seed=3)
    assert [(s.pair, s.repeat_of) for s in planned.packets[0]] == [(0, None)]
    seen = preview(planned)
    assert seen.without_repeats == ("r",)
    assert seen.packets[0].left_share in {0, 1}


def test_a_rater_for_whom_no_pair_is_left_has_an_empty_packet():
    planned = plan(alone(1), ["r", "s"], k=1, seed=3)
    assert sorted(map(len, planned.packets)) == [0, 1]
    assert None in {packet.left_share for packet in preview(planned).packets}


@pytest.mark.parametrize(("n", "repeats"), [(19, 0), (20, 2), (21, 2), (25, 3), (200, 20)])
def test_short_packets_have_no_repeats(n, repeats):
    # A tenth of 20, 21, 25 and 200 pairs, halves upwards: 2, 2.1 -> 2, 2.5 -> 3, 20.
    assert preview(plan(alone(n), ["r"], k=1, repeat_share=0.1, seed=5)).repeats == repeats


def test_either_side_comes_first_equally_often_over_seeds():
    # One pair, one rater, 400 coins: 200 expected, standard deviation 10; the bounds are 5 of them away.
    left = sum(plan(alone(1), ["r"], k=1, seed=seed).packets[0][0].a_left for seed in range(400))
    assert 150 <= left <= 250


def test_raters_of_a_pair_are_mixed():
    # 300 pairs, 2 of 6 raters each: all 15 couples of raters share some pair.
    planned = plan(alone(300), range(6), k=2, seed=8)
    raters_of = defaultdict(set)
    for rater, packet in enumerate(planned.packets):
        for showing in packet:
            raters_of[showing.pair].add(rater)
    assert len({frozenset(raters) for raters in raters_of.values()}) == 15


def test_each_domain_is_spread_over_the_raters():
    # 40 pairs a domain × 3 raters = 120 showings over 8 raters: 15 each, dealt in turn, so 13 to 17.
    pairs = [PlanPair(f"p{i}", f"d{i % 4}", (f"a{i}", f"b{i}")) for i in range(160)]
    for packet in preview(plan(pairs, range(8), k=3, seed=2)).packets:
        assert all(13 <= total <= 17 for _, total in packet.by_domain.values())


def test_neighbours_share_no_item_where_that_can_be_had():
    # A ring: each item is in two pairs, so two shuffled neighbours share one now and then.
    ring = [PlanPair(f"p{i}", "brand", (f"i{i}", f"i{(i + 1) % 60}")) for i in range(60)]
    for packet in plan(ring, range(4), k=2, repeat_share=0.2, seed=11).packets:
        for one, other in pairwise(packet):
            assert set(ring[one.pair].items).isdisjoint(ring[other.pair].items)


def test_too_few_raters_are_refused_with_a_cure():
    with pytest.raises(AssignmentImpossible, match=r"by 4 different raters, and .* has 3\. Add 1 more"):
        plan(alone(2), ["r", "s", "t"], k=4, seed=1)


def test_a_family_too_large_for_the_raters_is_refused_with_a_cure():
    pairs = [PlanPair(f"p{i}", "visual", ("a", "b"), "fam") for i in range(3)]
    raters = [f"r{i}" for i in range(8)]
    with pytest.raises(AssignmentImpossible) as caught:
        plan(pairs, raters, k=3, seed=1)
    # 3 members × 3 raters = 9 of 8; with 2 a pair 6 suffice; with 3 a pair two members fit (6 of 8).
    assert "takes 3 × 3 = 9 different raters, and the round has 8" in str(caught.value)
    assert "Add 1, ask for 2 a pair, or keep at most 2 pairs" in str(caught.value)
    assert len(plan(pairs, raters, k=2, seed=1).packets) == 8
    assert len(plan(pairs[:2], raters, k=3, seed=1).packets) == 8


@pytest.mark.parametrize(("pairs", "raters", "k"), [([], ["r"], 1), (alone(1), [], 1), (alone(1), ["r"], 0)])
def test_an_empty_round_is_refused(pairs, raters, k):
    with pytest.raises(AssignmentImpossible):
        plan(pairs, raters, k=k, seed=1)


def test_arguments_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="rater is listed twice"):
        plan(alone(1), ["r", "r"], k=1, seed=1)
    with pytest.raises(ValueError, match="pair is listed twice"):
        plan(alone(1) + alone(1), ["r"], k=1, seed=1)
    with pytest.raises(ValueError, match="from 0 to 1"):
        plan(alone(1), ["r"], k=1, repeat_share=1.5, seed=1)
