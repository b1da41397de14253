"""Property tests take the same examples at every run of the suite; ``make fuzz`` is what looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("suite", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("WIRELOOM_HYPOTHESIS", "suite"))
