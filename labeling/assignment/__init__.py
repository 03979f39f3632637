"""Who sees which pair, in what order, on which side: the plan of a round's packets.

Pure: integers, strings and a seed in, a plan out. `plan` promises, for any numbers of pairs and raters:

* every pair goes to exactly k different raters, and no rater gets two members of a family;
* loads of first showings differ by at most one;
* of a pair's k first showings, item_a is on the left in floor or ceil of k/2;
* in a packet, and in each domain of it, item_a is on the left in half of the showings, within one;
* a repeat mirrors its first showing and comes at least `REPEAT_GAP` showings later.

`extend` adds showings to a round that collects: pairs passed on to other raters, or topped up.
"""

from labeling.assignment.dealing import AssignmentImpossible
from labeling.assignment.extending import AddedShowing, Standing, WantedPair, extend
from labeling.assignment.ordering import REPEAT_GAP, repeats_in
from labeling.assignment.planning import PlannedShowing, PlanPair, RoundPlan, plan
from labeling.assignment.preview import PacketPreview, RoundPreview, preview

__all__ = [
    "REPEAT_GAP",
    "AddedShowing",
    "AssignmentImpossible",
    "PacketPreview",
    "PlanPair",
    "PlannedShowing",
    "RoundPlan",
    "RoundPreview",
    "Standing",
    "WantedPair",
    "extend",
    "plan",
    "preview",
    "repeats_in",
]
