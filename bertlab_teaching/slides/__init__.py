"""The content of slides: `plan` reads a lesson's file of slides, `stored` the outputs of its notebook."""
