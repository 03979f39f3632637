"""Small folders of tables, as an admin hands them in."""

ITEMS = [
    "item_id,domain,uri_or_payload_ref,era_tag,circle_tags,license,data_origin",
    "v1,visual,text:one,,,CC-BY-4.0,simulation",
    "v2,visual,text:two,,,CC-BY-4.0,simulation",
    "b1,book,text:A page.,1920s,club;press,CC-BY-4.0,simulation",
    "b2,book,text:Another page.,,,CC-BY-4.0,simulation",
]
PAIRS = [
    "pair_id,domain,item_a,item_b,condition_era,condition_circle,pair_group_id,cue_type,difficulty,split,"
    "data_origin,brief",
    "p1,visual,v1,v2,,,,,easy,test,simulation,",
    "p2,book,b1,b2,,,,,hard,dev,simulation,A brief.",
]


def write_folder(folder, *, items=ITEMS, pairs=PAIRS, files=None):
    """Write the tables (lines, the header first; None leaves one out) and `files` {path: bytes}."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("bench_items.csv", items), ("bench_pairs.csv", pairs)):
        if lines is not None:
            (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for path, data in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def many(n_pairs, *, bad_row=None):
    """Items and pairs by the thousand; the item of `bad_row` names a file that is not there."""
    items, pairs = [ITEMS[0]], [PAIRS[0]]
    for number in range(n_pairs):
        for side in "ab":
            reference = "missing.png" if (number, side) == (bad_row, "a") else f"text:{number}{side}"
            items.append(f"i{number}{side},visual,{reference},,,CC-BY-4.0,simulation")
        pairs.append(f"p{number},visual,i{number}a,i{number}b,,,,,easy,test,simulation,")
    return items, pairs
