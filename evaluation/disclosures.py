"""Sentences that must stand beside figures, after the craft paper's required disclosures."""

from collections.abc import Iterable

from gold.provenance import PRIMARY_TIER, SIMULATION

FIREWALL = (
    "Firewall: labels come from bench_gold only, never from bench_weak; engagement labels are never test "
    "labels, and predicting engagement is not a success criterion."
)
HARD_FILTERS = (
    "Filters: pairs of the chosen split with at least 3 raters and percent agreement of at least 0.60, "
    "checked on the numbers and not on the tags, without rows marked exclude_primary and without "
    "difficulty=ambiguous."
)
NON_ANSWERS = "Missing, abstained and unknown-item predictions count as wrong and are counted by kind."
CEILING = (
    "High agreement or accuracy may reflect easy contrasts; it is not a ceiling of model performance and "
    "must not be cited as one."
)
NON_CLAIMS = (
    "A score does not measure universal beauty, does not make the panel free of culture, and implies no gain "
    "in a product; small gaps within the interval are noise."
)
SIMULATED = (
    "Simulation: these labels are made up to test the plumbing. The figures are reported apart, are never "
    "merged with real ones, and support no claim."
)
SPREAD = "Spread is a consistency diagnostic over domains without adaptation, not a transfer matrix."
FLOORS = "Treat random_seed42 and hash_coin as the fair chance floors."
DIAGNOSTICS = (
    "Construction diagnostics are neither floors nor ceilings nor models; they show what the way the pairs "
    "were built gives away."
)

_TIER_SENTENCES = {
    PRIMARY_TIER: "Tier primary_human_expert: every label is the majority of independent human experts.",
    "public_reference": (
        "Tier public_reference: labels come from a published data set, not from this project's expert panel; "
        "they are reported apart from primary_human_expert."
    ),
    "crowd_reference": (
        "Tier crowd_reference: labels come from a crowd, not from experts; they are reported apart from "
        "primary_human_expert."
    ),
    "outcome": "Tier outcome: labels are recorded outcomes, not experts' votes.",
    SIMULATION: SIMULATED,
}

POLICY_SENTENCES = {
    "random_seed42": "A fair chance floor: sides drawn from a hash with seed 42, blind to the items.",
    "hash_coin": "A fair chance floor: sides drawn from a hash of the pair id, blind to the items.",
    "majority_side": (
        "The majority-class level: the side that holds more gold items in each domain of this very set, so "
        "it is never below one half; it shows imbalance of sides, not skill."
    ),
    "always_item_a": (
        "A high accuracy of always_item_a is an artifact of construction: preferred items were often placed "
        "as item_a. It is not a ceiling of model performance and must not be cited as one."
    ),
    "always_item_b": (
        "The complement of always_item_a and the same artifact of construction; it must not be cited as a "
        "ceiling."
    ),
    "leak_prefer_good_token": (
        "Exploits words in item ids and file names; it is not a fair baseline and is reported as a leakage "
        "diagnostic only."
    ),
    "oracle": "Copies gold, and so validates the harness only; it is no model and no ceiling.",
}


def policy_text(tier: str, origins: Iterable[str], diagnostics_beating_chance: Iterable[str]) -> str:
    """The ``policy`` string of the metrics: firewall, origin, filters and the disclosures that apply."""
    origin_list = ", ".join(sorted(origins)) or "none"
    sentences = [
        FIREWALL,
        f"Origin: data_origin of the gold rows is {origin_list}; gold_tier is {tier}.",
        _TIER_SENTENCES[tier],
        HARD_FILTERS,
        NON_ANSWERS,
        FLOORS,
        DIAGNOSTICS,
    ]
    leaks = ", ".join(diagnostics_beating_chance)
    if leaks:
        sentences.append(
            f"Above chance on these pairs without judging: {leaks}; read the accuracy beside it."
        )
    return " ".join([*sentences, SPREAD, CEILING, NON_CLAIMS])
