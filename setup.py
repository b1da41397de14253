"""Maps the source folders to import packages and builds the engine; everything else is in pyproject.toml."""

import os
import re
import sys
import sysconfig
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
# Debugging information contains the name of the build folder; without it, every build produces the same bytes.
OPTIONS = ["-O3", "-g0", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra"]
WINDOWS = sys.platform == "win32"
# A Python without the global lock does not load extensions for the stable interface: it gets an engine of its own.
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
TOP_LEVEL = {"wireloom": "runtime", "wireloom.codegen": "codegen", "wireloom.formats": "generated"}


def packages() -> dict[str, str]:
    """Return import package → folder for every folder below the three roots that contains Python modules."""
    found: dict[str, str] = {}
    for package, folder in TOP_LEVEL.items():
        for init in sorted((ROOT / folder).rglob("__init__.py")):
            relative = init.parent.relative_to(ROOT / folder)
            # Spark finds a data source by the name of a top-level package, so these are installed outside the tree in
            # which they are written.
            name = relative.name if relative.name.startswith("pyspark_") else ".".join((package, *relative.parts))
            found[name] = init.parent.relative_to(ROOT).as_posix()
    return found


def description() -> str:
    """Return the README as package indexes show it, with absolute links to the sources' address in pyproject.toml.

    If no address is given there, only the text of links is kept, and pictures are removed.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    address = project.get("urls", {}).get("Source", "").rstrip("/")
    text = (ROOT / "README.md").read_text("utf-8")
    if address:
        text = re.sub(r"!\[([^]]*)\]\((?!https?:|#)", rf"![\1]({address}/raw/HEAD/", text)
        return re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:|#)", rf"[\1]({address}/blob/HEAD/", text)
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


class BuildEngine(build_ext):
    """Builds the engine; a failure is an error unless WIRELOOM_WITHOUT_ENGINE is set, for the object parser alone."""

    def run(self) -> None:
        if os.environ.get("WIRELOOM_WITHOUT_ENGINE"):
            return
        super().run()

    def build_extensions(self) -> None:
        # setuptools compiles the files of an extension one after the other.
        one_after_the_other = self.compiler.compile

        def compile_in_parallel(sources: list[str], **options: object) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = pool.map(lambda source: one_after_the_other([source], **options), sources)
                return [path for paths in objects for path in paths]

        self.compiler.compile = compile_in_parallel
        super().build_extensions()

    def get_libraries(self, ext: Extension) -> list[str]:
        # The stable interface is that of python3.dll; by default the compiler uses the library of this exact version.
        return [*ext.libraries, "python3"] if WINDOWS and not FREE_THREADED else super().get_libraries(ext)


class BuildWheel(bdist_wheel):
    """Builds the wheel; the permissions of its files do not depend on those of the checkout."""

    def write_wheelfile(self, wheelfile_base: str, *arguments: str) -> None:
        # The last step before the content of the folder becomes the wheel.
        super().write_wheelfile(wheelfile_base, *arguments)
        for path in Path(self.bdist_dir).rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".so" else 0o644)


engine = Extension(
    "wireloom.engine._engine",
    sources=sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "runtime/engine").glob("*.c")),
    depends=sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "runtime/engine").glob("*.[dh]*")),
    # Assertions are for the builds with sanitizers (tests/engine/sanitizing.py).
    define_macros=[("NDEBUG", None), *([] if FREE_THREADED else [("Py_LIMITED_API", "0x030B0000")])],
    extra_compile_args=OPTIONS,
    libraries=["m"],
    extra_link_args=["-static-libgcc"] if WINDOWS else [],
    py_limited_api=not FREE_THREADED,
)

options = {} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}}
if WINDOWS:
    # Microsoft's compiler has no integers of 128 bits; gcc and clang have.
    options["build_ext"] = {"compiler": "mingw32"}
mapping = packages()
setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    packages=sorted(mapping),
    package_dir=mapping,
    ext_modules=[engine],
    cmdclass={"bdist_wheel": BuildWheel, "build_ext": BuildEngine},
    options=options,
)
