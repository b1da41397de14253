"""The model of a spec: names resolved, types and sizes known; frozen."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "nesting": "MAX_TYPE_DEPTH",
        "declare": "Declarer",
        "imports": "Loader",
        "load": "Result analyse load:load_spec MAX_MEMBERS",
        "parents": "find_parents",
        "scope": "NOTHING StructScope Typing",
        "sizes": "Sizes",
        "symbols": "World",
    },
)
