# SPDX-License-Identifier: BSD-3-Clause
"""What make install does and says, in a planted tree with a fake cmake and a fake loader."""
import unittest

from planted import PlantedTree


class Install(PlantedTree):
    scripts = ("common.sh", "install")

    def setUp(self):
        super().setUp()
        self.plant("tools/dependencies", "exit 0")
        self.cmake(0)
        self.plant("programs/ldconfig", "exit 0")
        self.user(1000)

    def cmake(self, code):
        """A cmake that notes its words, and installs one library on paper."""
        self.plant("programs/cmake", f'echo "DESTDIR=$DESTDIR cmake $*" >>{self.tree}/calls\n'
                    '[ "$1" != --install ] || { echo "$4/lib/libcomity.so" >build/install_manifest.txt; '
                    f'exit {code}; }}')

    def user(self, number):
        self.plant("programs/id", f"echo {number}")
        self.plant("programs/chown", f'echo "chown $*" >>{self.tree}/calls')
        self.owner_of_build(number)

    def owner_of_build(self, number):
        self.plant("programs/stat", f"echo {number}")

    def install(self, **variables):
        done = self.run_script("install", **variables)
        return done.returncode, done.stdout

    def calls(self):
        return (self.tree / "calls").read_text(encoding="utf-8")

    def test_it_builds_and_installs_into_usr_local(self):
        code, said = self.install()
        self.assertEqual(code, 0, said)
        self.assertIn("cmake --build", self.calls())
        self.assertIn("DESTDIR= cmake --install build --prefix /usr/local", self.calls())
        self.assertRegex(said.splitlines()[-1], "^make install: installed into /usr/local ")

    def test_prefix_and_destdir_reach_cmake(self):
        code, said = self.install(PREFIX="/usr", DESTDIR="/tmp/root")
        self.assertEqual(code, 0, said)
        self.assertIn("DESTDIR=/tmp/root cmake --install build --prefix /usr", self.calls())
        self.assertIn("installed into /tmp/root/usr ", said)
        self.assertNotIn("export", said)  # nobody uses it from there

    def test_a_prefix_that_the_loader_does_not_know_is_followed_by_what_to_set(self):
        said = self.install(PREFIX="/opt/comity")[1]
        self.assertIn("LD_LIBRARY_PATH=/opt/comity/lib", said)
        self.assertIn("CMAKE_PREFIX_PATH=/opt/comity PKG_CONFIG_PATH=/opt/comity/lib/pkgconfig", said)

    def test_a_prefix_that_the_loader_knows_needs_nothing(self):
        self.plant("programs/ldconfig", "echo '  libcomity.so.0.1 => /usr/local/lib/libcomity.so.0.1'")
        self.assertNotIn("export", self.install()[1])

    def test_a_prefix_that_is_no_path_is_refused(self):
        code, said = self.install(PREFIX="opt")
        self.assertEqual(code, 2)
        self.assertIn("PREFIX=opt is no absolute path", said)

    def test_root_does_not_build_in_another_users_folder(self):
        (self.tree / "build/bin").mkdir()
        self.plant("build/bin/comity", "exit 0")
        self.user(0)
        self.owner_of_build(1000)
        code, said = self.install()
        self.assertEqual(code, 0, said)
        self.assertIn("build/ belongs to user 1000", said)
        self.assertNotIn("cmake --build", self.calls())
        self.assertIn("chown --reference=build", self.calls())

    def test_a_folder_that_takes_nothing_is_a_failure_with_the_log(self):
        self.cmake(1)
        code, said = self.install()
        self.assertEqual(code, 1)
        self.assertIn("may you write to /usr/local? log: build/install.log", said)


if __name__ == "__main__":
    unittest.main()
