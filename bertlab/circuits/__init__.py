"""Lesson 9, Circuits: swap vectors between sentences, and turn heads up and down, to see which parts make an answer."""

from bertlab.circuits import figures
from bertlab.circuits.means import share_kept, share_lost
from bertlab.circuits.patching import patch_heads, patch_positions, preference
from bertlab.circuits.scaling import scaled
