"""The studio: a local web page with a spec in an editor next to the bytes, fields and rows of a file.

``serving`` and ``application`` require the extra ``studio``.
"""
