"""What is made of the lessons for teaching: it uses bertlab, and bertlab never uses it."""
