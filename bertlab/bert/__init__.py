"""Load a BERT and read text with it: the room that every lesson enters first."""

from bertlab.bert.hub import CheckpointError, MissingPartError
from bertlab.bert.loading import SHIPPED, Bert, load, untrained
from bertlab.bert.reading import Reading
from bertlab.bert.texts import Text
