// What replacing a file leaves alone.
#include "db/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hand_made.h"

namespace fenestra {
namespace {

using hand_made::ErrorOf;
using hand_made::ReadBytes;
using hand_made::Scratch;

TEST(Files, ALinkStaysAndWhatItPointsToIsReplaced) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "elsewhere");
  WriteFileAtomically(scratch / "elsewhere/real", "old");
  std::filesystem::create_symlink("elsewhere/real", scratch / "link");
  WriteFileAtomically(scratch / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  EXPECT_EQ(ReadBytes(scratch / "elsewhere/real"), "new");
  EXPECT_EQ(scratch.List(), "elsewhere link");
  std::filesystem::create_symlink("nowhere", scratch / "to nothing");
  EXPECT_THAT(ErrorOf([&] { WriteFileAtomically(scratch / "to nothing", "text"); }),
              testing::HasSubstr("nor a link to one"));
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "to nothing"));
}

TEST(Files, WhatIsNoPlainFileIsLeftAlone) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf([&] { WriteFileAtomically(scratch / "pipe", "text"); }),
              testing::HasSubstr("pipe: it is no plain file"));
  EXPECT_TRUE(std::filesystem::is_fifo(scratch / "pipe"));
  EXPECT_NE(ErrorOf([&] { WriteFileAtomically(scratch.path(), "text"); }), "");
  EXPECT_EQ(scratch.List(), "pipe");
}

}  // namespace
}  // namespace fenestra
