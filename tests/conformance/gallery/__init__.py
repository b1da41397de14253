"""Kaitai's gallery of formats, compiled here and compared with the output of Kaitai's own compiler.

``python -m tests.conformance.gallery`` compiles every spec of the checkout that ``KAITAI_FORMATS`` names, imports,
lints and type-checks the modules, and counts the types that the engine can run. If ``KAITAI_COMPILER`` names a folder
with the npm packages ``kaitai-struct-compiler`` and ``js-yaml``, files of many formats are parsed with the classes of
both compilers, and every value must be the same. ``tests/conformance/gallery.json`` is the score, which must not drop.
"""
