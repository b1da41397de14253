"""Units of an input, each of them a message: how they stand there, and what stands around them."""
