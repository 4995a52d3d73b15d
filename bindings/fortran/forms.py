# SPDX-License-Identifier: BSD-3-Clause
"""What a C parameter looks like in Fortran: its dummy argument, the C interface's, and what stands around the call. Decided
by its type and by the unit in its reference alone. Not: how a whole procedure is written (generate.py)."""
from dataclasses import dataclass, field

INTEGERS = {"int32_t": "c_int32_t", "uint32_t": "c_int32_t", "int64_t": "c_int64_t", "uint64_t": "c_int64_t",
            "uint16_t": "c_int16_t", "size_t": "c_size_t"}

# What an argument is where it is absent, as in comity.hpp.
DEFAULTS = {("comity_context_quiesce", "flags"): "0", ("comity_context_quiesce", "timeout_ns"): "COMITY_FOREVER",
            ("comity_place_grid", "objective"): "COMITY_PLACE_WORST",
            ("comity_place_graph", "objective"): "COMITY_PLACE_WORST"}


@dataclass
class Form:
    """One parameter; one that Fortran knows by itself has no dummy."""
    interface: list  # declarations, in the order of C's parameters
    dummies: list = field(default_factory=list)  # (name, declaration)
    locals: list = field(default_factory=list)
    before: list = field(default_factory=list)  # statements
    checks: list = field(default_factory=list)  # statements that set `status` where the call may not be made
    actuals: list = field(default_factory=list)
    after: list = field(default_factory=list)  # where the call succeeded
    always: list = field(default_factory=list)  # whether it did or not
    unit: str = ""
    text: str = ""
    string: str = ""  # a text that goes in: the call is written twice, for short and for long ones
    grows: str = ""  # a text that comes out: the call is made again until it fits
    reads: int = 1  # how many parameters of C it stands for


def pointed(type_):
    """("comity_context", 1) of "const comity_context*"."""
    bare = type_.replace("const ", "").replace(" ", "")
    return bare.rstrip("*"), bare.count("*")


class Forms:
    def __init__(self, interface):
        self.enumerations = {one.name for one in interface.enumerations}
        self.handles = set(interface.handles)
        self.callbacks = {one.name for one in interface.callbacks}
        self.structs = {one.name: one for one in interface.structs}

    def kind(self, base):
        return "c_int" if base in self.enumerations else INTEGERS.get(base)

    def is_mirrored(self, base):
        """Whether Fortran users get a form of their own of a struct: texts and logicals, not C's."""
        return base in self.structs and any(one.type == "char" or one.comment.startswith("[0 or 1]")
                                            for one in self.structs[base].fields)

    def of(self, function):
        """The forms of all parameters of a function."""
        left = list(function.parameters)
        forms = []
        while left:
            form = self.form(function, left, first=not forms)
            forms.append(form)
            del left[: form.reads]
        return forms

    def form(self, function, left, first):
        parameter = left[0]
        base, stars = pointed(parameter.type)
        out = goes_out(parameter)
        if base in self.handles:
            form = handle(parameter, base, stars, first, function.name)
        elif base in self.callbacks:
            form = callback(parameter, left[1])
        elif base == "char" and out:
            form = text_out(parameter)
        elif base == "char":
            form = text_in(parameter)
        elif "array of" in parameter.unit:
            form = array_of(parameter, f"type({base})" if base in self.structs else f"integer({self.kind(base)})", out)
        elif base in self.structs:
            form = struct(parameter, base, out, self.is_mirrored(base))
        elif self.kind(base) and not stars:
            form = value(parameter, self.kind(base), DEFAULTS.get((function.name, parameter.name)))
        elif self.kind(base) and len(left) > 1 and left[1].name == "capacity":
            form = array(parameter, self.kind(base))
        elif self.kind(base) and parameter.unit.startswith("0 or 1"):
            form = logical(parameter)
        elif self.kind(base) and out:
            form = number_out(parameter, self.kind(base))
        else:
            raise SystemExit(f"{function.name}: there is no Fortran form of `{parameter.type} {parameter.name}`; see {__file__}")
        form.unit = form.unit or parameter.unit
        form.text = form.text or parameter.text
        return form


def handle(parameter, base, stars, first, function):
    name = parameter.name
    declared = "class" if first else "type"
    if stars == 2:
        local = f"{name}_c"
        form = Form([f"type(c_ptr), intent(inout) :: {name}"], [(name, f"{declared}({base}), intent(inout) :: {name}")],
                    [f"type(c_ptr) :: {local}"], actuals=[local])
        if "in, out" in parameter.unit:
            form.before = [f"{local} = {name}%handle"]
            form.always = [f"{name}%handle = {local}", f"{name}%owned = {name}%owned .and. c_associated({local})"]
        else:
            form.before = [f"{local} = c_null_ptr"]
            form.after = [f"call {base}_adopt({name}, {local})"]
        return form
    if first:
        return Form([f"type(c_ptr), value :: {name}"], [(name, f"class({base}), intent(in) :: {name}")],
                    actuals=[f"{name}%handle"])
    local = f"{name}_c"
    return Form([f"type(c_ptr), value :: {name}"], [(name, f"type({base}), intent(in), optional :: {name}")],
                [f"type(c_ptr) :: {local}"], [f"{local} = c_null_ptr", f"if (present({name})) {local} = {name}%handle"],
                checks=[f"if (present({name})) status = require({local}, '{function}', '{name}')"], actuals=[local])


def callback(parameter, data):
    name = parameter.name
    return Form(
        [f"type(c_funptr), value :: {name}", f"type(c_ptr), value :: {data.name}"],
        [(name, f"procedure({parameter.type}), optional :: {name}"),
         (data.name, f"type(c_ptr), intent(in), optional :: {data.name}")],
        [f"type(c_funptr) :: {name}_c", f"type(c_ptr) :: {data.name}_c"],
        [f"{name}_c = c_null_funptr", f"if (present({name})) {name}_c = c_funloc({name})",
         f"{data.name}_c = c_null_ptr", f"if (present({data.name})) {data.name}_c = {data.name}"],
        actuals=[f"{name}_c", f"{data.name}_c"], reads=2)


def text_in(parameter):
    name = parameter.name
    return Form([f"character(kind=c_char), intent(in) :: {name}(*)"], [(name, f"character(len=*), intent(in) :: {name}")],
                [f"character(kind=c_char, len=256) :: {name}_c", "integer :: length"],
                actuals=[f"{name}_c"], string=name)


def text_out(parameter):
    name = parameter.name
    return Form(
        [f"character(kind=c_char), intent(inout) :: {name}(*)", "integer(c_size_t), value :: capacity_bytes",
         "integer(c_size_t), intent(inout) :: length_bytes"],
        [(name, f"character(len=:), allocatable, intent(inout) :: {name}")],
        [f"character(kind=c_char, len=256) :: {name}_c", "integer(c_size_t) :: length_c", "integer :: i"],
        actuals=[f"{name}_c", f"len({name}_c, kind=c_size_t)", "length_c"],
        text="allocated, as long as the text; untouched on failure.", grows=name, reads=3)


def struct(parameter, base, out, mirrored):
    name = parameter.name
    intent = "inout" if out else "in"
    if not mirrored:  # the same to C and to Fortran, where an absent one is C's null
        declaration = f"type({base}), intent({intent}){', optional' if may_be_absent(parameter) else ''} :: {name}"
        return Form([declaration], [(name, declaration)], actuals=[name])
    dummies = [(name, f"type({base}), intent({intent}) :: {name}")]
    return Form([f"type({base}_c), intent({intent}) :: {name}"], dummies, [f"type({base}_c) :: {name}_c"],
                actuals=[f"{name}_c"], after=[f"call copy_{base}({name}_c, {name})"])


def value(parameter, kind, default):
    name = parameter.name
    interface = [f"integer({kind}), value :: {name}"]
    if default is None:
        return Form(interface, [(name, f"integer({kind}), intent(in) :: {name}")], actuals=[name])
    return Form(interface, [(name, f"integer({kind}), intent(in), optional :: {name}")], [f"integer({kind}) :: {name}_c"],
                [f"{name}_c = {default}", f"if (present({name})) {name}_c = {name}"], actuals=[f"{name}_c"],
                text=f"{parameter.text.rstrip('.')}; {default} where absent.")


def array(parameter, kind):
    name = parameter.name
    return Form(
        [f"type(c_ptr), value :: {name}", f"integer({kind}), value :: capacity"],
        [(name, f"integer({kind}), intent(inout), contiguous, optional, target :: {name}(:)")],
        [f"type(c_ptr) :: {name}_c", f"integer({kind}) :: capacity_c"],
        [f"{name}_c = c_null_ptr", "capacity_c = 0",
         f"if (present({name})) capacity_c = size({name}, kind={kind})", f"if (capacity_c > 0) {name}_c = c_loc({name})"],
        actuals=[f"{name}_c", "capacity_c"], text="ascending; absent, or of size 0, it only counts.", reads=2)


def array_of(parameter, type_, out):
    """As long as other parameters say; the same to C and to Fortran, where an absent one is C's null."""
    optional = ", optional" if may_be_absent(parameter) else ""
    declaration = f"{type_}, intent({'inout' if out else 'in'}){optional} :: {parameter.name}(*)"
    return Form([declaration], [(parameter.name, declaration)], actuals=[parameter.name])


def logical(parameter):
    name = parameter.name
    optional = ", optional" if may_be_absent(parameter) else ""
    keep = f"if (present({name})) " if optional else ""
    before = [f"{keep}{name} = .false."] if "0 on failure" in parameter.text else []
    return Form([f"integer(c_int32_t), intent(inout) :: {name}"], [(name, f"logical, intent(inout){optional} :: {name}")],
                [f"integer(c_int32_t) :: {name}_c"], before, actuals=[f"{name}_c"], after=[f"{keep}{name} = {name}_c /= 0"],
                unit=parameter.unit.replace("0 or 1", "logical"))


def number_out(parameter, kind):
    name = parameter.name
    optional = ", optional" if may_be_absent(parameter) else ""
    declaration = f"integer({kind}), intent(inout){optional} :: {name}"
    return Form([declaration], [(name, declaration)], actuals=[name])


def goes_out(parameter):
    return parameter.unit.endswith("out") or ", out, " in parameter.unit


def may_be_absent(parameter):
    return "may be null" in parameter.text
