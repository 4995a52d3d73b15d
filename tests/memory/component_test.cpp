// SPDX-License-Identifier: BSD-3-Clause
// Which component the objects of real installations have, and users' rules.
#include "memory/component.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "record/temporary_folder.hpp"

namespace comity::memory {
namespace {

std::string name_of(std::string_view path) {
  const Components components;
  return std::string(components.name(components.of_object(path)));
}

TEST(Component, ObjectsOfDebiansInstallationsHaveTheirs) {
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/openmpi/lib/libmpi.so.40.30.4"), "mpi");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/openmpi/lib/libopen-pal.so.40.30.2"), "mpi");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_btl_vader.so"), "mpi");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/mca_pmix_ext3x.so"), "mpi");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2"), "mpi");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/pmix2/lib/libpmix.so.2.8.1"), "pmix");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/pmix2/lib/pmix/mca_gds_ds21.so"), "pmix");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libucp.so.0.0.0"), "fabric");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/ucx/libuct_ib.so.0.0.0"), "fabric");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libhwloc.so.15.5.4"), "support");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libxml2.so.2.9.14"), "support");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0"), "openmp");
  EXPECT_EQ(name_of("/usr/lib/llvm-14/lib/libomp.so.5"), "openmp");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3"), "blas");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libhdf5_openmpi.so.103.3.0"), "hdf5");
  EXPECT_EQ(name_of("/usr/bin/python3.11"), "python");
  EXPECT_EQ(name_of("/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so"), "python");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libgfortran.so.5.0.0"), "fortran");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30"), "libc");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), "libc");
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"), "allocator");
  EXPECT_EQ(name_of("/opt/comity/lib/libcomity_mpi-openmpi.so.0.1.0"), "comity");
}

// They were MPI's fabric, and so in what MPI brings.
TEST(Component, CollectivesOfGpusAreNoFabricOfMpis) {
  for (const char* const path : {"/usr/lib/x86_64-linux-gnu/libnccl.so.2.18.3", "/opt/nccl/lib/libnccl-net.so",
                                 "/opt/rocm/lib/librccl.so.1.0", "/usr/lib/x86_64-linux-gnu/libcudart.so.12"})
    EXPECT_EQ(name_of(path), "gpu");
  EXPECT_EQ(Components().maker_of("nccl-AbCdEf"), Component::gpu);
  EXPECT_FALSE(comes_with_mpi(Component::gpu));
}

TEST(Component, WhatNoRuleNamesIsTheApplications) {
  EXPECT_EQ(name_of(""), "application");
  EXPECT_EQ(name_of("/home/me/model"), "application");
  EXPECT_EQ(name_of("/home/me/mpirun_demo"), "application");
  EXPECT_EQ(name_of("/home/me/openmpi/mysolver.so"), "application");
  EXPECT_EQ(name_of("/opt/libmpi/lib/libcouple.so"), "application") << "a folder's name alone tells nothing";
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libompl.so.16"), "application") << "a library of robots, not of OpenMP";
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/librtm.so"), "application");
}

TEST(Component, AnObjectWhoseFileIsDeletedKeepsItsComponent) {
  EXPECT_EQ(name_of("/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2 (deleted)"), "mpi");
}

TEST(Component, SegmentsAreNamedByTheirMakers) {
  Components components;
  const auto maker = [&](std::string_view segment) {
    const auto found = components.maker_of(segment);
    return found ? std::string(components.name(*found)) : "nobody";
  };
  EXPECT_EQ(maker("/dev/shm/vader_segment.vm.0.13610001.0"), "mpi");
  EXPECT_EQ(maker("/dev/shm/osc_rdma.vm.13610001.4 (deleted)"), "mpi");
  EXPECT_EQ(maker("/tmp/ompi.vm.0/pid.32671/pmix_dstor_ds21_32671/smseg-325124097-0"), "pmix");
  EXPECT_EQ(maker("/tmp/ompi.vm.0/pid.32671/1/vader_segment.0"), "mpi");
  EXPECT_EQ(maker("/dev/shm/mpich_shar_tmpQtgkkD (deleted)"), "mpi");
  EXPECT_EQ(maker("/dev/shm/ucx_shm_posix_386b0a63 (deleted)"), "fabric");
  EXPECT_EQ(maker("/memfd:comity-node (deleted)"), "comity");
  EXPECT_EQ(maker("/dev/shm/psm_0a1b2c3d"), "python");
  EXPECT_EQ(maker("/SYSV00000000 (deleted)"), "nobody");
  EXPECT_EQ(maker("/dev/shm/mine"), "nobody");
  ASSERT_FALSE(components.add("couple = /dev/shm/mine*"));
  EXPECT_EQ(maker("/dev/shm/mine7"), "couple");
}

TEST(Component, NamesAreThereOnceAndFoundAgain) {
  const Components components;
  std::set<std::string_view> names;
  for (std::size_t id = 0; id < components.count(); ++id) {
    const auto component = static_cast<Component>(id);
    names.insert(components.name(component));
    EXPECT_EQ(components.find(components.name(component)), component);
  }
  EXPECT_EQ(names.size(), components.count());
  EXPECT_EQ(components.find("nobody"), std::nullopt);
  EXPECT_EQ(components.name(static_cast<Component>(255)), "unknown");
}

TEST(Component, UsersRulesStandBeforeTheBuiltInOnes) {
  Components components;
  ASSERT_FALSE(
      components.add("# mine\n\n solver = libsolver*.so*  # fast\nhdf5=libmpich.so.12*\r\nsolver = plugins/s*.so\n"));
  EXPECT_EQ(components.name(components.of_object("/opt/libsolver2.so.1")), "solver");
  EXPECT_EQ(components.name(components.of_object("/opt/plugins/sparse.so")), "solver");
  EXPECT_EQ(components.name(components.of_object("/opt/sparse.so")), "application");
  EXPECT_EQ(components.name(components.of_object("/usr/lib/libmpich.so.12.2.2")), "hdf5");
  EXPECT_EQ(components.name(components.of_object("/usr/lib/libucp.so.0")), "fabric");
  EXPECT_EQ(components.count(), kComponentNames.size() + 1);
  EXPECT_TRUE(is_owner(*components.find("solver")));
}

TEST(Component, AGlobWithSlashesIsOfAsManyOfThePathsLastParts) {
  Components components;
  ASSERT_FALSE(components.add("one = a/b\ntwo = x/?/b\nnone = b\n"));
  const auto of = [&](std::string_view path) { return std::string(components.name(components.of_object(path))); };
  EXPECT_EQ(of("/far/a/b"), "one");
  EXPECT_EQ(of("a/b"), "one") << "it has no more";
  EXPECT_EQ(of("/a/b"), "one");
  EXPECT_EQ(of("/far/x/c/b"), "two");
  EXPECT_EQ(of("/a/x/b"), "none") << "by its name alone";
  EXPECT_EQ(of("a//b"), "none");
  EXPECT_EQ(of("/b"), "none");
  EXPECT_EQ(of("b/"), "application");
  EXPECT_EQ(of("/"), "application");
}

TEST(Component, AGlobSaysHowMuchOfThePathItMeans) {
  Components components;
  ASSERT_FALSE(components.add("whole = /opt/a/*.so\nany = **/b/**.so\n"));
  EXPECT_EQ(components.name(components.of_object("/opt/a/x.so")), "whole");
  EXPECT_EQ(components.name(components.of_object("/home/opt/a/x.so")), "application");
  EXPECT_EQ(components.name(components.of_object("/home/b/c/d/x.so")), "any");
}

TEST(Component, ACopyStandsByItself) {
  auto first = std::make_unique<Components>();
  ASSERT_FALSE(first->add("solver = libsolver*.so*"));
  const Components copy = *first;
  first.reset();
  EXPECT_EQ(copy.name(copy.of_object("libsolver.so")), "solver");
}

std::string why(std::string_view text, std::size_t line) {
  Components components;
  const auto problem = components.add(text);
  if (!problem) return "none";
  EXPECT_EQ(problem->line, line) << problem->why;
  EXPECT_EQ(components.count(), kComponentNames.size()) << "nothing of a wrong text is added";
  EXPECT_EQ(components.of_object("libsolver.so"), Component::application);
  return std::string(problem->why);
}

TEST(Component, AWrongLineIsNamedAndNothingIsAdded) {
  EXPECT_NE(why("solver = libsolver*\nlibx.so", 2).find("no `=`"), std::string::npos);
  EXPECT_NE(why("solver = libsolver*\n\nMy Solver = x", 3).find("small letters"), std::string::npos);
  EXPECT_NE(why("solver = ", 1).find("glob"), std::string::npos);
  EXPECT_NE(why("stack = libsolver*", 1).find("no object owns"), std::string::npos);
  EXPECT_NE(why("total = libsolver*", 1).find("name of a sum"), std::string::npos);
  EXPECT_NE(why("with_mpi = libsolver*", 1).find("name of a sum"), std::string::npos);
  EXPECT_NE(why("= x", 1).find("small letters"), std::string::npos);
}

TEST(Component, TooManyOfThemIsAnError) {
  std::string names, rules;
  for (int i = 0; i < 41; ++i) names += "c" + std::to_string(i) + " = x\n";
  for (int i = 0; i < 257; ++i) rules += "c = x\n";
  EXPECT_NE(why(names, 41).find("40 at most"), std::string::npos);
  EXPECT_NE(why(rules, 257).find("256 at most"), std::string::npos);
  EXPECT_NE(why("c = " + std::string(9000, 'x'), 1).find("8 KiB"), std::string::npos);
}

TEST(Component, AFileOfRulesIsReadAndItsFaultsNameIt) {
  const comity::testing::TemporaryFolder folder;
  const std::string file = folder / "memory_rules.txt";
  std::ofstream(file) << "solver = libsolver*.so*\n";
  const Components components = components_of(file);
  EXPECT_EQ(components.name(components.of_object("libsolver.so")), "solver");
  std::ofstream(file) << "fine = x\nsolver\n";
  try {
    (void)components_of(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(file + ": line 2: it has no `=`"), std::string::npos) << error.what();
  }
  std::remove(file.c_str());
  EXPECT_THROW((void)components_of(file), Error);
}

TEST(Component, AskingAllocatesNothing) {
  Components components;
  ASSERT_FALSE(components.add("solver = **/deep/**/libsolver*.so*"));
  const auto before = ::mallinfo2();
  Component component = Component::unknown;
  for (int i = 0; i < 100; ++i) component = components.of_object("/a/deep/b/c/libnobody.so.1");
  const auto after = ::mallinfo2();
  EXPECT_EQ(component, Component::application);
  EXPECT_EQ(after.uordblks, before.uordblks);
}

}  // namespace
}  // namespace comity::memory
