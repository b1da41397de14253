"""The expression language: text → syntax tree → typed tree."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "fold": "constant constant_integer fold:folded",
        "lexer": "ExpressionError",
        "methods": "METHODS",
        "nodes": "Binary MemberAccess Name",
        "parser": "parse_expression parse_expressions parse_type_reference",
        "typer": "typed",
        "typerules": "combined type_name",
        "types": "Path AnyStructType BitsType BooleanType BytesType ComputedFloatType ComputedIntegerType EnumType"
        " FloatType IntegerType ListType StreamType StringType Type UnionType UserType VarintType",
        "walk": "walk:walked",
    },
)
