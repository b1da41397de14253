"""Kaitai's own test suite (kaitai-io/kaitai_struct_tests), unchanged, against ``wireloom generate --kaitai``.

The environment variable ``KAITAI_TESTS`` is the folder of a checkout. ``python -m tests.conformance`` runs all parts
and rewrites ``scores.json``; ``test_scores.py`` fails if a score drops below the stored one.
"""
