"""Kaitai's gallery of formats, compiled here and held against what Kaitai's own compiler makes of it.

``python -m tests.conformance.gallery`` compiles every spec of the checkout that ``KAITAI_FORMATS`` names, imports and
lints and type-checks the modules, and counts the types that the engine can run. Where ``KAITAI_COMPILER`` names a
folder with the npm packages ``kaitai-struct-compiler`` and ``js-yaml``, files of many formats are parsed with the
classes of both compilers, and every value has to be the same. ``tests/conformance/gallery.json`` is the score; it must
not drop.
"""
