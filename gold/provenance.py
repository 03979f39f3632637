"""What gold may be called: its tier and origin, checked against what the pairs say of themselves."""

import numpy as np
import pyarrow.compute as pc

from labeling.tables import Frame, TableErrors
from labeling.tables.contract import DATA_ORIGINS, GOLD_TIERS

SIMULATION = "simulation"
"""A tier and an origin: made-up rows have both."""
PRIMARY_TIER, STUDY_ORIGIN = "primary_human_expert", "study_human_expert"
ARCHIVAL_TIER = "provisional_agent_panel"
"""Kept as a record of what was superseded: every row is out of the headline, and nothing is scored on it."""


class ProvenanceError(Exception):
    """A tier or origin that the pairs contradict. The message says how to mend it."""


def declared(pairs: Frame, tier: str | None, origin: str | None) -> tuple[str, tuple[str, ...]]:
    """The gold tier, and the origins the rows will bear, sorted: `origin` if given, else the pairs' own.

    Simulated pairs are tier simulation without being told; all others need a `tier`, because no table says
    what kind of people its raters were. Raises TableErrors when simulated and real pairs share the table, and
    ProvenanceError when tier or origin is unknown, missing, or contradicts the pairs.
    """
    _known("tier", tier, GOLD_TIERS)
    _known("origin", origin, DATA_ORIGINS)
    own = _unmixed_origins(pairs)
    if origin not in (None, SIMULATION) and SIMULATION in own:
        raise ProvenanceError(f"The pairs are simulated, so gold made on them cannot be of origin {origin}.")
    origins = own if origin is None else (origin,)
    simulated = origins == (SIMULATION,)
    if tier is None:
        if simulated:
            return SIMULATION, origins
        raise ProvenanceError(
            "Say with --tier what kind of gold this is; only simulated pairs need no word on it. "
            f"One of {', '.join(GOLD_TIERS)}."
        )
    if not origins:
        return tier, origins  # a table without rows contradicts nothing
    if simulated and tier != SIMULATION:
        raise ProvenanceError(f"The rows are of origin simulation, so their tier is simulation, not {tier}.")
    if tier == SIMULATION and not simulated:
        raise ProvenanceError(
            f"The rows are of origin {', '.join(origins)}, so their tier cannot be simulation. "
            "For made-up votes on real pairs, add --origin simulation."
        )
    if tier == PRIMARY_TIER and origins != (STUDY_ORIGIN,):
        raise ProvenanceError(
            f"Tier {PRIMARY_TIER} is for this study's own experts, but the rows are of origin "
            f"{', '.join(origins)}. If such experts judged these pairs, add --origin {STUDY_ORIGIN}; else "
            "choose another tier."
        )
    return tier, origins


def _known(option: str, value: str | None, values: tuple[str, ...]) -> None:
    if value is not None and value not in values:
        raise ProvenanceError(f"--{option} {value} is unknown; it is one of {', '.join(values)}.")


def _unmixed_origins(pairs: Frame) -> tuple[str, ...]:
    codes, values = pairs.encoded("data_origin")
    simulated = pc.equal(values, SIMULATION).to_numpy(zero_copy_only=False)[codes]
    if simulated.any() and not simulated.all():
        row = int(np.flatnonzero(simulated != simulated[0])[0])
        n = int(simulated.sum())
        what = f"simulated and real pairs share this table ({n} of {len(pairs)} are simulated)"
        cure = "Make two tables: simulated and real labels are never reported or released together"
        raise TableErrors([pairs.error(row, "data_origin", what, cure)])
    return tuple(sorted(values.to_pylist()))
