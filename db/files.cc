#include "db/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "accuracy/error.h"

namespace fenestra {
namespace {

[[noreturn]] void FailWith(const std::filesystem::path& path, std::string_view doing) {
  const int error = errno;
  const ExitCode exit_code =
      error == ENOSPC || error == EIO ? ExitCode::kMachine : ExitCode::kBadCall;
  throw Error(fmt::format("{}: cannot {}: {}; check that the folder exists, is writable and has "
                          "free space",
                          path.string(), doing, std::strerror(error)),
              exit_code);
}

// A file descriptor, and the temporary file to remove unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path) : path_(path) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd_ < 0) FailWith(path, "create it");
  }
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        FailWith(path_, "write it");
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void Flush() {
    if (::fsync(fd_) != 0) FailWith(path_, "flush it to the disk");
  }

  void RenameTo(const std::filesystem::path& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) FailWith(path, "replace it");
    renamed_ = true;
  }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  bool renamed_ = false;
};

}  // namespace

std::string ReadFile(const std::filesystem::path& path, std::size_t limit_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw Error(fmt::format("{}: no such file, or not a plain file; name the files themselves",
                            path.string()));
  }
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > limit_bytes) {
    throw Error(fmt::format("{}: {} bytes is more than the {} that are read; is it the right file?",
                            path.string(), bytes, limit_bytes));
  }
  std::string content(bytes, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(content.data(), static_cast<std::streamsize>(bytes))) {
    throw Error(fmt::format("{}: cannot be read; check its permissions", path.string()));
  }
  return content;
}

void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  WriteFileAtomically(path, {bytes});
}

void WriteFileAtomically(const std::filesystem::path& path,
                         std::initializer_list<std::string_view> pieces) {
  // Renaming would replace a device or a pipe, too, and a link in place of what it points to.
  std::error_code error;
  std::filesystem::path target = path;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    if (!std::filesystem::is_regular_file(path, error)) {
      throw Error(
          fmt::format("{}: it is no plain file, nor a link to one, and is left alone: name "
                      "another",
                      path.string()));
    }
    target = std::filesystem::canonical(path, error);
    if (error) target = path;
  }
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const std::string name = fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid());
  TemporaryFile file(folder / name);
  for (const std::string_view piece : pieces) file.Write(piece);
  file.Flush();
  file.RenameTo(target);
  // The new name too must survive a power cut; a file system that cannot sync a folder is let be.
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
}

}  // namespace fenestra
