"""Units of an input, each of which is a message: their framing and envelopes."""
