"""The names that an answer may use: those of lessons and solutions, and operations that libraries list themselves."""

import ast
import collections
import itertools
import math
import random
import re
import statistics
import typing
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bertlab import lessons
from bertlab_teaching import solving

MODULES = {
    *("bertlab", "collections", "dataclasses", "functools", "itertools", "math", "matplotlib", "numpy", "pandas"),
    *("random", "re", "scipy", "sklearn", "statistics", "string", "torch", "transformers", "typing"),
}
BUILT_IN = {"__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals"}
BUILT_IN |= {"open", "setattr", "vars"}
"""Python's own functions with which a cell reaches what it was not given."""

# Common in programs that compute, and in none of the lists.
COMMON = {"Tensor", "as_tensor", "char_to_token", "dataclass", "device", "distance", "empty", "finfo", "from_numpy"}
COMMON |= {"iinfo", "inference_mode", "is_tensor", "layer_norm_eps", "linalg", "lru_cache", "metrics", "nan", "ndarray"}
COMMON |= {"most_common", "newaxis", "pairwise", "partial", "pyplot", "reduce", "spatial"}
# Listed names that read or write a file, run text as a program, or run a function later.
KEPT_OUT = re.compile(
    r"apply_|ctypes|dumps?|eval|format(_map)?|from_pretrained|get_type_hints|load_state_dict|map2?_|mkdtemp|module_load"
    r"|pipe|query|read_(csv|text)|register_.*|save.*|style|to_(?!dict|numpy).*|tofile|evaluate_.*|ForwardRef"
)


def unusual(answer: str) -> list[str]:
    """Return the names in an answer that no honest answer is known to need, and the classes that it defines."""
    names, paths = _known(lessons.folder())
    nodes = list(ast.walk(ast.parse(answer)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    # A model's eval and query are harmless; those of pandas run text as a program.
    of_models = {call.func for call in calls if ast.unparse(call).endswith(".eval()")} | _queries(nodes)
    odd: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
            for path in (start + alias.name for alias in node.names):
                module, *parts = path.split(".")
                if module not in MODULES or not (path in paths if module == "bertlab" else names.issuperset(parts)):
                    odd.append(f"import {path}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "__" in node.value:
            odd.append(f"{node.value!r:.40}")
        elif isinstance(node, ast.Name) and (node.id in BUILT_IN or node.id.startswith("__")):
            odd.append(node.id)
        elif isinstance(node, ast.ClassDef):
            odd.append(f"class {node.name}")
        elif isinstance(node, ast.MatchClass):
            odd += set(node.kwd_attrs) - names
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            odd.append(f"{node.attr} = ...")
        elif isinstance(node, ast.Attribute) and node not in of_models:
            path = ast.unparse(node)
            odd += [] if (path in paths if path.startswith("bertlab.") else node.attr in names) else [node.attr]
    odd += ["type"] * any(ast.unparse(call.func) == "type" and len(call.args) > 1 for call in calls)
    return list(dict.fromkeys(odd))


def _queries(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """Return each `query` of what can only be an attention layer, whose query is a layer too."""

    def is_attention(node: ast.AST) -> bool:  # as in `layer.attention.self`
        return isinstance(node, ast.Attribute) and node.attr in ("attention", "self")

    assigned = [node for node in nodes if isinstance(node, ast.Assign) and is_attention(node.value)]
    own = {target for node in assigned for target in node.targets if isinstance(target, ast.Name)}
    stored = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    bound = {node.id for node in stored if node not in own}  # to something else, too
    bound |= {getattr(node, name, None) for node in nodes for name in ("arg", "asname", "name", "rest")}
    names = {"attention", *(name.id for name in own)} - bound  # `attention` is also the lesson's
    queries = {node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "query"}
    return {node for node in queries if is_attention(node.value) or getattr(node.value, "id", None) in names}


@cache
def _known(folder: Path) -> tuple[set[str], set[str]]:
    """Return the attribute names, and the whole paths in the package, that the lessons use or libraries list."""
    names, paths = _listed() | COMMON, {"bertlab"}
    for lesson in sorted(folder.glob("[0-9]*.ipynb")):
        cells = [cell.source for cell in solving.shown(lesson).cells if cell.cell_type == "code"]
        for node in ast.walk(ast.parse("\n".join([*cells, solving.solutions_of(lesson)]))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in MODULES:
                names |= {*node.module.split("."), *(alias.name for alias in node.names)}
            elif isinstance(node, ast.Attribute) and not (path := ast.unparse(node)).startswith("bertlab."):
                names.add(node.attr)
            elif isinstance(node, ast.Attribute) and ".checks" not in path:
                paths.add(path)  # its beginnings are nodes too
    return {name for name in names if not (name.startswith("_") or KEPT_OUT.fullmatch(name))}, paths


@cache
def _listed() -> set[str]:
    """Return the names that the libraries themselves list as public operations."""
    import numpy as np
    import pandas as pd
    import sklearn.metrics
    from scipy import special, stats
    from scipy.spatial import distance
    from torch.nn import modules
    from torch.overrides import get_overridable_functions

    of_torch = {function.__name__ for of_module in get_overridable_functions().values() for function in of_module}
    of_numpy = {
        name
        for part in (np, np.linalg)
        for name, value in vars(part).items()
        if isinstance(value, np.ufunc) or hasattr(value, "_implementation")
    }
    kinds = (str, list, dict, set, tuple, int, float, np.ndarray, np.random.Generator, pd.DataFrame, pd.Series)
    of_objects = {name for kind in kinds for name in dir(kind)} | {kind.__name__ for kind in np.sctypeDict.values()}
    listed = (collections, random, re, statistics, typing, special, stats, distance, sklearn.metrics, modules)
    of_modules = {*dir(math), *dir(itertools), *(name for module in listed for name in vars(module)["__all__"])}
    return of_torch | of_numpy | of_objects | of_modules
