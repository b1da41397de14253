"""wireloom: binary logs and streams from declarative specs."""
