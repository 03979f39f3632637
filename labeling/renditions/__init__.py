"""Renditions: what a rater sees of an item, made from bytes nobody vouches for.

Pure: bytes and a name in, bytes out. One codec, one quality and no metadata for every picture, and one list
of allowed elements for every document, so that neither format nor origin can be told from what is sent.
"""

from labeling.renditions.rendering import render
from labeling.renditions.result import CannotRender, Refusal, Rendition, SourceFacts

__all__ = ["CannotRender", "Refusal", "Rendition", "SourceFacts", "render"]
