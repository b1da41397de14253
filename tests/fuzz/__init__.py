"""``make fuzz``: looks for inputs that break the engine, a Python surface, or the agreement of two readers."""
