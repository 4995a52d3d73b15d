// SPDX-License-Identifier: BSD-3-Clause
// A job whose cpuset has CPUs of one NUMA node and memory of another: the only NUMA node that it sees has no CPU of it.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace comity {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class NumaNodesWithoutCpus : public ::testing::Test {
 protected:
  NumaNodesWithoutCpus() {
    std::string text = text_of(COMITY_TEST_DATA "/machines/forbidden-package.xml");
    const std::string of_both = "allowed_nodeset=\"0x00000003\"";
    const std::size_t at = text.find(of_both);
    if (at == std::string::npos) throw std::runtime_error("the described machine has changed");
    text.replace(at, of_both.size(), "allowed_nodeset=\"0x00000001\"");
    std::string path = ::testing::TempDir() + "comity-memory-elsewhere-XXXXXX";
    ::close(::mkstemp(path.data()));
    std::ofstream(path) << text;
    setenv("HWLOC_XMLFILE", path.c_str(), 1);
    context_.emplace(Context::local());
    ::unlink(path.c_str());
  }
  ~NumaNodesWithoutCpus() override { unsetenv("HWLOC_XMLFILE"); }

  template <typename Call>
  static std::string refusal(Call&& call) {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.code() == COMITY_ERR_NOT_FOUND ? failure.what() : "another error";
    }
    return "none";
  }

  std::optional<Context> context_;
};

TEST_F(NumaNodesWithoutCpus, AreNoPlaceToSpreadTo) {
  EXPECT_EQ(context_->count(Resource::numa), 1);
  EXPECT_NE(refusal([&] { context_->spread(Resource::numa); }).find("no object of type numa has CPUs"),
            std::string::npos);
  EXPECT_EQ(context_->depth(), 0);
}

TEST_F(NumaNodesWithoutCpus, AreNoPlaceToWorkAt) {
  for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
    EXPECT_NE(refusal([&] { (void)context_->distribute(Resource::numa, 1, rule); }).find("has CPUs"),
              std::string::npos);
  }
  EXPECT_NE(refusal([&] { context_->phase(Resource::numa, 1, [] {}); }).find("has CPUs"), std::string::npos);
  EXPECT_EQ(refusal([&] { check(comity_context_leave(context_->handle())); }), "another error") << "no phase is open";
  bool worked = false;
  EXPECT_TRUE(context_->phase(Resource::machine, 1, [&] { worked = true; }));
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace comity
