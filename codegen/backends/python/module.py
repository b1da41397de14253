"""The state of the lowering of one module: imports, packers, tables of enums."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from wireloom.checksums import algorithm
from wireloom.format.routines import kaitai_place

from ...expression.nodes import CoveredChecksum, TableLiteral
from ...expression.types import Path, UserType
from ...passes.dependencies import DerivedValues, derived_values
from ...tree import Attribute, Spec, Struct
from ...tree.leaves import Process
from .message_rules import message_paths
from .names import Api, class_name, constant_name, covered_slot, enum_classes, module_name, qualified
from .statements import when

STANDARD = {
    "Any": "typing",
    "TYPE_CHECKING": "typing",
    "IntEnum": "enum",
    "Iterator": "collections.abc",
    "count": "itertools",
    "BinaryIO": "typing",
    "ClassVar": "typing",
    "defaultdict": "collections",
    "Mapping": "collections.abc",
    "cast": "typing",
    "Message": "wireloom.objects.messages.objects",
    "MessageError": "wireloom.objects.messages.errors",
    "decode_replacing": "wireloom.objects.messages.expressions",
    "integer_text": "wireloom.objects.messages.expressions",
    **dict.fromkeys(("FieldKind", "FieldRule", "Label", "MessageRule", "MessageSet"), "wireloom.format.message_rules"),
}
"""Names that generated code may use, and the modules they are imported from; all others come from wireloom.objects or,
for Kaitai's read-write API, from wireloom.objects.readwrite."""


@cache
def _read_write_names() -> frozenset[str]:
    # Imported for this API only, since it takes longer than to generate a small module.
    from wireloom.objects import readwrite

    return frozenset(readwrite.__all__)


class Module:
    """A generated module under construction.

    ``package``: where modules of imported specs are imported from, for Kaitai's API; see ``_neighbours``.
    """

    def __init__(self, spec: Spec, api: Api = Api.WIRELOOM, package: str = "") -> None:
        self.spec = spec
        self.api = api
        self.package = package
        self.absent: dict[tuple[Path, str], bool] = {}
        """Whether instances may be ``None``, cached by the module ``absence``."""
        self.message_numbers = {path: number for number, path in enumerate(message_paths(spec))}
        """Index of each message type in ``MESSAGES``."""
        self._enum_classes: dict[Path, dict[str, str]] = {}
        self._classes: set[str] = set()
        for each in spec.structs:
            self._classes.add(class_name(each.path[-1]))
            self._classes.update(self.enum_classes(each).values())
        self._modules: set[str] = set()
        self._names: dict[str, set[str]] = defaultdict(set)
        self._others: set[str] = set()
        self._packers: dict[str, str] = {}
        self._checksums: dict[str, str] = {}
        self._constant_tables: dict[str, str] = {}
        self._tables: dict[str, str] = {}
        self._setters: dict[str, tuple[str, str]] = {}
        self._routines: dict[str, str] = {}
        """Import statements of routines, each with the local name."""

    def use(self, name: str) -> str:
        """Return the local name of a name from Python's library or from ``wireloom.objects``, and import it."""
        writes = self.api is Api.KAITAI_READ_WRITE and name in _read_write_names()
        home = "wireloom.objects.readwrite" if writes else "wireloom.objects"
        self._names[STANDARD.get(name, home)].add(name)
        return self._local(name)

    def _local(self, name: str) -> str:
        """Return the name under which something is imported. The name begins with an underscore, as no name of a spec
        does, if a class of the spec has the name, or if it is used among declarations of fields, which might have it.
        """
        return f"_{name}" if name in self._classes or name == "kept" else name

    @cached_property
    def derived_values(self) -> DerivedValues:
        """Return, by type, the fields and parameters that a writer solves for."""
        return derived_values(self.spec)

    @cached_property
    def buffered(self) -> frozenset[Path]:
        """Return the types that are read from a buffer: those of repeated objects that allow it, and of the objects
        inside them.
        """
        fields = (each for type in self.spec.structs for each in type.all_attributes if self.has_series(each))
        return frozenset(self.spec.reached(kind.path for each in fields for kind in each.object_types))

    def has_series(self, field: Attribute) -> bool:
        """Return whether the items of a repeated field are read from a buffer."""
        return field.buffered and not self.debug

    @property
    def debug(self) -> bool:
        """Return whether objects record the positions of their fields."""
        return self.spec.debug and self.api is not Api.WIRELOOM

    def reads_at_once(self, kind: UserType) -> bool:
        """Return whether the constructor of a type's class reads; otherwise the creator of an object calls its
        ``_read``.
        """
        if self.api is Api.KAITAI_READ_WRITE:
            return False
        spec = next((each for each in (self.spec, *self.spec.imports) if each.root.path == kind.path[:1]), None)
        return self.api is Api.WIRELOOM or spec is None or not spec.debug

    def use_module(self, name: str) -> str:
        """Return the local name of a module of Python's library, and import it."""
        self._modules.add(name)
        return name

    def class_of(self, path: Path) -> str:
        """Return the class of a type, of this spec or of an imported one."""
        if path[0] == self.spec.root.path[0]:
            return qualified(path)
        self._others.add(path[0])
        return f"_{path[0]}.{qualified(path)}"

    def enum_of(self, path: Path) -> str:
        """Return the class of an enum, of this spec or of an imported one."""
        return f"{self.class_of(path[:-1])}.{self.enum_classes(self.spec.struct(path[:-1]))[path[-1]]}"

    def enum_classes(self, holder: Struct) -> dict[str, str]:
        """Return the classes of the enums of a type, see ``names.enum_classes``."""
        if holder.path not in self._enum_classes:
            self._enum_classes[holder.path] = enum_classes(holder)
        return self._enum_classes[holder.path]

    def routine(self, process: Process) -> str:
        """Return the class that a ``process`` names, imported as Kaitai's compiler imports it, but under a separate
        name."""
        module, _, kind = kaitai_place(process.name).partition(":")
        if "." in process.name:
            return f"{self._imported(f'import {module}', module.replace('.', '_'))}.{kind}"
        return self._imported(f"from {module} import {kind}", kind)

    def _imported(self, statement: str, name: str) -> str:
        """Return the local name of an import for routines. No name of a spec begins with an underscore."""
        if statement not in self._routines:
            others = (each.name for each in (self.spec, *self.spec.imports))
            taken = {*self._routines.values(), *(f"_{each}" for each in (*self._classes, *others))}
            local = f"_{name}"
            while local in taken:
                local += "_"
            self._routines[statement] = local
        return self._routines[statement]

    def packer(self, path: Path, name: str, code: str) -> str:
        """Return the constant with the ``struct.Struct`` of ``code``, named after the field that it begins with."""
        for constant, other in self._packers.items():
            if other == code:
                return constant
        constant = constant_name(path, name)
        while constant in self._packers:
            constant += "_"
        self._packers[constant] = code
        return constant

    def checksum(self, of: str, initial: int, final_xor: int) -> str:
        """Return the constant with the function of the algorithm ``of`` with these parameters."""
        parameters = () if algorithm(of) == algorithm(of, initial, final_xor) else (initial, final_xor)
        arguments = ", ".join([repr(of), *map(hex, parameters)])
        made = f"{self.use('checksum_function')}({arguments})"
        name = re.sub(r"\W+", "_", "_".join(("", of.upper(), *map("{:X}".format, parameters))))
        while name in self._checksums.values() and self._checksums.get(made) != name:
            name += "_"
        return self._checksums.setdefault(made, name)

    def covered_checksum(self, node: CoveredChecksum) -> str:
        """Return the text of a checksum that is the value of an instance."""
        function = self.checksum(node.algorithm, node.initial, node.final_xor)
        return f"{function}({self.use('covered')}(self, {covered_slot(node.id)!r}))"

    def constant_table(self, node: TableLiteral, annotation: str) -> str:
        """Return the constant with a table of constants."""
        entries = ", ".join(f"{key!r}: {value!r}" for key, value in node.entries)
        made = f"{annotation}({{{entries}}})"
        return self._constant_tables.setdefault(made, f"_TABLE_{len(self._constant_tables) + 1}")

    def table(self, path: Path) -> str:
        """Return the constant that maps the values of an enum to its members."""
        constant = constant_name(path, "members")
        self._tables[constant] = self.enum_of(path)
        return constant

    def setter(self, path: Path, field: str) -> str:
        """Return the function that sets a field of a type without noting that it was assigned."""
        self.use("setter")
        name = "_".join(("_put", *path, field))
        self._setters[name] = self.class_of(path), field
        return name

    @property
    def imports(self) -> tuple[str, ...]:
        """Return all import statements, in the order that the linter requires."""
        statements = ["from __future__ import annotations", ""]
        others = self._neighbours(sorted(self._others))
        if self._packers:
            self.use_module("struct")
        statements += [f"import {name}" for name in sorted(self._modules)]
        own = {each for each in self._names if each.startswith("wireloom.")}
        routines = [f"{statement} as {local}" for statement, local in self._routines.items()]
        installed = sorted([*self._from(own), *routines], key=_statement_order)
        statements += self._from(set(self._names) - own)
        if installed:
            statements += ["", *installed] if statements[-1] else installed
        if others:
            statements += ["", *others]
        return tuple(statements)

    def _from(self, modules: set[str]) -> Iterator[str]:
        """Yield the statements that import names from modules."""
        for module in sorted(modules):
            names = sorted(self._names[module], key=_import_order)
            plain = ", ".join(name for name in names if self._local(name) == name)
            if plain:
                yield f"from {module} import {plain}"
            renamed = (name for name in names if self._local(name) != name)
            yield from (f"from {module} import {name} as {self._local(name)}" for name in renamed)

    def _neighbours(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the statements that import the modules of the specs ``names``, each under its name with an underscore.

        Each format of wireloom has a package of its own. Modules with Kaitai's API are side by side: in ``package``
        (``.`` is the package that contains them, whatever its name), or, if that is empty, in a folder that is a
        package or on Python's path, which is known only when they are imported.
        """
        if not names:
            return ()
        if self.api is Api.WIRELOOM:
            return tuple(f"from ..{name} import parser as _{name}" for name in names)
        inside = [f"from {self.package or '.'} import {module_name(name)} as _{name}" for name in names]
        if self.package:
            return tuple(inside)
        # A type checker takes the first branch, which requires the folder to be on its path.
        outside = [f"import {module_name(name)} as _{name}" for name in names]
        return (when(f"{self.use('TYPE_CHECKING')} or not __package__", outside, tuple(inside)),)

    @property
    def constants(self) -> tuple[str, ...]:
        """Return the assignments of checksum functions, tables of constants and packers, which precede the class."""
        return (
            *(f"{name} = {made}" for made, name in self._checksums.items()),
            *(f"{name} = {made}" for made, name in self._constant_tables.items()),
            *(f"{name} = struct.Struct({code!r})" for name, code in self._packers.items()),
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the assignments that require the class."""
        tables = (
            f"{name}: dict[int, {kind}] = {{member.value: member for member in {kind}}}"
            for name, kind in self._tables.items()
        )
        local = self._local("setter")
        return (*tables, *(f"{name} = {local}({kind}, {field!r})" for name, (kind, field) in self._setters.items()))

    @property
    def root_class(self) -> str:
        """Return the unqualified name of the root's class."""
        return class_name(self.spec.root.path[-1])


def _statement_order(statement: str) -> tuple[bool, str]:
    """Return a sort key: ``import`` before ``from``, then by module, as the linter requires."""
    word, module = statement.split()[:2]
    return word == "from", module


def _import_order(name: str) -> tuple[int, str]:
    """Return a sort key: constants, then classes, then functions, as the linter requires."""
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name
