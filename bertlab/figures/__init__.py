"""Figures that every lesson draws: plots with their captions, and the map of BERT."""

from bertlab.figures.bert_map import STATIONS, draw_map, map_of_bert
from bertlab.figures.captioned import CaptionedFigure
from bertlab.figures.plots import PALETTE, arrows, axes, heatmap, lines, png, scatter, shares

__all__ = [
    "PALETTE",
    "STATIONS",
    "CaptionedFigure",
    "arrows",
    "axes",
    "draw_map",
    "heatmap",
    "lines",
    "map_of_bert",
    "png",
    "scatter",
    "shares",
]
