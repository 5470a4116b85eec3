"""Write the file of sentences."""

from sentences import FILE, all_said

FILE.write_text(all_said(), encoding="utf-8")
