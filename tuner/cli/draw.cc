#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "accuracy/eager.h"
#include "accuracy/error.h"
#include "accuracy/parallel.h"
#include "kernels/board.h"
#include "tuner/cli/command.h"
#include "tuner/cli/npy.h"
#include "tuner/cli/options.h"
#include "tuner/sweep/host_input.h"

namespace fenestra::cli {
namespace {

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  names.reserve(kFamilies.size());
  for (Family family : kFamilies) names.emplace_back(ToString(family));
  return names;
}

class DrawCommand final : public Command {
 public:
  const char* name() const override { return "draw"; }
  const char* summary() const override {
    return "Write one input of the accuracy protocol, its references and the comparator's dw as "
           ".npy files";
  }
  const char* example() const override {
    return "fenestra draw --width 4096 --rows 8192 --family outlier --seed 12 --out input";
  }

  void AddOptions(CLI::App* app) override {
    app->add_option("--width", spec_.width, "Columns, a width of the routes")
        ->required()
        ->check(CLI::IsMember(std::vector<int>(kWidths.begin(), kWidths.end())));
    app->add_option("--rows", spec_.rows, "Rows")
        ->required()
        ->check(WholeNumber(1, kMaxRows))
        ->type_name("ROWS");
    app->add_option("--family", family_, "Family of the input")
        ->check(CLI::IsMember(FamilyNames()))
        ->capture_default_str();
    app->add_option("--seed", spec_.seed, "Seed of the input")
        ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    AddOut(app, &folder_, "Folder to write to, created where missing");
    AddJson(app, &json_);
  }

  ExitCode Run(Output* out) override {
    spec_.family = *ParseFamily(family_);
    if (folder_.empty()) throw Error("--out: name a folder for the files");
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      throw Error(fmt::format("{}: cannot create the folder: {}; name another with --out", folder_,
                              error.message()));
    }
    const int threads = HostThreads();
    const HostInput input = MakeHostInput(spec_, kBoards[0].sm_count, threads);
    std::vector<float> comparator(static_cast<std::size_t>(spec_.width));
    EagerDw(spec_.rows, spec_.width, input.h, input.dy, input.eager_rstd, comparator);
    const std::vector<std::int64_t> tensor{spec_.rows, spec_.width};
    const std::vector<std::int64_t> rows{spec_.rows};
    const std::vector<std::int64_t> columns{spec_.width};
    Write("h", "<u2", tensor, std::span(input.h), "BF16 bits");
    Write("dy", "<u2", tensor, std::span(input.dy), "BF16 bits");
    Write("rstd", "<f4", rows, std::span(input.own_rstd), "the programs' own");
    Write("comparator_rstd", "<f4", rows, std::span(input.eager_rstd), "the comparator's");
    Write("reference_dw", "<f8", columns, std::span(input.own_dw), "FP64, at the programs' rstd");
    Write("comparator_reference_dw", "<f8", columns, std::span(input.eager_dw),
          "FP64, at the comparator's rstd");
    Write("comparator_dw", "<f4", columns, std::span(std::as_const(comparator)),
          "the eager model in FP32");
    out->PrintResult(json_, Json{{"files", files_}}, table_);
    return ExitCode::kOk;
  }

 private:
  template <typename T>
  void Write(const std::string& name, const char* type, const std::vector<std::int64_t>& shape,
             std::span<const T> values, const char* what) {
    const std::filesystem::path path = std::filesystem::path(folder_) / (name + ".npy");
    WriteNpy(path, type, shape, std::as_bytes(values));
    table_.Add({path.string(), type, fmt::format("{}", fmt::join(shape, " x ")), what});
    files_.push_back({{"path", path.string()}, {"type", type}, {"shape", shape}, {"what", what}});
  }

  InputSpec spec_;
  std::string family_ = "normal";
  std::string folder_;
  bool json_ = false;
  Table table_{{{"file"}, {"type"}, {"shape", Align::kRight}, {"what"}}};
  Json files_ = Json::array();
};

}  // namespace

std::unique_ptr<Command> MakeDraw() { return std::make_unique<DrawCommand>(); }

}  // namespace fenestra::cli
