// SPDX-License-Identifier: BSD-3-Clause
// quo-info: the words that compile and link a program for this libquo, as makefiles ask for them. It goes by where it stands
// (<prefix>/bin), so the tree may be moved.
#include <getopt.h>
#include <quo.h>

#include <strings.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

enum class Language { c, cpp, fortran };

// What an option prints, in a language.
struct Word {
  const char* option;
  const char* help;
  std::string (*text)(const std::string& prefix, Language language);
};

std::string prefix_text(const std::string& prefix, Language /*language*/) { return prefix; }

std::string include_text(const std::string& prefix, Language language) {
  return "-I" + prefix + (language == Language::fortran ? "/lib" : "/include");
}

std::string folder_text(const std::string& prefix, Language /*language*/) { return "-L" + prefix + "/lib"; }

std::string name_text(const std::string& /*prefix*/, Language language) {
  return language == Language::fortran ? "-lquo-usequo -lquo" : "-lquo";
}

std::string libraries_text(const std::string& prefix, Language language) {
  return folder_text(prefix, language) + " " + name_text(prefix, language);
}

std::string nothing_text(const std::string& /*prefix*/, Language /*language*/) { return ""; }

constexpr std::array kWords{
    Word{"prefix", "where this libquo is installed", prefix_text},
    Word{"cflags", "all options for the compiler", include_text},
    Word{"cflags-only-I", "the -I of them", include_text},
    Word{"libs", "all options for the linker", libraries_text},
    Word{"libs-only-L", "the -L of them", folder_text},
    Word{"libs-only-l", "the -l of them", name_text},
    Word{"libs-only-other", "the others of them: none", nothing_text},
};
constexpr int kLang = static_cast<int>(kWords.size());
constexpr int kConfig = kLang + 1;
constexpr int kHelp = kLang + 2;

int usage(std::FILE* out, int code) {
  (void)std::fprintf(out, "usage: quo-info [OPTION]...\nPrints what each option asks for, on one line.\n");
  for (const Word& word : kWords) (void)std::fprintf(out, "  --%-16s %s\n", word.option, word.help);
  (void)std::fprintf(out,
                     "  --lang LANG        for C, C++ or Fortran (default: C)\n"
                     "  --config           what this libquo is\n"
                     "  --help             this text\n");
  return code;
}

int print_config(const std::string& prefix) {
  std::printf(
      "Package: libquo (Comity's)\n"
      "Version: %d.%d.%d\n"
      "API Version: 8.0\n"
      "Comity Version: %s\n"
      "MPI: %s\n"
      "Build Prefix: %s\n"
      "Build Fortran Support: %s\n",
      QUO_API_VERSION >> 16, (QUO_API_VERSION >> 8) & 0xFF, QUO_API_VERSION & 0xFF, COMITY_QUO_INFO_VERSION,
      COMITY_QUO_INFO_MPI, prefix.c_str(), COMITY_QUO_INFO_FORTRAN ? "yes" : "no");
  return EXIT_SUCCESS;
}

bool read_language(const char* name, Language& language) {
  if (strcasecmp(name, "C") == 0) {
    language = Language::c;
  } else if (strcasecmp(name, "C++") == 0) {
    language = Language::cpp;
  } else if (strcasecmp(name, "Fortran") == 0 && COMITY_QUO_INFO_FORTRAN) {
    language = Language::fortran;
  } else {
    (void)std::fprintf(stderr, "quo-info: there is nothing for the language '%s'; ask for %s\n", name,
                       COMITY_QUO_INFO_FORTRAN ? "C, C++ or Fortran" : "C or C++");
    return false;
  }
  return true;
}

std::vector<option> long_options() {
  std::vector<option> options;
  options.reserve(kHelp + 2);
  for (const Word& word : kWords) {
    options.push_back({word.option, no_argument, nullptr, static_cast<int>(options.size())});
  }
  options.push_back({"lang", required_argument, nullptr, kLang});
  options.push_back({"config", no_argument, nullptr, kConfig});
  options.push_back({"help", no_argument, nullptr, kHelp});
  options.push_back({nullptr, 0, nullptr, 0});
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string prefix = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  const std::vector<option> options = long_options();
  std::vector<const Word*> asked;
  Language language = Language::c;
  for (int found = 0; (found = getopt_long_only(argc, argv, "", options.data(), nullptr)) != -1;) {
    if (found == kConfig) return print_config(prefix);
    if (found == kHelp) return usage(stdout, EXIT_SUCCESS);
    if (found == '?') return usage(stderr, EXIT_FAILURE);
    if (found == kLang) {
      if (!read_language(optarg, language)) return EXIT_FAILURE;
    } else {
      asked.push_back(&kWords[static_cast<std::size_t>(found)]);
    }
  }
  if (optind < argc) (void)std::fprintf(stderr, "quo-info: '%s' is no option\n", argv[optind]);
  if (optind < argc || asked.empty()) return usage(stderr, EXIT_FAILURE);
  std::string line;
  for (const Word* word : asked) line += (line.empty() ? "" : " ") + word->text(prefix, language);
  std::puts(line.c_str());
  return EXIT_SUCCESS;
}
