"""Damage campaigns: known records, written, damaged at random, read again. ``python -m tests.campaigns --help``."""
