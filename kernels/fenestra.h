// The production library: RMSNorm forward and backward, each call run by the program that the
// windows of its board name for its row count.
//
//   fenestra::Device device;
//   fenestra::Status status = fenestra::Device::Open(0, {}, &device);
//   std::int64_t bytes = 0;
//   status = device.BackwardWorkspaceBytes(shape, &bytes);
//   status = device.Backward(arguments, workspace, bytes, stream);
//
// Calls allocate nothing, synchronize nothing, query no driver, and may be made from any number of
// threads at once with one Device. Forward and Backward take a stream of the device and can be
// captured in a CUDA graph; what they point to must live until they have run, or as long as the
// graph. They do not throw; a bad argument is refused with a status that names it, before anything
// is launched.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "kernels/dispatch/lookup.h"
#include "kernels/status.h"
#include "kernels/tensor.h"

namespace fenestra {

struct DeviceOptions {
  // Take the windows of the nearest board of the same arch when the device's own has none; each
  // Open says so on standard error. Without it such a device is refused.
  bool may_borrow = false;
  // Split rows as a board of this many SMs does, by this device's windows; 0: as this one. The
  // board-invariant level has its own split.
  int split_sm_count = 0;
};

// What runs a call, for those who want to know.
struct Choice {
  int program = -1;  // index into kPrograms
  Bases bases;       // where its time and accuracy were measured
};

class Device {
 public:
  Device() = default;

  // Finds the windows of CUDA device `ordinal` and loads their kernels. Once per device; the
  // current device is left as it was. It loads kernels: not while a stream is captured. A board
  // without windows can still run the board-invariant level; calls of other levels are then
  // refused.
  static Status Open(int ordinal, const DeviceOptions& options, Device* device);

  // Of no rows nothing is launched, and no pointer is looked at.
  Status Forward(const ForwardArguments& arguments, cudaStream_t stream) const;

  // `workspace` holds at least BackwardWorkspaceBytes(arguments.shape), 16-byte aligned; it may be
  // null when that is 0. One workspace serves any number of calls that run in order, as on one
  // stream; calls that may run at once need one each. Of no rows, dw becomes zero (or stays, when
  // accumulating) and no other pointer is looked at.
  Status Backward(const BackwardArguments& arguments, void* workspace, std::int64_t workspace_bytes,
                  cudaStream_t stream) const;

  // Bytes for this shape, in place or not.
  Status BackwardWorkspaceBytes(const Shape& shape, std::int64_t* bytes) const;

  // The most bytes that any number of rows up to shape.tokens * shape.heads needs: windows make the
  // need jump both ways.
  Status BackwardWorkspaceBytesUpTo(const Shape& shape, std::int64_t* bytes) const;

  // The program for a shape; in_place: y overlays x, or dx overlays dy.
  Status Choose(Pass pass, const Shape& shape, bool in_place, Choice* choice) const;

  const BoardWindows* windows() const { return windows_; }

 private:
  // What a shape runs: the windows of its route, the board they are of, the SM count by which rows
  // are split, and the window of its row count.
  struct Found {
    const RouteWindows* route = nullptr;
    const BoardWindows* windows = nullptr;
    int split = 0;
    const Window* window = nullptr;
  };
  Status FindRouteOf(Pass pass, const Shape& shape, Found* found) const;  // all but the window
  Status Find(Pass pass, const Shape& shape, bool in_place, Found* found) const;

  int ordinal_ = -1;
  int sm_count_ = 0;
  int split_ = 0;                            // SM count by which rows are split
  std::array<char, 256> product_{};          // cudaDeviceProp::name
  const BoardWindows* windows_ = nullptr;    // null: the board has none
  const BoardWindows* invariant_ = nullptr;  // of the board-invariant level; null: not built in
};

}  // namespace fenestra
