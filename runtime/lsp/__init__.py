"""The language server of specs: what the generator says about a text, in the terms of the protocol of editors."""
