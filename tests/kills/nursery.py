"""What the server that appenders are forked from has ready, so that they begin at once."""

from .appender import SUBJECTS

FORMATS = [each.format for each in SUBJECTS.values()]
