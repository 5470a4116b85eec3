"""Lesson 9, Circuits: swap vectors between sentences, and turn heads up and down, to see which parts make an answer."""

from bertlab.circuits.lens import logit_lens
from bertlab.circuits.patching import patch_heads, patch_positions, preference, share_kept, share_lost
from bertlab.circuits.scaling import scaled
