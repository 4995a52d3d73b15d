// SPDX-License-Identifier: BSD-3-Clause
// What each packaged program is given to work on: crystals, liquids and molecules, of some seconds on two cores. Written for
// this benchmark; what they name beside (pseudopotentials, basis sets) comes with the program.
#pragma once

#include <string>

namespace comity::cli::bench {

// Each into a folder that is there. Throws Status::system where that fails.
void write_lammps(const std::string& folder);   // argon-like atoms from a crystal, melting
void write_gromacs(const std::string& folder);  // rigid water from a lattice
void write_cp2k(const std::string& folder);     // a few molecules of water, their electrons
void write_elk(const std::string& folder);      // a crystal of silicon, all electrons
void write_nwchem(const std::string& folder);   // a water molecule
void write_bagel(const std::string& folder);    // benzene

}  // namespace comity::cli::bench
