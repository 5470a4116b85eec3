"""The course as a web of pages that need nothing but a browser: `site` writes it, `page` makes one page of it."""
