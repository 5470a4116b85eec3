"""What stands on the slides: `plan` reads a lesson's file of slides, `stored` its notebook's outputs."""
