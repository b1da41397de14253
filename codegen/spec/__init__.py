"""Spec text → checked syntax tree: YAML with positions, the tables of the dialect, diagnostics."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "builtin_types": "BUILT_IN",
        "diagnostic": "Diagnostic",
        "diagnostics": "Diagnostics InvalidSpecError MAX_DIAGNOSTICS",
        "kinds": "EitherKind Kind ListKind MapKind Table TableKind TextKind",
        "lookup": "lookup:look_up names",
        "position": "Position",
        "reader": "MAX_DEPTH read_yaml",
        "reference": "reference:dialect_reference",
        "rendering": "MAX_WIDTH excerpt rendered",
        "scalars": "plain_value",
        "schema": "schema:dialect_schema",
        "tables": "EXTENSION TABLES",
        "tree": "Mapping Scalar Sequence YamlNode",
        "validator": "Validator",
    },
)
