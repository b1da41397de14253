"""The generator: compiles specs to code. Generated code does not need it at run time."""
