"""The model of a spec: names resolved, types and sizes known; frozen."""
