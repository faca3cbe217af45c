#include "tuner/cli/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/suggest.h"

namespace fenestra::cli {
namespace {

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());  // no group: hidden
  }
  return names;
}

std::string SeeHelp(const CLI::App& app) {
  const std::string command =
      app.get_parent() == nullptr ? "fenestra" : fmt::format("fenestra {}", app.get_name());
  return fmt::format("see '{} --help'", command);
}

// Words that CLI11 could not place. An option is named without its value.
Error Unplaced(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.front().substr(0, words.front().find('='));
  if (!word.starts_with("-")) {
    return Error(
        fmt::format("{}: unexpected argument '{}'; {}", app.get_name(), word, SeeHelp(app)));
  }
  return Error(fmt::format("{}: unknown option '{}'{}; {}", app.get_name(), word,
                           DidYouMean(word, OptionNames(app)), SeeHelp(app)));
}

// The first word must be a command; said here, since CLI11 only says that one is required.
void RequireCommand(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) throw Error("no command given; 'fenestra --help' lists them");
  const std::string word = argv[1];
  if (word.starts_with("-")) {
    const std::vector<std::string> names = OptionNames(app);
    if (word == "-h" || std::find(names.begin(), names.end(), word) != names.end()) return;
    throw Error(
        fmt::format("unknown option '{}'{}; see 'fenestra --help'", word, DidYouMean(word, names)));
  }
  const auto is_word = [&word](const CLI::App* sub) { return sub->get_name() == word; };
  if (!app.get_subcommands(is_word).empty()) return;
  throw Error(fmt::format("unknown command '{}'{}; see 'fenestra --help'", word,
                          DidYouMean(word, CommandNames(app))));
}

// What CLI11 says of values, in the words of this command.
std::string Reason(const CLI::ParseError& error) {
  std::string what = error.what();
  if (error.get_name() == "ConversionError") return what.substr(what.find("--")) + " is no number";
  if (error.get_name() == "ArgumentMismatch") {
    return fmt::format("{} takes one value, once", what.substr(0, what.find(':')));
  }
  return what;
}

// The command that was being parsed when it failed; the whole program before any.
const CLI::App& Current(const CLI::App& app) {
  const std::vector<const CLI::App*> parsed =
      app.get_subcommands([](const CLI::App* sub) { return sub->parsed(); });
  return parsed.empty() ? app : *parsed.front();
}

}  // namespace

Command* ParseCommandLine(int argc, const char* const* argv,
                          const std::vector<std::unique_ptr<Command>>& commands, Output* out) {
  CLI::App app("Finds the windows of row counts in which each RMSNorm training kernel should run.",
               "fenestra");
  app.set_version_flag("--version", FENESTRA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 success, 1 the check failed, 2 the call was wrong, 3 the machine "
      "cannot do it.\nExample:\n  fenestra doctor");
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), std::string(command->summary()) + ".");
    sub->footer(fmt::format("Example:\n  {}", command->example()));
    command->AddOptions(sub);
  }
  RequireCommand(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out->Print(app.help());
    return nullptr;
  } catch (const CLI::CallForVersion&) {
    out->Print(fmt::format("fenestra {}\n", FENESTRA_VERSION));
    return nullptr;
  } catch (const CLI::ParseError& error) {
    const CLI::App& current = Current(app);
    // Said first: a mistyped option also leaves a required one out.
    const std::vector<std::string> unplaced = app.remaining(true);
    if (!unplaced.empty()) throw Unplaced(current, unplaced);
    throw Error(fmt::format("{}: {}; {}", current.get_name(), Reason(error), SeeHelp(current)));
  }
  for (const auto& command : commands) {
    if (app.got_subcommand(command->name())) return command.get();
  }
  return nullptr;
}

}  // namespace fenestra::cli
