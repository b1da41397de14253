"""Pairs of the dialect's constructs: specs in which every two of them meet, read by both readers."""
