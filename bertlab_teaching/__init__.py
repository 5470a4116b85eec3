"""The teacher's tools: slides, book, quiz and marks, made from the lessons; bertlab never imports them."""
