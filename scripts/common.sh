# shellcheck shell=bash
# Sourced by the scripts beside it: where things are, and how to speak.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cuda_venv=$root/.venv  # holds the compiler from PyPI where a machine has a GPU but no toolkit

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 3
}

die_usage() { # USAGE
  printf 'usage: %s\n' "$*" >&2
  exit 2
}

cores() { nproc 2>/dev/null || echo 2; }

# Prints the path of an nvcc: $CUDACXX, PATH, the usual folder, then the virtual environment.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc \
    "$cuda_venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# Prints compute capability and name of the first GPU, "9.0, NVIDIA H200". Fails without one.
find_gpu() {
  command -v nvidia-smi >/dev/null || return 1
  local line
  line=$(nvidia-smi --query-gpu=compute_cap,name --format=csv,noheader 2>/dev/null | head -n 1)
  case $line in
    [0-9]*.[0-9]*,*) echo "$line" ;;
    *) return 1 ;;
  esac
}
