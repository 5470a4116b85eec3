"""Plots with captions, and the map of BERT, for all lessons."""

from bertlab.figures.bert_map import STATIONS, map_of_bert
from bertlab.figures.captioned import CaptionedFigure
from bertlab.figures.plots import PALETTE, arrows, axes, curve, heatmap, lines, png, scatter
from bertlab.figures.progress_bar import progress
