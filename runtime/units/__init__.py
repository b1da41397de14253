"""Units of an input, each of them a message: how they are there, and what is around them."""
