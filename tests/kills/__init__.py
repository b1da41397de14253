"""Appenders that are killed: what was acknowledged is read, and only what a kill tore is damaged."""
