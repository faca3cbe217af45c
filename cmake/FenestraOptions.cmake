# Options, packages and the flags every target shares.
include(CheckLanguage)

option(FENESTRA_TESTS "Build the tests" ON)
option(FENESTRA_CHECKED "Verify in every call that the tensors live on the handle's device" OFF)
set(FENESTRA_ARCHS "90a" CACHE STRING "GPU archs to compile: 90a;100a;103a")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
if(FENESTRA_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
endif()

# Without nvcc the same tree configures into a host-only build: no GPU programs, all else.
option(FENESTRA_HOST_ONLY "Build without GPU programs even where nvcc is at hand" OFF)
set(FENESTRA_CUDA OFF)
if(NOT FENESTRA_HOST_ONLY)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.9 REQUIRED)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake before 3.26 does not know nvcc's flag
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(FENESTRA_CUDA ON)
  endif()
endif()
if(FENESTRA_CUDA)
  message(STATUS "fenestra: GPU programs for ${FENESTRA_ARCHS} (nvcc ${CMAKE_CUDA_COMPILER_VERSION})")
else()
  message(STATUS "fenestra: host-only build (no nvcc): no GPU programs, everything else")
endif()

# Flags of every target. Exact arithmetic asks for no contraction on either side.
add_library(fenestra_flags INTERFACE)
target_include_directories(fenestra_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(fenestra_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Werror;-ffp-contract=off>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The host model follows __fmaf_rn: a library call per step without FMA instructions.
  target_compile_options(fenestra_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-mfma>)
endif()
if(FENESTRA_CUDA)
  # Machine code per arch, and PTX for boards newer than this compiler.
  set(gencode "")
  foreach(arch IN LISTS FENESTRA_ARCHS)
    list(APPEND gencode "SHELL:-gencode arch=compute_${arch},code=sm_${arch}")
  endforeach()
  if("100a" IN_LIST FENESTRA_ARCHS)
    list(APPEND gencode "SHELL:-gencode arch=compute_100,code=compute_100")
  endif()
  target_compile_options(fenestra_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:${gencode};--fmad=false;-Xcompiler=-Wall,-Wextra,-ffp-contract=off;--expt-relaxed-constexpr;-lineinfo;-Werror=all-warnings>")
endif()

include(FenestraWindows)
