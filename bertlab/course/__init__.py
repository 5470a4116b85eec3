"""The course as files and commands: the notebooks, slides, and a page about this installation."""
