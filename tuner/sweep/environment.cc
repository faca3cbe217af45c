#include "tuner/sweep/environment.h"

#include <sys/utsname.h>

#include "tuner/sweep/commit.h"  // written by the build: FENESTRA_COMMIT

namespace fenestra {

Environment ThisEnvironment(const std::optional<GpuInfo>& gpu) {
  utsname host{};
  uname(&host);
  Environment environment;
  environment.gpu = gpu ? gpu->name : "none";
  environment.driver = gpu ? gpu->driver : "none";
  environment.toolkit = gpu ? gpu->runtime : "none";
  environment.compiler = FENESTRA_COMPILERS;
  environment.host = host.machine;
  environment.commit = FENESTRA_COMMIT;
  environment.sm_clock_mhz_max = gpu ? gpu->sm_clock_mhz_max : 0;
  environment.memory_clock_mhz_max = gpu ? gpu->memory_clock_mhz_max : 0;
  return WithId(environment);
}

}  // namespace fenestra
