"""Formats: descriptions, programs, and the registry."""
