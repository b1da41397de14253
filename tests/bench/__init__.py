"""``make bench``: speed, as ratios against peers and bounds that are run alternately with the work itself."""
