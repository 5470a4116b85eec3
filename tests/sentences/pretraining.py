"""The captions of lesson 7 that the package words."""

import pandas as pd

from bertlab.pretraining import figures


def said():
    copies = pd.DataFrame({"step": [0, 250, 20_000, 21_000, 24_800], "held_out_loss": [10, 7, 3.38, 3.58, 3.19]})
    copies["the_mat"] = ["fib smell", "the of", *["boy man"] * 3]
    yield "the diary, untold", figures.first_words(copies, 20_000, told=False).caption
    yield "the diary", figures.first_words(copies, 20_000, told=True).caption
