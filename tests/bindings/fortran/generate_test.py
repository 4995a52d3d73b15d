# SPDX-License-Identifier: BSD-3-Clause
"""The generator of the Fortran module: every function of the headers has its procedure with the whole reference, and what it
does not know ends it with a sentence."""
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


def has_a_form(header):
    """comity_mpi has a module by hand; programs that use the substrate or read records, libraries of their own, call C
    (examples/tasks.f90)."""
    return header.name != "comity_mpi.h" and not header.name.startswith(("sched", "record"))


def procedures(text, pattern=PROCEDURE):
    """(name, arguments, comment or None) of each procedure."""
    for match in pattern.finditer(text):
        yield match[2], match[3].replace("&", ""), match[1].replace("!>", "") or None


def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
        header.write(text)
        header.flush()
        return headers.read([Path(header.name)])


class Module(unittest.TestCase):
    def setUp(self):
        self.text = written()

    def test_has_a_procedure_of_every_function(self):
        names = {name for name, _, _ in procedures(self.text)}
        for path in INCLUDE.glob("*.h"):
            if has_a_form(path):
                for name, _, _ in reference.functions(path.read_text(encoding="utf-8")):
                    self.assertIn(name, names, f"{path.name}: add its area to generate.AREAS")

    def test_has_every_value_of_every_enumeration(self):
        for path in INCLUDE.glob("*.h"):
            if has_a_form(path):
                for body in re.findall(r"typedef enum \w+ \{([^}]*)\}", path.read_text(encoding="utf-8")):
                    for name in re.findall(r"(COMITY_\w+)\s*=", body):
                        self.assertRegex(self.text, rf"parameter :: {name} =", path.name)

    def test_has_what_may_be_null_as_absent(self):
        for name, _, _ in procedures(self.text):
            if name == "comity_context_assign":
                return self.assertIn("type(comity_cpuset), intent(in), optional :: whole\n", self.text)
        self.fail("comity_context_assign is gone: take another that has a type that may be null")

    def test_has_the_whole_reference_of_every_procedure(self):
        found = [gap for name, arguments, comment in procedures(self.text)
                 for gap in reference.gaps_of(name, " ".join(arguments.split()), comment)]
        self.assertEqual(found, [])

    def test_speaks_of_no_c(self):
        comments = [line for line in self.text.splitlines() if line.startswith("  ") and "!>" in line]
        for word in ("may be null", "capacity_bytes", "length_bytes", "zero byte, ", "[0 or 1", "&selected"):
            self.assertEqual([line for line in comments if word in line], [], word)

    def test_has_no_line_that_compilers_refuse(self):
        self.assertEqual([line for line in self.text.splitlines() if len(line) > 132], [])


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
    """examples/tasks.f90 writes down what sched_tasks.h declares, for there is no module that does."""
    KINDS = {"int64_t": "c_int64_t", "int32_t": "c_int32_t", "size_t": "c_size_t", "pointer": "c_ptr", "function": "c_funptr"}

    def setUp(self):
        self.program = (TREE / "examples/tasks.f90").read_text(encoding="utf-8")
        self.header = re.sub(r"/\*.*?\*/", "", (INCLUDE / "sched_tasks.h").read_text(encoding="utf-8"), flags=re.DOTALL)

    def in_c(self, name):
        """(kind, name) of each field of a struct."""
        (body,) = re.findall(rf"typedef struct {name} \{{(.*?)\}} {name};", self.header, re.DOTALL)
        for field in filter(None, (line.strip() for line in body.split(";"))):
            if called := re.search(r"\(\*(\w+)\)", field):
                yield self.KINDS["function"], called[1]
            else:
                kind, word = re.fullmatch(r"(.*\W)(\w+)", field).groups()
                yield self.KINDS["pointer" if "*" in kind else kind.strip()], word

    def in_fortran(self, name):
        (body,) = re.findall(rf"type, bind\(C\) :: {name}\n(.*?)end type", self.program, re.DOTALL)
        for line in body.strip().splitlines():
            kind, words = re.fullmatch(r"\s*(?:integer|type)\((\w+)\) :: ([^!]*?)\s*(?:!.*)?", line).groups()
            for word in words.split(","):
                yield kind, word.split("=")[0].strip()

    def test_its_types_are_those_of_the_header(self):
        for name in "comity_sched_range", "comity_sched_reduction":
            self.assertEqual(list(self.in_fortran(name)), list(self.in_c(name)), name)

    def test_its_schedule_is_the_adaptive_one(self):
        self.assertRegex(self.header, r"COMITY_SCHED_ADAPTIVE = 0,")
        self.assertIn("schedule = 0            ! adaptive", self.program)

    def test_its_functions_take_what_those_of_the_header_take(self):
        declared = re.findall(r"function (comity_sched_\w+)\(([^)]*)\) bind\(C\)", self.program)
        self.assertGreater(len(declared), 3)
        headers_ = "".join(path.read_text(encoding="utf-8") for path in INCLUDE.glob("sched*.h"))
        signatures = {name: signature for name, signature, _ in reference.functions(headers_)}
        for name, arguments in declared:
            in_c = [word for word in signatures[name].strip("()").split(",") if word.strip() != "void"]
            self.assertEqual(len(list(filter(None, arguments.split(",")))), len(in_c), name)


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
