#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of one MPI from its own header, and ends the build where its library holds what nobody wraps.

    generate.py --header PREPROCESSED --libraries LIBMPI.so... --exceptions FILE --into FOLDER

PREPROCESSED is mpi.h after the preprocessor. Written: functions.inc (a line a function: name and what its arguments
mean), real.hpp (the MPI's own functions, for code behind the wrappers), and both names of each function: doors_own.cpp (those with code
of their own) and doors_<n>.cpp (the others).
What an argument means follows from its name, which the MPI standard fixes; calls.py holds what names cannot tell.
"""
import argparse
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser

import calls

HANDLES = {"MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op",
           "MPI_Request", "MPI_Session", "MPI_Win"}
FILES = 3  # so that compilers can work side by side, and none needs a gigabyte


class Function:
    def __init__(self, declaration):
        self.name = declaration.name
        self.result = text_of(declaration.type.type)
        parameters = declaration.type.args.params if declaration.type.args else []
        self.variadic = any(isinstance(p, c_ast.EllipsisParam) for p in parameters)
        parameters = [p for p in parameters if not isinstance(p, c_ast.EllipsisParam)]
        if len(parameters) == 1 and text_of(parameters[0]) == "void":
            parameters = []
        self.arguments = [p.name or f"argument_{i}" for i, p in enumerate(parameters)]
        self.parameters = [named(p, name) for p, name in zip(parameters, self.arguments)]
        self.types = [type_of(p) for p in parameters]
        if self.variadic:  # a callee finds the words of a variadic call where it finds those of any other
            extra = calls.VARIADIC_WORDS
            self.arguments += [f"word_{i}" for i in range(extra)]
            self.parameters += [f"void *word_{i}" for i in range(extra)]
            self.types += ["void *"] * extra


def text_of(node):
    return c_generator.CGenerator().visit(node)


def named(parameter, name):
    """The parameter as C++ declares it, with `name`."""
    inner = parameter.type
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    inner.declname = name
    parameter.name = name
    return text_of(parameter)


def type_of(parameter):
    """The parameter's type without a name; arrays as the pointers that they are."""
    inner = parameter.type
    while not isinstance(inner, c_ast.TypeDecl):
        inner = inner.type
    name, inner.declname = inner.declname, None
    kind = parameter.type
    if isinstance(kind, c_ast.ArrayDecl):
        kind = c_ast.PtrDecl([], kind.type)
    text = text_of(c_ast.Typename(None, [], None, kind))
    inner.declname = name
    return text


def declared_functions(header):
    """{name: Function} of all MPI_x in the header."""
    tree = c_parser.CParser().parse(Path(header).read_text(encoding="utf-8"), str(header))
    found = {}
    for node in tree.ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl) and re.match(r"MPI_[A-Z]", node.name):
            found[node.name] = Function(node)
    return found


def exported_names(libraries):
    """The MPI_x and PMPI_x of the libraries that are functions."""
    lines = subprocess.run(["nm", "-D", "--defined-only", *libraries], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines() if len(line.split()) >= 3]
    return {row[-1].split("@")[0] for row in rows if row[-2] in "TWti" and re.match(r"P?MPI_[A-Z]", row[-1])}


def read_exceptions(path):
    """Patterns of names, as the shell has them."""
    rows = [line.split(None, 1) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [row[0] for row in rows if row and not row[0].startswith("#")]


def excepted(name, exceptions):
    return any(fnmatchcase(name.removeprefix("P"), pattern) for pattern in exceptions)


def uncovered(exported, functions, exceptions):
    """Names of the library that no wrapper covers and no exception excuses."""
    return sorted(name for name in exported
                  if name.removeprefix("P") not in functions and not excepted(name, exceptions))


def rows(functions):
    """functions.inc: a line a function, as function.hpp takes it in."""
    return "".join(calls.describe(function.name, function.arguments, function.types) + ",\n" for function in functions)


def real(functions):
    lines = ["// Written by generate.py: the MPI's own functions, past every wrapper.\n", "#pragma once\n\n",
             "#include <mpi.h>\n", "namespace comity::interpose::real {\n\n"]
    for function in functions:
        if not function.variadic:
            lines.append(f"{function.result} {function.name}({', '.join(function.parameters)});\n")
    return "".join(lines) + "\n}  // namespace comity::interpose::real\n"


def wide(parameter):
    """A handle by value as wide as any MPI's: under another MPI it is passed on whole."""
    kind, _, name = parameter.partition(" ")
    return f"Wide<{kind}> {name}" if kind in HANDLES and name.isidentifier() else parameter


def definition(function, prefix, place, side):
    """One C name. It goes by another name in C++, because its declaration in mpi.h has narrower handles, or is variadic."""
    name = prefix + function.name
    signature = f"({', '.join(map(wide, function.parameters)) or 'void'})"
    return (f'COMITY_DOOR {function.result} door_{name}{signature} __asm__("{name}");\n'
            f"COMITY_DOOR {function.result} door_{name}{signature} {{\n"
            f"  return Door<T{place}, W{place}, {place}, {side}>::enter({', '.join(function.arguments)});\n}}\n")


def doors(functions):
    """The C names, and the MPI's own functions, of [(place among all, function)]."""
    inside, outside, past = [], [], []
    for place, function in functions:
        passed = [f"Wide<{kind}>" if kind in HANDLES else kind for kind in function.types]
        inside.append(f"using T{place} = {function.result}({', '.join(function.types)});\n"
                      f"using W{place} = {function.result}({', '.join(passed)});\n")
        outside.append(definition(function, "", place, "Side::plain"))
        outside.append(definition(function, "P", place, "Side::profiling"))
        if not function.variadic:
            past.append(f"{function.result} {function.name}({', '.join(function.parameters)}) {{\n"
                        f"  return Door<T{place}, W{place}, {place}, Side::profiling>::pass({', '.join(function.arguments)});\n}}\n")
    return "".join([
        "// Written by generate.py.\n#include <mpi.h>\n",
        '#include "interpose/door.hpp"\n#include "real.hpp"\n\nnamespace {\nusing namespace comity::interpose;\n',
        *inside, "}  // namespace\n\n", *outside, "\nnamespace comity::interpose::real {\n", *past,
        "}  // namespace comity::interpose::real\n"])


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("header", "exceptions", "into"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--libraries", required=True, nargs="+")
    words = parser.parse_args()
    exceptions = read_exceptions(words.exceptions)
    functions = {name: function for name, function in declared_functions(words.header).items()
                 if not excepted(name, exceptions)}
    exported = exported_names(words.libraries)
    if "MPI_Init" not in exported:
        sys.exit(f"generate.py: no MPI_Init in {' '.join(words.libraries)}; is this the MPI of {words.header}?")
    left = uncovered(exported, functions, exceptions)
    if left:
        sys.exit(f"generate.py: {' '.join(words.libraries)} has functions that its mpi.h does not declare and {words.exceptions} "
                 f"does not name, so nobody would see their calls: {', '.join(left)}. Add each with its reason.")
    ordered = [functions[name] for name in sorted(functions)]
    into = Path(words.into)
    into.mkdir(parents=True, exist_ok=True)
    write_if_changed(into / "functions.inc", rows(ordered))
    write_if_changed(into / "real.hpp", real(ordered))
    placed = list(enumerate(ordered))
    write_if_changed(into / "doors_own.cpp", doors([one for one in placed if calls.has_own_code(one[1].name)]))
    others = [one for one in placed if not calls.has_own_code(one[1].name)]
    for i in range(FILES):
        write_if_changed(into / f"doors_{i}.cpp", doors(others[i::FILES]))


if __name__ == "__main__":
    main()
