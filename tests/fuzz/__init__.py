"""``make fuzz``: looks for inputs that break the engine or on which the engine and the objects differ."""
