"""The course as a Sphinx book for students: `build` writes it, from sources that the other modules make."""
