"""``make bench``: speed, as ratios against peers and bounds that run in turn with the work itself."""
