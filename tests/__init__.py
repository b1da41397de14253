import os

# The cache of this machine's user is neither read nor changed, by tests and by the programs in this package.
os.environ["WIRELOOM_CACHE"] = "off"
