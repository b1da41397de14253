"""Damage campaigns: known records are written, damaged at random, and read again. ``python -m tests.campaigns
--help``."""
