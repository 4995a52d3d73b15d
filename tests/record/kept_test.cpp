// SPDX-License-Identifier: BSD-3-Clause
// What a record keeps of the environment, and what it never does.
#include "record/kept.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace comity::record {
namespace {

using Words = std::vector<std::string>;
using Facts = std::map<std::string, std::string>;

TEST(Kept, AreVariablesThatSayHowARunRan) {
  const Words entries{"OMP_NUM_THREADS=4",    "HOME=/home/me", "UCX_TLS=all",
                      "LD_PRELOAD=/lib/a.so", "AWS_REGION=x",  "OMP"};
  EXPECT_EQ(environment_facts(entries, 1000), (Facts{{"environment OMP_NUM_THREADS", "4"},
                                                     {"environment UCX_TLS", "all"},
                                                     {"environment LD_PRELOAD", "/lib/a.so"}}));
}

TEST(Kept, AreNoSecrets) {
  for (const char* const name :
       {"SLURM_JWT", "UCX_AUTH_TOKEN", "FI_PROVIDER_PASSWORD", "OMPI_MCA_some_key", "COMITY_SECRET", "GITHUB_TOKEN",
        "OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri"}) {
    EXPECT_FALSE(is_kept(name)) << name;
  }
  EXPECT_TRUE(is_kept("OMPI_MCA_btl"));
  EXPECT_TRUE(is_kept("SLURM_NTASKS"));
}

TEST(Kept, FitWhatMattersMostComesFirst) {
  Words entries{"COMITY_METRICS=on", "UCX_LONG=" + std::string(5000, 'x')};
  for (int i = 0; i < 100; ++i) entries.push_back("FI_VARIABLE_" + std::to_string(i) + "=1");
  const Facts facts = environment_facts(entries, 1000);
  EXPECT_EQ(facts.at("environment COMITY_METRICS"), "on");
  EXPECT_EQ(facts.at("environment UCX_LONG").size(), 512U);
  std::size_t bytes = 0;
  for (const auto& [key, value] : facts) bytes += key.size() + value.size();
  EXPECT_LE(bytes, 1100U);
  const auto told = static_cast<std::size_t>(std::stoi(facts.at("environment")));
  EXPECT_EQ(told + facts.size() - 1, entries.size()) << "what found no room is counted";
}

TEST(LauncherLines, HideWhatTheySetAndAShellReadsThemBack) {
  EXPECT_EQ(launcher_line(Words{"mpirun", "-n", "2", "./a b", "size=3"}), "mpirun -n 2 './a b' size=3");
  EXPECT_EQ(launcher_line(Words{"mpirun", "-x", "DB_PW=1234", "-x", "OMP_NUM_THREADS=2", "./app"}),
            "mpirun -x 'DB_PW=(hidden)' -x OMP_NUM_THREADS=2 ./app");
  EXPECT_EQ(launcher_line(Words{"mpiexec", "-genv", "API_TOKEN", "1234", "-genv", "OMP_NUM_THREADS", "2", "./app"}),
            "mpiexec -genv API_TOKEN '(hidden)' -genv OMP_NUM_THREADS 2 ./app");
  EXPECT_EQ(launcher_line(Words{"srun", "--export=ALL,MINE=1,OMP_NUM_THREADS=2", "./app"}),
            "srun '--export=ALL,MINE=(hidden),OMP_NUM_THREADS=2' ./app");
}

TEST(EscapedTexts, HoldNoSignOfALauncherAndComeBack) {
  std::string all;
  for (int letter = 1; letter < 256; ++letter) all += static_cast<char>(letter);
  const std::string escaped_text = escaped(all);
  EXPECT_EQ(escaped_text.find_first_of(" ,;:%'\"\\$`=\n\t*?[]{}()&|<>!#~^"), std::string::npos);
  EXPECT_EQ(unescaped(escaped_text), all);
  EXPECT_EQ(unescaped("100@"), "100@");
  EXPECT_EQ(unescaped("@zz@4"), "@zz@4");
}

}  // namespace
}  // namespace comity::record
