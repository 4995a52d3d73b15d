# SPDX-License-Identifier: BSD-3-Clause
"""The generators of the Fortran modules: every function of the headers has its procedure with the whole reference, and what they
do not know ends them with a sentence."""
import re
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
SOURCES = TREE / "bindings/fortran"
INCLUDE = TREE / "include/comity"
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCES), str(TREE / "tests/headers")]

import beside  # noqa: E402
import generate  # noqa: E402
import headers  # noqa: E402
import reference  # noqa: E402

PROCEDURE = re.compile(r"((?:^  !>.*\n)*)^  (?:pure )?(?:subroutine|function) (comity_\w+)\(((?:[^)]*&\n)?[^)]*)\)",
                       re.MULTILINE)
GENERIC = re.compile(r"((?:^  !>.*\n)+)^  interface (comity_\w+)  ! \(([^)]*)\)", re.MULTILINE)
HEADER = """
/** A handle. Since: 0.1. */
typedef struct comity_thing comity_thing; /**< opaque */
/** Ask.
 *  @param thing [handle].   @param answer [number, out].
 *  @return COMITY_OK.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_thing_ask(const comity_thing* thing, int32_t* answer);
"""


def written():
    return generate.Module(headers.read([INCLUDE / f"{area}.h" for area in generate.AREAS])).text()


def module_of(header):
    """The module that has its form; None for export.h and comity.h, which declare nothing, and for comity_mpi.h, whose module is
    written by hand."""
    if header.name in ("comity.h", "comity_mpi.h", "export.h"):
        return None
    names = [name for name, areas in beside.MODULES.items() if header.stem in areas]
    return names[0] if names else "comity_without_mpi"


def all_written():
    """{module: its text}."""
    return {"comity_without_mpi": written(), **{name: beside.written(name, INCLUDE) for name in beside.MODULES}}


def procedures(text, pattern=PROCEDURE):
    """(name, arguments, comment or None) of each procedure."""
    for match in pattern.finditer(text):
        yield match[2], match[3].replace("&", ""), match[1].replace("!>", "") or None


def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
        header.write(text)
        header.flush()
        return headers.read([Path(header.name)])


class Modules(unittest.TestCase):
    def setUp(self):
        self.texts = all_written()

    def headers(self):
        """(header, its text, the module's text) of each public header."""
        for path in sorted(INCLUDE.glob("*.h")):
            if module := module_of(path):
                yield path.name, path.read_text(encoding="utf-8"), self.texts[module]

    def test_have_a_procedure_of_every_function(self):
        for name, header, module in self.headers():
            names = {procedure for procedure, _, _ in procedures(module)}
            for function, _, _ in reference.functions(header):
                self.assertIn(function, names, f"{name}: add its area to generate.AREAS or beside.MODULES")

    def test_have_every_value_of_every_enumeration(self):
        for name, header, module in self.headers():
            for body in re.findall(r"typedef enum \w+ \{([^}]*)\}", header):
                for value in re.findall(r"(COMITY_\w+)\s*=", body):
                    self.assertRegex(module, rf"parameter :: {value} =", name)

    def test_have_every_struct_with_its_fields_in_order(self):
        for _, header, module in self.headers():
            code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
            for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \w+;", code, re.DOTALL):
                in_c = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[[^\]]+\])?\s*$", field) for field in body.split(";") if field.strip()]
                (in_fortran,) = re.findall(rf"type(?:, bind\(C\))? :: {name}\n(.*?)end type {name}\n", module, re.DOTALL)
                self.assertEqual(re.findall(r"^    \w[^!\n]* :: (\w+)", in_fortran, re.MULTILINE), [m[1] or m[2] for m in in_c], name)

    def test_have_every_form_of_a_callback(self):
        for name, header, module in self.headers():
            for callback in re.findall(r"^typedef \w+ \(\*(\w+)\)", header, re.MULTILINE):
                self.assertRegex(module, rf"\n    (?:subroutine|function) {callback}\(.*\) bind\(C\)", name)

    def test_have_what_may_be_null_as_absent(self):
        for module, procedure, argument in (
                ("comity_without_mpi", "comity_context_assign", "type(comity_cpuset), intent(in), optional :: whole"),
                ("comity_sched", "comity_sched_start", "type(comity_sched_options), intent(in), optional, target :: options"),
                ("comity_sched", "comity_sched_spawn", "type(comity_sched_fiber), intent(inout), optional, target :: fiber")):
            body = self.texts[module].split(f"subroutine {procedure}(")[1].split("end subroutine")[0]
            self.assertIn(argument, body, "is it gone? Take another that has a type that may be null")

    def test_have_the_whole_reference_of_every_procedure(self):
        found = [gap for text in self.texts.values() for name, arguments, comment in procedures(text)
                 for gap in reference.gaps_of(name, " ".join(arguments.split()), comment)]
        self.assertEqual(found, [])

    def test_speak_of_no_c(self):
        for text in self.texts.values():
            comments = [line for line in text.splitlines() if line.startswith("  ") and "!>" in line]
            for word in ("may be null", "capacity_bytes", "length_bytes", "zero byte, ", "[0 or 1", "&selected"):
                self.assertEqual([line for line in comments if word in line], [], word)

    def test_have_no_line_that_compilers_refuse(self):
        self.assertEqual([line for text in self.texts.values() for line in text.splitlines() if len(line) > 132], [])


class Communicators(unittest.TestCase):
    def test_have_a_procedure_of_every_function_with_the_same_reference(self):
        found = {name: (arguments, comment) for name, arguments, comment in
                 procedures((SOURCES / "comity.f90").read_text(encoding="utf-8"), GENERIC)}
        for name, signature, comment in reference.functions((INCLUDE / "comity_mpi.h").read_text(encoding="utf-8")):
            arguments, ours = found[name]
            self.assertEqual(reference.gaps_of(name, arguments, ours), [])
            self.assertEqual(sorted(reference.parameters(signature) + ["ierr"]), sorted(reference.parameters(arguments)))
            summary = re.split("@param", reference.plain(comment))[0]
            self.assertEqual(re.split("@param", " ".join(ours.split()))[0], summary, f"{name}: the headers say it otherwise")


class Tasks(unittest.TestCase):
    def test_are_shown_by_the_module_alone(self):
        program = (TREE / "examples/tasks.f90").read_text(encoding="utf-8")
        self.assertIn("use comity_sched\n", program)
        self.assertNotRegex(program, r"(?m)^\s*(interface|type, bind)")


class Strangers(unittest.TestCase):
    def expect(self, text, sentence):
        with self.assertRaisesRegex(SystemExit, sentence):
            generate.Module(read(text)).text()

    def test_a_function_out_of_the_house_format_is_named(self):
        self.expect(HEADER + "COMITY_EXPORT comity_status comity_thing_rest(void);\n", "comity_thing_rest is not in the house")

    def test_a_struct_without_a_reference_is_named(self):
        self.expect(HEADER + "typedef struct comity_odd {\n  int32_t x;\n} comity_odd;\n", "comity_odd is not in the house")

    def test_a_parameter_of_an_unknown_type_is_named(self):
        self.expect(HEADER.replace("int32_t* answer", "double* answer"),
                    r"comity_thing_ask: there is no Fortran form of `double\* answer`")

    def test_a_number_that_does_not_say_which_way_it_goes_is_named(self):
        self.expect(HEADER.replace("[number, out]", "[number]"), r"no Fortran form of `int32_t\* answer`")

    def test_names_that_are_one_in_fortran_are_named(self):
        self.expect(HEADER + "#define COMITY_THING_ASK 1 /**< a twin */\n", "are one name in Fortran")

    def test_words_that_no_reference_says_any_more_are_named(self):
        self.expect(HEADER, "REPHRASED has what no reference says any more")


if __name__ == "__main__":
    unittest.main()
