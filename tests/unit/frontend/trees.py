"""Expression trees as text."""

from __future__ import annotations

from wireloom.codegen.expression import nodes


def written(node: nodes.Node) -> str:
    """Return the tree as text with all possible brackets."""
    match node:
        case nodes.IntegerLiteral(value=value) | nodes.FloatLiteral(value=value):
            return str(value)
        case nodes.BooleanLiteral(value=flag):
            return str(flag).lower()
        case nodes.StringLiteral(value=text):
            return repr(text)
        case nodes.FormattedString(parts=parts):
            return f"f({' '.join(map(written, parts))})"
        case nodes.ListLiteral(items=items):
            return f"[{', '.join(map(written, items))}]"
        case nodes.Name(id=id):
            return id
        case nodes.MemberAccess(value=value, name=name):
            return f"{written(value)}.{name}"
        case nodes.Call(value=value, name=name, arguments=arguments):
            return f"{written(value)}.{name}({', '.join(map(written, arguments))})"
        case nodes.Subscript(value=value, index=index):
            return f"{written(value)}[{written(index)}]"
        case nodes.Unary(operator=operator, operand=operand):
            return f"({operator} {written(operand)})"
        case nodes.Binary() | nodes.Comparison() | nodes.Logical():
            return f"({written(node.left)} {node.operator} {written(node.right)})"
        case nodes.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({written(condition)} ? {written(then)} : {written(otherwise)})"
        case nodes.EnumMember(path=path, label=label):
            return "::".join((*path, label))
        case nodes.Cast(value=value, target=target):
            return f"{written(value)}.as<{target}>"
        case nodes.SizeOf(target=target, unit=unit):
            return f"{'bit' if unit == 'bit' else ''}sizeof<{target}>"
    raise AssertionError(node)
