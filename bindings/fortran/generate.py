#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the module comity_without_mpi from the public C headers.   generate.py --include FOLDER --into FILE"""
import argparse
import re
from dataclasses import replace
from pathlib import Path

import headers
from forms import INTEGERS, Forms, pointed
from writing import REPHRASED, Rephrasing, comment, statement

# In an order in which each name is known before it is used.
AREAS = ("version", "error", "cpuset", "bootstrap", "machine", "context", "quiesce", "phases", "split", "place", "region", "start")
TEMPLATES = Path(__file__).resolve().parent / "templates"
IERR = "ierr [code, out] may be absent: a failure then ends the program with its sentence."


class Module:
    END_PROGRAM = "end_program"  # what a call that fails without ierr calls

    def __init__(self, interface, forms=Forms, rephrased=REPHRASED, template="comity_without_mpi"):
        self.interface = interface
        self.forms = forms(interface)
        self.rephrase = Rephrasing(rephrased)
        self.template = template
        self.functions = [(function, self.forms.of(function)) for function in interface.functions]

    def text(self):
        refuse_twins(self.public_names())
        text = filled(self.template, self.parts())
        unused = self.rephrase.unused()
        if unused:
            raise SystemExit(f"writing.py: REPHRASED has what no reference says any more: {unused}")
        return text

    def parts(self):
        handles = self.handles()
        return {
            "generator": "bindings/fortran/generate.py",
            "public": self.public(),
            "constants": self.constants(),
            "types": self.types(),
            "handle_types": [line for one in handles for line in self.handle_type(one)],
            "callbacks": [line for one in self.interface.callbacks for line in self.callback(one)],
            "interfaces": [line for one in self.functions for line in self.c_interface(*one)],
            "procedures": self.copies() + [line for one in self.functions for line in self.procedure(*one)],
            "conclude": filled("conclude", {"end_program": self.END_PROGRAM}),
            "handle_procedures": [filled("handle_procedures", {"handle": one, "word": word_of(one)}) for one in handles],
        }

    # --- names ---

    def handles(self):
        """Those that have a type of their own."""
        return self.interface.handles

    def public_names(self):
        names = [one.name for one in self.interface.constants]
        names += [value.name for one in self.interface.enumerations for value in one.values]
        names += [one.name for one in self.interface.structs + self.interface.callbacks + self.interface.functions]
        return names + [f"{handle}_{word}" for handle in self.handles() for word in ("f2c", "c2f", "adopt")]

    def public(self):
        lines = []
        for name in self.public_names():
            if lines and len(lines[-1]) + len(name) < 110:
                lines[-1] += f", {name}"
            else:
                lines.append(f"  public :: {name}")
        return lines

    # --- data ---

    def constants(self):
        lines = []
        for one in self.interface.constants:
            lines += comment(headers.plain(one.comment) or "Of the headers; comity_version() is the library's.") + [f"  {constant(one)}"]
        for enumeration in self.interface.enumerations:
            lines += ["", *comment(enumeration.comment), ""]
            for one in enumeration.values:
                lines += comment(one.comment) if one.comment else []
                lines.append(f"  integer(c_int), parameter :: {one.name} = {one.value}_c_int")
        return lines

    def types(self):
        lines = []
        for struct in self.interface.structs:
            if self.forms.is_mirrored(struct.name):
                lines += [f"  type, bind(C) :: {struct.name}_c"]
                lines += [f"    {self.bare_field(one)}" for one in struct.fields] + [f"  end type {struct.name}_c", ""]
                lines += comment(self.rephrase(struct.comment)) + [f"  type :: {struct.name}"]
                declared = fortran_field
            else:
                lines += comment(self.rephrase(struct.comment)) + [f"  type, bind(C) :: {struct.name}"]
                declared = c_field
            for one in struct.fields:
                lines += comment(self.rephrase(one.comment), 4) if one.comment else []
                lines.append(f"    {declared(one)}")
            lines += [f"  end type {struct.name}", ""]
        return lines

    def copies(self):
        lines = []
        for struct in self.interface.structs:
            if not self.forms.is_mirrored(struct.name):
                continue
            lines += ["", f"  subroutine copy_{struct.name}(from, to)", f"    type({struct.name}_c), intent(in) :: from",
                      f"    type({struct.name}), intent(inout) :: to"]
            lines += [f"    {self.copy(one)}" for one in struct.fields]
            lines.append(f"  end subroutine copy_{struct.name}")
        return lines

    def only_field_of(self, one):
        """Of a struct within a struct, such as a set's words; None for what is no struct."""
        inner = {struct.name: struct.fields for struct in self.interface.structs}.get(one.type)
        if inner is not None and len(inner) != 1:
            raise SystemExit(f"{one.name}: a struct within a struct has one field, not {len(inner)}; see {__file__}")
        return inner[0] if inner else None

    def bare_field(self, one):
        """A field of a type that C fills: one that is set up before each call takes longer than many a call."""
        inner = self.only_field_of(one)
        return c_field(replace(inner, name=one.name) if inner else one).removesuffix(" = 0")

    def copy(self, one):
        inner = self.only_field_of(one)
        if inner:
            return f"to%{one.name}%{inner.name} = from%{one.name}"
        if one.type == "char":
            return f"call copy_field(size(from%{one.name}), from%{one.name}, to%{one.name})"
        return f"to%{one.name} = {copied(one)}"

    # --- calls ---

    def handle_type(self, handle):
        bound = []
        for function, forms in self.functions:
            first = function.parameters[:1]
            if first and pointed(first[0].type)[0] == handle:
                bound.append(f"    procedure :: {bound_name(function.name, handle)} => {function.name}")
        bound += [f"    procedure :: {word} => {handle}_{word}" for word in ("f2c", "adopt")]
        return [filled("handle_type", {"handle": handle, "bound": bound}), ""]

    def callback(self, function):
        names = [one.name for one in function.parameters]
        kinds = ["c_ptr" if "*" in one.type else INTEGERS[one.type] for one in function.parameters]
        result = function.result != "void"
        imported = sorted({*kinds, *(["c_int"] if result else [])})
        return comment(function.summary, 4) + [
            f"    {kind_of(function)} {function.name}({', '.join(names)}) bind(C){' result(status)' if result else ''}",
            f"      import :: {', '.join(imported)}",
            *(f"      {'type' if kind == 'c_ptr' else 'integer'}({kind}), value :: {name}" for name, kind in zip(names, kinds)),
            *(["      integer(c_int) :: status"] if result else []), f"    end {kind_of(function)} {function.name}"]

    def c_interface(self, function, forms):
        names = [one.name for one in function.parameters]
        declarations = [f"      {line}" for form in forms for line in form.interface]
        lines = statement(f"{kind_of(function)} c_{function.name}({', '.join(names)}) bind(C, name='{function.name}')"
                          f"{' result(status)' if kind_of(function) == 'function' else ''}", 4)
        if function.result == "const char*":
            declarations = [re.sub(r":: status$", ":: code", line) for line in declarations]
            lines = [re.sub(r"\(status\) bind", "(code) bind", line) for line in lines]
        lines += ["      import"] + declarations
        if kind_of(function) == "function":
            result = "type(c_ptr)" if function.result == "const char*" else "integer(c_int)"
            lines.append(f"      {result} :: status")
        return lines + [f"    end {kind_of(function)} c_{function.name}"]

    def procedure(self, function, forms):
        lines = [""] + self.reference(function, forms)
        if function.result == "const char*":
            return lines + text_function(function, forms)
        dummies = [dummy for form in forms for dummy in form.dummies]
        ends = function.result == "comity_status"
        names = [name for name, _ in dummies] + (["ierr"] if ends else [])
        lines += statement(f"subroutine {function.name}({', '.join(names)})", 2)
        lines += [f"    {line}" for _, line in dummies]
        lines += ["    integer, intent(out), optional :: ierr", "    integer(c_int) :: status"] if ends else []
        lines += [f"    {line}" for form in forms for line in form.locals]
        lines += [f"    {line}" for form in forms for line in form.before]
        lines += self.called(function, forms)
        lines += [f"    {line}" for form in forms for line in form.always]
        after = [line for form in forms for line in form.after]
        if len(after) == 1 and not after[0].startswith("if "):
            lines += statement(f"if (status == COMITY_OK) {after[0]}")
        elif after:
            lines += ["    if (status == COMITY_OK) then", *(f"      {line}" for line in after), "    end if"]
        lines += [f"    call conclude(status, '{function.name}', ierr)"] if ends else []
        lines.append(f"  end subroutine {function.name}")
        grown = next((form.grows for form in forms if form.grows), "")
        return lines + (self.called_again(function, forms, grown) if grown else [])

    def called_again(self, function, forms, text):
        """A text that found no room: the call is made until it fits. Apart from the usual call, which is quick without it."""
        dummies = [dummy for form in forms for dummy in form.dummies]
        actuals = [one.replace(f"{text}_c", f"{text}_long") for form in forms for one in form.actuals]
        names = [*(name for name, _ in dummies), "length_c", "status"]
        return ["", *statement(f"subroutine again_{function.name}({', '.join(names)})", 2),
                *(f"    {line}" for _, line in dummies), "    integer(c_size_t), intent(inout) :: length_c",
                "    integer(c_int), intent(inout) :: status", f"    character(kind=c_char, len=:), allocatable :: {text}_long",
                "    do while (status == COMITY_ERR_RANGE)",
                f"      allocate (character(len=length_c + 1) :: {text}_long, stat=status)",
                "      if (status /= 0) then", f"        status = no_memory('{function.name}')", "        exit", "      end if",
                *statement(f"status = c_{function.name}({', '.join(actuals)})", 6),
                f"      if (status == COMITY_OK) call take_text({text}_long(:length_c), {text}, status)",
                f"      deallocate ({text}_long)", "    end do", f"  end subroutine again_{function.name}"]

    def called(self, function, forms):
        def call(actuals, indent):
            head = "status =" if function.result == "comity_status" else "call"
            return statement(f"{head} c_{function.name}({', '.join(actuals)})", indent)

        actuals = [one for form in forms for one in form.actuals]
        checks = [line for form in forms for line in form.checks]
        string = next((form.string for form in forms if form.string), "")
        grown = next((form.grows for form in forms if form.grows), "")
        if checks:
            return ["    status = COMITY_OK", *(f"    {line}" for line in checks), "    if (status == COMITY_OK) then",
                    *call(actuals, 6), "    end if"]
        if string:
            long = [f"{string}(:length) // c_null_char" if one == f"{string}_c" else one for one in actuals]
            return [f"    length = len_trim({string})", f"    if (length < len({string}_c)) then",
                    f"      {string}_c(:length) = {string}(:length)",
                    f"      {string}_c(length + 1:length + 1) = c_null_char", *call(actuals, 6),
                    "    else", *call(long, 6), "    end if"]
        if grown:
            # A short text that has its length already, as in a loop, is copied letter by letter: a call takes longer.
            again = ", ".join([*(name for form in forms for name, _ in form.dummies), "length_c", "status"])
            return [*call(actuals, 4), "    if (status == COMITY_OK) then", f"      if (is_as_short({grown}, length_c)) then",
                    "        do i = 1, int(length_c)", f"          {grown}(i:i) = {grown}_c(i:i)", "        end do", "      else",
                    f"        call take_text({grown}_c(:length_c), {grown}, status)", "      end if",
                    "    else if (status == COMITY_ERR_RANGE) then",
                    *statement(f"call again_{function.name}({again})", 6), "    end if"]
        return call(actuals, 4)

    def reference(self, function, forms):
        lines = comment(self.rephrase(function.summary))
        said = []
        named = {one.name: one for one in function.parameters}
        for form in forms:
            for position, (name, _) in enumerate(form.dummies):
                unit, text = (form.unit, form.text) if position == 0 else (named[name].unit, named[name].text)
                said.append(f"{name} [{unit}] {text}".strip())
        said += [IERR] if function.result == "comity_status" else []
        for one in said:
            lines += comment(" @param " + self.rephrase(one.rstrip(" .") + "."))
        returns = function.returns if function.result != "comity_status" else f"in ierr: {function.returns}"
        return lines + comment(" @return " + self.rephrase(returns)) + comment(" " + self.rephrase(function.fields))


def text_function(function, forms):
    dummies = [dummy for form in forms for dummy in form.dummies]
    names = ", ".join(name for name, _ in dummies)
    return [f"  function {function.name}({names}) result(text)", *(f"    {line}" for _, line in dummies),
            "    character(len=:), allocatable :: text", f"    text = comity_text_at(c_{function.name}({names}))",
            f"  end function {function.name}"]


def kind_of(function):
    return "subroutine" if function.result == "void" else "function"


def word_of(handle):
    return handle.removeprefix("comity_")


def bound_name(function, handle):
    return function.removeprefix(f"{handle}_").removeprefix("comity_")


def constant(one):
    """A #define as a parameter."""
    wrapped = re.fullmatch(r"U?INT(32|64)_C\((-?\d+)\)", one.value)
    if wrapped:
        return f"integer(c_int{wrapped[1]}_t), parameter :: {one.name} = {wrapped[2]}_c_int{wrapped[1]}_t"
    if one.value.startswith('"'):
        return f"character(len=*), parameter :: {one.name} = '{one.value.strip(chr(34))}'"
    return f"integer(c_int32_t), parameter :: {one.name} = {one.value}_c_int32_t"


def c_field(one):
    """A field as C has it."""
    if one.calls:
        return f"type(c_funptr) :: {one.name} = c_null_funptr"
    if one.type.endswith("*"):
        return f"type(c_ptr) :: {one.name} = c_null_ptr"
    if one.type == "char":
        return f"character(kind=c_char) :: {one.name}({one.length})"
    if one.type == "double":
        return f"real(c_double) :: {one.name} = 0"
    if one.type in INTEGERS:
        bounds = f"(0:{one.length} - 1)" if one.length else ""
        return f"integer({INTEGERS[one.type]}) :: {one.name}{bounds} = 0"
    return f"type({one.type}) :: {one.name}"


WIDER = {"uint16_t": ("c_int32_t", 65535), "uint32_t": ("c_int64_t", 4294967295)}


def fortran_field(one):
    """A field as Fortran users see it."""
    if one.type == "char":
        return f"character(len={one.length}) :: {one.name} = ''"
    if one.comment.startswith("[0 or 1]"):
        return f"logical :: {one.name} = .false."
    if one.type in WIDER:
        return f"integer({WIDER[one.type][0]}) :: {one.name} = 0"
    return c_field(one)


def copied(one):
    if one.comment.startswith("[0 or 1]"):
        return f"from%{one.name} /= 0"
    if one.type in WIDER:
        kind, mask = WIDER[one.type]
        return f"iand(int(from%{one.name}, {kind}), {mask}_{kind})"
    return f"from%{one.name}"


def filled(template, parts):
    text = (TEMPLATES / f"{template}.f90").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = re.sub(f"^@{name}@$|@{name}@", lambda _, part=part: part if isinstance(part, str) else "\n".join(part), text,
                      flags=re.MULTILINE)
    return text.rstrip("\n") if template.startswith(("handle", "conclude")) else text


def refuse_twins(names):
    """Fortran does not tell capitals from small letters."""
    seen = {}
    for name in names:
        if seen.setdefault(name.lower(), name) != name:
            raise SystemExit(f"{name} and {seen[name.lower()]} are one name in Fortran; rename one in the headers")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    words = parser.parse_args()
    interface = headers.read([words.include / "comity" / f"{area}.h" for area in AREAS])
    words.into.write_text(Module(interface).text(), encoding="utf-8")


if __name__ == "__main__":
    main()
