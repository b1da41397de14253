"""Made-up specs, their data and damage to it: the engine, the object parser and Kaitai's own compiler agree."""
