# SPDX-License-Identifier: BSD-3-Clause
"""What a C parameter looks like in the modules beside libcomity's, where it differs: handles and data are addresses, procedures
c_funptr, for each user has arguments of his own behind them. Not: who frees; that is as in C."""
import re

from forms import Form, Forms, array_of, goes_out, pointed, struct


# Structs that may be absent, of which the reference says so elsewhere.
ABSENT = {("comity_sched_spawn_movable", "fiber")}


class BesideForms(Forms):
    def __init__(self, interface):
        super().__init__(interface)
        pairs = [pointed(one.type) for function in interface.functions for one in function.parameters]
        self.lent = {base for base, stars in pairs if stars == 2 and base in self.structs}  # the library's own, which it shows

    def form(self, function, left, first):
        parameter = left[0]
        base, stars = pointed(parameter.type)
        form = self.form_beside(function, parameter, base, stars)
        if not form:
            form = super().form(function, left, first)
            form.text = as_logical(form.text) if form.unit.startswith("logical") else form.text
        form.unit = form.unit or parameter.unit
        form.text = form.text or parameter.text
        return form

    def form_beside(self, function, parameter, base, stars):
        """None: as elsewhere."""
        if base in self.handles and stars == 2:
            return handle_out(parameter)
        if base in self.handles or base == "void":
            return by_value(parameter, "c_ptr")
        if base in self.callbacks:
            return by_value(parameter, "c_funptr")
        if base in self.lent:
            return shown(parameter, base, stars)
        if base in self.structs and "array" in parameter.unit:
            return array_of(parameter, f"type({base})", goes_out(parameter))
        if base in self.structs:
            return kept(parameter, base, (function.name, parameter.name) in ABSENT)
        if self.kind(base) and not stars and parameter.unit.startswith("0 or 1"):
            return logical_in(parameter, self.kind(base))
        return None


def by_value(parameter, kind):
    """In Fortran too: of an address that goes by reference gfortran makes a constant, which no loader may relocate."""
    declaration = f"type({kind}), value :: {parameter.name}"
    return Form([declaration], [(parameter.name, declaration)], actuals=[parameter.name])


def handle_out(parameter):
    declaration = f"type(c_ptr), intent(inout) :: {parameter.name}"
    return Form([declaration], [(parameter.name, declaration)], actuals=[parameter.name])


def kept(parameter, base, absent):
    """A struct whose address the library may keep: no compiler hands over a copy."""
    form = struct(parameter, base, goes_out(parameter), mirrored=False)
    if absent or "null: " in parameter.text:
        form.interface = [one.replace(" ::", ", optional ::") for one in form.interface]
    form.dummies = [(parameter.name, form.interface[0].replace(" ::", ", target ::"))]
    return form


def shown(parameter, base, stars):
    """A struct of the library, which Fortran sees through a pointer."""
    name = parameter.name
    local = f"{name}_c"
    intent = "inout" if stars == 2 else "in"
    form = Form([f"type(c_ptr), {'intent(inout)' if stars == 2 else 'value'} :: {name}"],
                [(name, f"type({base}), pointer, intent({intent}) :: {name}")], [f"type(c_ptr) :: {local}"],
                [f"{local} = c_null_ptr"], actuals=[local])
    if stars == 1 or "in and out" in parameter.unit:
        form.before.append(f"if (associated({name})) {local} = c_loc({name})")
    if stars == 2:
        form.after = [f"nullify ({name})" if "null afterwards" in parameter.text else f"call c_f_pointer({local}, {name})"]
    return form


def logical_in(parameter, kind):
    name = parameter.name
    return Form([f"integer({kind}), value :: {name}"], [(name, f"logical, intent(in) :: {name}")],
                actuals=[f"merge(1_{kind}, 0_{kind}, {name})"], unit="logical", text=as_logical(parameter.text))


def as_logical(text):
    """What is said of 1 and 0 at its begin."""
    return re.sub(r"^0\b", "false", re.sub(r"^1\b", "true", text))
