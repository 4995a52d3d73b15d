// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/packaged_inputs.hpp"

#include <array>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "base/error.hpp"

namespace comity::cli::bench {
namespace {

// A file that is written, or an error.
void write(const std::string& folder, const char* name, std::string_view text) {
  const std::string path = folder + "/" + name;
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(Status::system, "write " + path + ": it cannot be written; set TMPDIR to a folder with room");
}

constexpr const char* kMelt = R"in(units lj
atom_style atomic
lattice fcc 0.85
region all block 0 20 0 20 0 20
create_box 1 all
create_atoms 1 box
mass 1 1.0
velocity all create 1.5 4711 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 5 every 1 check yes
fix move all nve
thermo 100
run 400
print "energy at the end $(etotal:%.6f)"
)in";

constexpr const char* kWaterRun = R"(integrator = md
dt = 0.001
nsteps = 250
nstlist = 10
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 4711
nstcalcenergy = 100
nstenergy = 100
nstlog = 100
)";

constexpr const char* kWaterTopology = R"([ defaults ]
1 2 yes 0.5 0.5
[ atomtypes ]
OW 8 15.9994 0.0 A 0.316557 0.650194
HW 1 1.008 0.0 A 0.0 0.0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476
2 HW 1 SOL HW1 1 0.4238
3 HW 1 SOL HW2 1 0.4238
[ settles ]
1 1 0.1 0.1633
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
)";

constexpr int kWatersASide = 22;
constexpr int kWaters = kWatersASide * kWatersASide * kWatersASide;
constexpr double kSpacing_nm = 0.3107;  // 1 g/cm3

// A molecule in each cell of a cubic lattice, its neighbours turned round. The form is one of fixed columns.
std::string water_lattice() {
  struct Atom {
    const char* name;
    std::array<double, 3> from_oxygen_nm;
  };
  constexpr std::array kAtoms{Atom{"OW", {0, 0, 0}}, Atom{"HW1", {0.0577, 0.08165, 0}},
                              Atom{"HW2", {0.0577, -0.08165, 0}}};
  constexpr int kMost = 100000;  // numbers begin anew there
  std::ostringstream text;
  text << "water\n" << std::size_t{kWaters} * kAtoms.size() << '\n' << std::fixed;
  int molecule = 0, number = 0;
  for (int cell = 0; cell < kWaters; ++cell) {
    const std::array<int, 3> at{cell / kWatersASide / kWatersASide, cell / kWatersASide % kWatersASide,
                                cell % kWatersASide};
    const int turn = (at[0] + at[1] + at[2]) % 2 == 0 ? -1 : 1;
    ++molecule;
    for (const Atom& atom : kAtoms) {
      text << std::setw(5) << molecule % kMost << std::left << std::setw(5) << "SOL" << std::right << std::setw(5)
           << atom.name << std::setw(5) << ++number % kMost << std::setprecision(3);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        text << std::setw(8) << (at[axis] + 0.5) * kSpacing_nm + (axis == 0 ? turn : 1) * atom.from_oxygen_nm[axis];
      }
      text << '\n';
    }
  }
  const double side = kWatersASide * kSpacing_nm;
  text << std::setprecision(4) << side << ' ' << side << ' ' << side << '\n';
  return text.str();
}

constexpr const char* kCellOfWater = R"(&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD QS
  &DFT
    BASIS_SET_FILE_NAME BASIS_MOLOPT
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 200
    &END MGRID
    &SCF
      SCF_GUESS ATOMIC
      MAX_SCF 40
      EPS_SCF 1.0E-2
      &OT
        PRECONDITIONER FULL_SINGLE_INVERSE
        MINIMIZER DIIS
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 3.107 3.107 3.107
      MULTIPLE_UNIT_CELL 3 3 2
    &END CELL
    &TOPOLOGY
      MULTIPLE_UNIT_CELL 3 3 2
    &END TOPOLOGY
    &COORD
      O 1.0 1.5 1.5
      H 1.586 2.257 1.5
      H 1.586 0.743 1.5
    &END COORD
    &KIND O
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
    &KIND H
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
)";

constexpr const char* kElk = R"(tasks
 0

avec
 5.13 5.13 0.0
 5.13 0.0 5.13
 0.0 5.13 5.13

sppath
 './'

atoms
 1
 'Si.in'
 2
 0.0 0.0 0.0 0.0 0.0 0.0
 0.25 0.25 0.25 0.0 0.0 0.0

ngridk
 8 8 8

maxscl
 16

epspot
 1.0E-30
)";

// What Elk is told of an element: charge, mass, radii of its mesh, shells (n, l, k, occupation, core), and how waves join.
constexpr const char* kElkSilicon = R"( 'Si'
 'silicon'
 -14.0
 51196.73454
 0.534522E-06 2.2 47.8425 400
 7
 1 0 1 2.0 T
 2 0 1 2.0 T
 2 1 1 2.0 T
 2 1 2 4.0 T
 3 0 1 2.0 F
 3 1 1 1.0 F
 3 1 2 1.0 F
 1
 0.15 0 F
 0
 2
 0 2
 0.15 0 F
 0.15 1 F
 1 2
 0.15 0 F
 0.15 1 F
)";

constexpr const char* kWater = R"(start water
geometry units angstroms noautoz
  symmetry c1
  O 0.000 0.000 0.117
  H 0.000 0.757 -0.470
  H 0.000 -0.757 -0.470
end
basis spherical
  * library aug-cc-pvtz
end
task ccsd energy
)";

constexpr const char* kBenzene = R"({"bagel": [
 {"title": "molecule", "basis": "cc-pvtz", "df_basis": "cc-pvtz-jkfit", "angstrom": true, "geometry": [
   {"atom": "C", "xyz": [0.0, 1.395, 0.0]}, {"atom": "C", "xyz": [1.208, 0.698, 0.0]},
   {"atom": "C", "xyz": [1.208, -0.698, 0.0]}, {"atom": "C", "xyz": [0.0, -1.395, 0.0]},
   {"atom": "C", "xyz": [-1.208, -0.698, 0.0]}, {"atom": "C", "xyz": [-1.208, 0.698, 0.0]},
   {"atom": "H", "xyz": [0.0, 2.482, 0.0]}, {"atom": "H", "xyz": [2.149, 1.241, 0.0]},
   {"atom": "H", "xyz": [2.149, -1.241, 0.0]}, {"atom": "H", "xyz": [0.0, -2.482, 0.0]},
   {"atom": "H", "xyz": [-2.149, -1.241, 0.0]}, {"atom": "H", "xyz": [-2.149, 1.241, 0.0]}]},
 {"title": "mp2", "aux_basis": "cc-pvtz-ri", "frozen": true}
]}
)";

}  // namespace

void write_lammps(const std::string& folder) { write(folder, "melt.in", kMelt); }

void write_gromacs(const std::string& folder) {
  write(folder, "water.mdp", kWaterRun);
  write(folder, "water.top", kWaterTopology + ("SOL " + std::to_string(kWaters)) + '\n');
  write(folder, "water.gro", water_lattice());
}

void write_cp2k(const std::string& folder) { write(folder, "water.inp", kCellOfWater); }

void write_elk(const std::string& folder) {
  write(folder, "elk.in", kElk);
  write(folder, "Si.in", kElkSilicon);
}

void write_nwchem(const std::string& folder) { write(folder, "water.nw", kWater); }

void write_bagel(const std::string& folder) { write(folder, "benzene.json", kBenzene); }

}  // namespace comity::cli::bench
