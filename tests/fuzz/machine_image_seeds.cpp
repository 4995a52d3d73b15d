// SPDX-License-Identifier: BSD-3-Clause
// Writes the image of every described machine in one folder into another: seeds for the fuzzer, which cannot guess a
// header with a dozen offsets that fit.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "machine/loader.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: machine_image_seeds MACHINES SEEDS\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path seeds = argv[2];
    std::filesystem::remove_all(seeds);  // what an earlier run of the fuzzer added may be of another version
    std::filesystem::create_directories(seeds);
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      if (entry.path().extension() != ".xml" || entry.file_size() > 50'000) continue;  // large ones only slow it down
      const comity::machine::Image image = comity::machine::load_xml(entry.path());
      std::ofstream file(seeds / entry.path().stem(), std::ios::binary);
      file.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
      if (!file) return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
