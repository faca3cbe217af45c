// What `fenestra doctor` looks at. Each check is a plain function of the machine.
#pragma once

#include <string>
#include <vector>

namespace fenestra::cli {

struct MachineCheck {
  std::string what;
  bool ok = false;
  bool required = false;  // nothing works without it; the others only limit what can be measured
  std::string found;      // what is there, or why it is not
  std::string remedy;     // what to do; "" when ok
};

// All checks, in the order they are printed. `db` names the database: its folder must have room.
std::vector<MachineCheck> Examine(const std::string& db);

// An nvcc by $CUDACXX, PATH or the usual folder; "" when there is none.
std::string FindNvcc();

}  // namespace fenestra::cli
