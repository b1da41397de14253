"""Errors, reports and text helpers that all other packages use."""
