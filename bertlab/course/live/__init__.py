"""A BERT in a page, in plain JavaScript: `page` writes it; `tokenizer.js` and `model.js` are the BERT, to be read."""
