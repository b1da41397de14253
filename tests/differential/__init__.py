"""Generated specs, data for them and damage to it: the engine, the object parser and Kaitai's own compiler agree."""
