"""The modules that are preloaded by the server from which appenders are forked, so that they start at once."""

from .appender import SUBJECTS

FORMATS = [each.format for each in SUBJECTS.values()]
