// SPDX-License-Identifier: BSD-3-Clause
// What the words of `comity place` ask for.
#pragma once

#include <string>
#include <vector>

#include "cli/place/job.hpp"
#include "cli/place/nodes.hpp"

namespace comity::cli {

struct PlaceRequest {
  bool json = false;
  GridWords grid;
  std::string graph_file;
  std::string traffic_folder;
  std::string threads = "1";
  std::string thread_placement = "together";
  NodeWords nodes;
  ObjectiveWords objective;
  std::string partitioner = "all";
  std::string picture;
  std::string network;  // a file
  std::string torus;    // "4x4x2"
  std::string hosts;    // a file or words
  std::string output;   // a launcher's name
  std::string folder;   // for its files
  bool verify = false;
  std::string measure;               // a file for costs
  std::vector<std::string> command;  // behind the "--"
};

}  // namespace comity::cli
