// SPDX-License-Identifier: BSD-3-Clause
#include "record/kept.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/shell.hpp"
#include "base/utf8.hpp"
#include "record/merge/names.hpp"

namespace comity::record {
namespace {

constexpr std::size_t kLongestValue_bytes = 512;
constexpr std::size_t kChunk_bytes = 32;  // that a fact takes beside its key and value
constexpr const char* kHidden = "(hidden)";

// What matters most first. Of Slurm's, whose others are many and hold a token, those of the layout.
constexpr std::array<std::string_view, 32> kKept{"COMITY_",
                                                 "OMP_",
                                                 "GOMP_",
                                                 "KMP_",
                                                 "OPENBLAS_",
                                                 "MKL_",
                                                 "LD_PRELOAD",
                                                 "SLURM_JOB_ID",
                                                 "SLURM_JOB_NUM_NODES",
                                                 "SLURM_JOB_NODELIST",
                                                 "SLURM_JOB_PARTITION",
                                                 "SLURM_NNODES",
                                                 "SLURM_NPROCS",
                                                 "SLURM_NTASKS",
                                                 "SLURM_TASKS_PER_NODE",
                                                 "SLURM_STEP_NUM_NODES",
                                                 "SLURM_STEP_NUM_TASKS",
                                                 "SLURM_STEP_TASKS_PER_NODE",
                                                 "SLURM_CPUS_PER_TASK",
                                                 "SLURM_CPUS_ON_NODE",
                                                 "SLURM_CPU_BIND",
                                                 "SLURM_MEM_BIND",
                                                 "SLURM_DISTRIBUTION",
                                                 "SLURM_HINT",
                                                 "SLURM_THREADS_PER_CORE",
                                                 "SLURM_GPUS",
                                                 "SLURM_MPI_TYPE",
                                                 "OMPI_",
                                                 "MPICH_",
                                                 "MPIR_",
                                                 "UCX_",
                                                 "FI_"};

// Of Open MPI's those by which its daemons find one another: none says how the program ran. The launcher's line is a fact of
// its own.
constexpr std::array<std::string_view, 7> kInternal{
    "OMPI_MCA_orte_",     "OMPI_MCA_prte_",        "OMPI_MCA_ess_base",     "OMPI_ARGV",
    "OMPI_FILE_LOCATION", "OMPI_MCA_initial_wdir", "COMITY_RECORD_LAUNCHER"};

constexpr std::array<std::string_view, 10> kSecret{"TOKEN", "SECRET", "PASS",   "KEY",     "CRED",
                                                   "JWT",   "AUTH",   "COOKIE", "PRIVATE", "CERT"};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return result;
}

// The place of its prefix in the list; kKept.size(): it is not kept.
std::size_t place_of(std::string_view variable) {
  const std::string name = upper(variable);
  const bool secret = std::any_of(kSecret.begin(), kSecret.end(),
                                  [&](std::string_view word) { return name.find(word) != std::string::npos; });
  const bool internal = std::any_of(kInternal.begin(), kInternal.end(),
                                    [&](std::string_view prefix) { return variable.starts_with(prefix); });
  if (secret || internal) return kKept.size();
  const auto found =
      std::find_if(kKept.begin(), kKept.end(), [&](std::string_view prefix) { return variable.starts_with(prefix); });
  return static_cast<std::size_t>(found - kKept.begin());
}

struct Entry {
  std::size_t place;
  std::string name;
  std::string value;
};

std::vector<Entry> kept_of(std::span<const std::string> entries) {
  std::vector<Entry> kept;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    const std::size_t place = place_of(name);
    if (place < kKept.size()) kept.push_back({place, name, shortened(entry.substr(equals + 1), kLongestValue_bytes)});
  }
  std::sort(kept.begin(), kept.end(),
            [](const Entry& a, const Entry& b) { return a.place != b.place ? a.place < b.place : a.name < b.name; });
  return kept;
}

// As environment variables are written: capitals, digits and underscores.
bool is_variable(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::string_view kDigits = "0123456789";
  return name.size() > 1 && kDigits.find(name[0]) == std::string_view::npos &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

// "NAME=value", "--export=ALL,NAME=value,..": each part between commas.
std::string without_secrets(const std::string& word) {
  constexpr std::string_view kExport = "--export=";
  std::size_t start = word.starts_with(kExport) ? kExport.size() : 0;
  std::string result = word.substr(0, start);
  while (true) {
    const std::size_t end = std::min(word.find(',', start), word.size());
    const std::string part = word.substr(start, end - start);
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, std::min(equals, part.size()));
    const bool hides = equals != std::string::npos && is_variable(name) && !is_kept(name);
    result += hides ? name + '=' + kHidden : part;
    if (end == word.size()) return result;
    result += ',';
    start = end + 1;
  }
}

bool takes_name_and_value(std::string_view word) { return word.ends_with("-genv") || word.ends_with("-env"); }

}  // namespace

bool is_kept(std::string_view variable) { return place_of(variable) < kKept.size(); }

std::map<std::string, std::string> environment_facts(std::span<const std::string> entries, std::size_t most_bytes) {
  std::map<std::string, std::string> facts;
  std::size_t used_bytes = 0;
  std::size_t left_out = 0;
  for (const Entry& entry : kept_of(entries)) {
    const std::string key = std::string(kEnvironmentFacts) + entry.name;
    used_bytes += key.size() + entry.value.size() + kChunk_bytes;
    if (used_bytes > most_bytes)
      ++left_out;
    else
      facts.emplace(key, entry.value);
  }
  if (left_out > 0) facts.emplace(kEnvironmentFact, std::to_string(left_out) + " more variables found no room");
  return facts;
}

std::string launcher_line(std::span<const std::string> words) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_value = i >= 2 && takes_name_and_value(words[i - 2]) && is_variable(words[i - 1]);
    shown.push_back(is_value && !is_kept(words[i - 1]) ? kHidden : without_secrets(words[i]));
  }
  return shell_line(shown);
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const char letter : text) {
    if (kPlain.find(letter) != std::string_view::npos) {
      result += letter;
    } else {
      const auto value = static_cast<unsigned char>(letter);
      result.append({'@', kDigits[value >> 4U], kDigits[value & 15U]});
    }
  }
  return result;
}

// What escaped() did not write stays as it is.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '@' && i + 2 < text.size()) {
      const auto [end, problem] = std::from_chars(&text[i + 1], &text[i + 1] + 2, value, 16);
      if (problem == std::errc{} && end == &text[i + 1] + 2) {
        result += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

}  // namespace comity::record
