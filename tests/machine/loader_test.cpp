// SPDX-License-Identifier: BSD-3-Clause
// Where machines come from: the real one, files and descriptions, good and broken ones.
#include "machine/loader.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "machine/machine.hpp"
#include "machine/source_text.hpp"

namespace comity::machine {
namespace {

const std::string kLaptop = std::string(COMITY_TEST_DATA) + "/machines/laptop-smt.xml";

// hwloc reads its variables itself: a test must not see those of the person who runs it.
class Loader : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH", "HWLOC_THISSYSTEM",
                             "HWLOC_COMPONENTS"}) {
      unsetenv(name);
    }
    folder_ = std::filesystem::temp_directory_path() / ("comity-loader-test-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file_with(const std::string& text) const {
    const std::string path = folder_ / "topology.xml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

std::string laptop_text() {
  std::ifstream file(kLaptop);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string named(std::map<std::string_view, std::string> environment) {
  return named_by([&](std::string_view name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(NamedMachine, IsEveryVariableThatPointsHwlocElsewhere) {
  EXPECT_EQ(named({}), "");
  EXPECT_EQ(named({{"HWLOC_XMLFILE", "a.xml"}}), "HWLOC_XMLFILE=a.xml");
  EXPECT_EQ(named({{"HWLOC_XMLFILE", ""}}), "HWLOC_XMLFILE=");
  EXPECT_EQ(named({{"HWLOC_SYNTHETIC", "pu:2"}, {"HWLOC_FSROOT", "/r"}}), "HWLOC_SYNTHETIC=pu:2 HWLOC_FSROOT=/r");
}

TEST(NamedMachine, TellsOfThisSystemOnlyWhereThatChangesSomething) {
  EXPECT_EQ(named({{"HWLOC_THISSYSTEM", "1"}}), "");
  EXPECT_EQ(named({{"HWLOC_THISSYSTEM", "0"}}), "HWLOC_THISSYSTEM=0");
  EXPECT_EQ(named({{"HWLOC_XMLFILE", "a"}, {"HWLOC_THISSYSTEM", "0"}}), "HWLOC_XMLFILE=a");
  EXPECT_EQ(named({{"HWLOC_XMLFILE", "a"}, {"HWLOC_THISSYSTEM", "1"}}), "HWLOC_XMLFILE=a HWLOC_THISSYSTEM=1");
}

std::string rejection_of(const Source& source) {
  try {
    (void)load(source);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::topology) << error.what();
    return error.what();
  }
  return "";
}

std::string rejection_of_file(const std::string& path) { return rejection_of({.xml_file = path}); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The CPUs that the kernel lets this process use at all: it cuts a mask of everything down to them.
CpuSet cpus_of_the_kernel() {
  cpu_set_t before, wide;
  CPU_ZERO(&before);
  sched_getaffinity(0, sizeof before, &before);
  std::fill_n(reinterpret_cast<unsigned char*>(&wide), sizeof wide, static_cast<unsigned char>(0xff));
  sched_setaffinity(0, sizeof wide, &wide);
  sched_getaffinity(0, sizeof wide, &wide);
  sched_setaffinity(0, sizeof before, &before);
  CpuSet cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &wide)) cpus.insert(cpu);
  }
  return cpus;
}

TEST_F(Loader, TheRealMachineAllowsWhatTheKernelAllows) {
  const Image image = load({});
  const Machine machine(image);
  EXPECT_EQ(machine.kind(), Kind::real);
  EXPECT_FALSE(machine.simulated());
  EXPECT_EQ(machine.allowed().to_list(), cpus_of_the_kernel().to_list());
  EXPECT_EQ(machine.harts(), static_cast<int>(machine.allowed().count()));
  EXPECT_TRUE(machine.complete().encloses(machine.allowed()));
  EXPECT_FALSE(machine.name().empty());
}

TEST_F(Loader, TheRealMachineDoesNotShrinkWithTheBindingOfTheCaller) {
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
  const Image image = load({});
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(Machine(image).allowed().to_list(), cpus_of_the_kernel().to_list());
}

TEST_F(Loader, AnXmlMachineIsSimulatedAndNamedAfterItsFile) {
  const Image image = load({.xml_file = kLaptop});
  EXPECT_EQ(Machine(image).kind(), Kind::xml);
  EXPECT_TRUE(Machine(image).simulated());
  EXPECT_EQ(Machine(image).name(), kLaptop);
  EXPECT_EQ(Machine(image).harts(), 8);
}

TEST_F(Loader, ASyntheticMachineIsSimulatedAndNamedAfterItsDescription) {
  const Image image = load({.synthetic = "package:2 core:3 pu:1"});
  EXPECT_EQ(Machine(image).kind(), Kind::synthetic);
  EXPECT_TRUE(Machine(image).simulated());
  EXPECT_EQ(Machine(image).name(), "package:2 core:3 pu:1");
}

// The laptop's file, taken for this machine: what the kernel forbids here is forbidden then.
TEST_F(Loader, AFileOfThisVeryMachineBindsForRealAndObeysTheKernel) {
  const CpuSet common = cpus_of_the_kernel() & CpuSet::first(8);
  if (common.empty()) GTEST_SKIP() << "NOT TESTED: the kernel allows none of the CPUs 0 to 7";
  const Image image = load({.xml_file = kLaptop, .this_system = true});
  EXPECT_FALSE(Machine(image).simulated());
  EXPECT_EQ(Machine(image).kind(), Kind::xml);
  EXPECT_EQ(Machine(image).allowed().to_list(), common.to_list());
}

TEST_F(Loader, WhatTheCallerNamesWinsOverTheEnvironment) {
  setenv("HWLOC_XMLFILE", kLaptop.c_str(), 1);
  const Image synthetic = load_synthetic("package:1 core:3 pu:1");
  unsetenv("HWLOC_XMLFILE");
  setenv("HWLOC_SYNTHETIC", "package:1 core:3 pu:1", 1);
  const Image xml = load_xml(kLaptop);
  unsetenv("HWLOC_SYNTHETIC");
  EXPECT_EQ(Machine(synthetic).harts(), 3);
  EXPECT_EQ(Machine(xml).harts(), 8);
}

TEST_F(Loader, TwoMachinesAtOnceAreRefused) {
  const std::string message = rejection_of({.xml_file = kLaptop, .synthetic = "package:1 pu:1"});
  EXPECT_TRUE(has(message, "HWLOC_XMLFILE") && has(message, "HWLOC_SYNTHETIC")) << message;
}

TEST_F(Loader, AMissingFileIsAnErrorAndNotTheRealMachine) {
  const std::string message = rejection_of_file(folder_ / "missing.xml");
  EXPECT_TRUE(has(message, "missing.xml") && has(message, "No such file")) << message;
}

TEST_F(Loader, AnErrorAdvisesToCheckWhereTheFileWasNamed) {
  const Source from_environment = source_of([&](std::string_view name) {
    return name == "HWLOC_XMLFILE" ? std::optional<std::string>(folder_ / "missing.xml") : std::nullopt;
  });
  EXPECT_TRUE(has(rejection_of(from_environment), "; check HWLOC_XMLFILE, or make"));
  const std::string from_a_word = rejection_of({.xml_file = folder_ / "missing.xml", .place = "--xml"});
  EXPECT_TRUE(has(from_a_word, "; check --xml, or make")) << from_a_word;
  EXPECT_FALSE(has(from_a_word, "HWLOC_XMLFILE")) << from_a_word;
  std::string from_a_caller;
  try {
    (void)load_xml(folder_ / "missing.xml");
  } catch (const Error& error) {
    from_a_caller = error.what();
  }
  EXPECT_TRUE(has(from_a_caller, "; give another, or make")) << from_a_caller;
}

TEST_F(Loader, AFolderIsNoTopology) { EXPECT_TRUE(has(rejection_of_file(folder_), "it is no regular file")); }

TEST_F(Loader, APipeIsAnErrorAndNoWait) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(has(rejection_of_file(pipe), "it is no regular file"));
}

TEST_F(Loader, AnEmptyFileNameIsAnError) { EXPECT_NE(rejection_of_file(""), ""); }

TEST_F(Loader, AnEmptyFileIsAnError) { EXPECT_TRUE(has(rejection_of_file(file_with("")), "it is empty")); }

TEST_F(Loader, AFileThatIsNoXmlIsAnError) {
  EXPECT_TRUE(has(rejection_of_file(file_with("package:2 core:4")), "it is no topology in XML"));
}

TEST_F(Loader, XmlOfSomethingElseIsAnError) {
  EXPECT_NE(rejection_of_file(file_with("<?xml version=\"1.0\"?>\n<recipe><egg/></recipe>\n")), "");
}

TEST_F(Loader, AFileCutOffAnywhereIsAnError) {
  const std::string text = laptop_text();
  for (std::size_t bytes = 1; bytes < text.rfind("</topology>"); bytes += 97) {
    EXPECT_NE(rejection_of_file(file_with(text.substr(0, bytes))), "") << bytes << " bytes";
  }
}

TEST_F(Loader, AnUnknownKindOfObjectIsAnError) {
  EXPECT_NE(rejection_of_file(file_with(with(laptop_text(), "type=\"Package\"", "type=\"Parcel\""))), "");
}

TEST_F(Loader, AMachineWithoutUsablePusIsAnError) {
  const std::string text = with(laptop_text(), "allowed_cpuset=\"0x000000ff\"", "allowed_cpuset=\"0x00000100\"");
  EXPECT_NE(rejection_of_file(file_with(text)), "");
}

TEST_F(Loader, TwoPusOfOneNumberAreAnError) {
  const std::string pu = "<object type=\"PU\" os_index=\"4\" cpuset=\"0x00000010\" complete_cpuset=\"0x00000010\"";
  const std::string twin = "<object type=\"PU\" os_index=\"0\" cpuset=\"0x00000001\" complete_cpuset=\"0x00000001\"";
  EXPECT_NE(rejection_of_file(file_with(with(laptop_text(), pu, twin))), "");
}

TEST_F(Loader, ABrokenDescriptionIsAnErrorThatQuotesIt) {
  for (const char* broken : {"", "garbage", "package:2 core:two", "package:2 core:2", "package:-1 pu:1",
                             "package:0 pu:1", "package:2 pu:2 core:2", "(", "[", ":::"}) {
    const std::string message = rejection_of({.synthetic = broken});
    EXPECT_TRUE(has(message, "\"" + std::string(broken) + "\"")) << broken << ": " << message;
  }
}

TEST_F(Loader, MorePusThanASetHoldsIsAnErrorWithBothNumbers) {
  const std::string message = rejection_of({.synthetic = "package:4 core:256 pu:3"});
  EXPECT_TRUE(has(message, "3072") && has(message, "2048")) << message;
}

TEST_F(Loader, AnAbsurdNumberOfPusIsRefusedBeforeAnythingIsBuilt) {
  EXPECT_TRUE(has(rejection_of({.synthetic = "package:1000000 core:1000000 pu:2"}), "2000000000000 PUs"));
  EXPECT_NE(rejection_of({.synthetic = "pu:99999999999999999999999"}), "");
  EXPECT_TRUE(has(rejection_of({.synthetic = "core: -1"}), "more PUs than can be counted"));
}

TEST_F(Loader, AnOsNumberBeyondTheCapacityIsAnErrorWithBothNumbers) {
  const std::string message = rejection_of({.synthetic = "package:1 core:2 pu:1(indexes=0,5000)"});
  EXPECT_TRUE(has(message, "5000") && has(message, "2048")) << message;
}

TEST(SourceText, AnObjectWithoutTheCompleteFormOfItsSetEndsHwloc) {
  const auto object = [](const std::string& attributes) {
    return why_xml_ends_hwloc("<topology>\n  <object type=\"NUMANode\" " + attributes + ">\n</topology>");
  };
  EXPECT_EQ(object("cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\""), "");
  EXPECT_EQ(object("os_index=\"0\""), "") << "as a device, which has no sets";
  EXPECT_EQ(object("name=\"a > b\" cpuset='0x1' complete_cpuset='0x1'"), "");
  EXPECT_NE(object("cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\"").find("line 2 has no complete_cpuset"),
            std::string::npos);
  EXPECT_NE(object("cpuset=\"0x0\" complete_cpuset=\"0x0\"\n\tnodeset=\"0x1\"").find("no complete_nodeset"),
            std::string::npos);
  EXPECT_NE(object("allowed_complete_cpuset=\"0x1\" cpuset=\"0x1\"").find("no complete_cpuset"), std::string::npos);
  EXPECT_EQ(why_xml_ends_hwloc("<object type=\"PU\" cpuset=\"0x1\" complete_cpuset=\"0x1").find("complete"),
            std::string::npos);
  EXPECT_NE(object("cpuset =\"0x1\" nodeset\n=\n'0x1' complete_nodeset = \"0x1\"").find("no complete_cpuset"),
            std::string::npos);
  EXPECT_EQ(object("cpuset=\"0x1\" complete_cpuset\t= '0x1'"), "");
  EXPECT_EQ(why_xml_ends_hwloc("no XML at all"), "");
}

TEST(SourceText, AMachineWithoutACompleteCpusetEndsHwloc) {
  const auto machine = [](const std::string& complete) {
    return why_xml_ends_hwloc("<object type=\"Machine\" cpuset=\"0x3\" complete_cpuset=\"" + complete + "\"/>");
  };
  EXPECT_NE(machine("0x0").find("line 1 is a machine whose complete_cpuset is empty"), std::string::npos);
  EXPECT_NE(machine("0x00000000,0x0").find("empty"), std::string::npos);
  EXPECT_EQ(machine("0x00000003"), "");
  EXPECT_EQ(machine("0xf...f"), "");
  EXPECT_EQ(why_xml_ends_hwloc("<object type=\"NUMANode\" cpuset=\"0x0\" complete_cpuset=\"0x0\"/>"), "")
      << "memory alone";
}

TEST(SourceText, CountsOfADescriptionAreMultiplied) {
  EXPECT_EQ(count_synthetic_pus("package:2 core:8 pu:2"), 32U);
  EXPECT_EQ(count_synthetic_pus("2 8 2"), 32U);
  EXPECT_EQ(count_synthetic_pus("package:2 [numa(memory=8589934592)] l3:1(size=20971520) core:4 pu:1"), 8U);
  EXPECT_EQ(count_synthetic_pus("pack:2 l2:3 l1d:1 core:1 pu:2(indexes=2*6:1*2)"), 12U);
  EXPECT_EQ(count_synthetic_pus(""), 1U);
  // As hwloc reads numbers: it would build these for hours.
  EXPECT_EQ(count_synthetic_pus("core:0x100 pu:0x100"), 65536U);
  EXPECT_EQ(count_synthetic_pus("pu:+500000"), 500000U);
  EXPECT_EQ(count_synthetic_pus("pu:\t500000"), 500000U);
  EXPECT_EQ(count_synthetic_pus("pu:0100"), 64U);
  EXPECT_GT(count_synthetic_pus("pu:-1"), std::size_t{1} << 60U);
}

}  // namespace
}  // namespace comity::machine
