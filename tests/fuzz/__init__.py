"""``make fuzz``: searches for inputs that break the engine, a Python interface, or the agreement of two readers."""
