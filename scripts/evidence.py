"""Imported by the scripts beside it: the repository's evidence, read through a built `fenestra`."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "kernels/dispatch/windows"


def run_json(fenestra, *arguments):
    if not pathlib.Path(fenestra).is_file():
        raise SystemExit(f"no {fenestra}: build first, or name the folder of a build")
    done = subprocess.run([fenestra, *map(str, arguments), "--json"], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def boards():
    """Boards that have a header, in order of name."""
    return sorted(path.stem for path in HEADERS.glob("*.h") if path.stem != "all")


def import_evidence(fenestra, folder, board=""):
    """A database in `folder` of the text evidence of one board, or of every one."""
    db = pathlib.Path(folder) / "fenestra.db"
    run_json(fenestra, "import", "--db", db, *sorted((ROOT / "evidence").glob(f"{board}*.tsv")))
    return db


def plan_as_header(fenestra, db, board):
    """Chooses the board's windows as its header was chosen, stores the plan and returns it."""
    text = (HEADERS / f"{board}.h").read_text(encoding="utf-8")
    if re.search(r"^// waiver ", text, re.MULTILINE):
        raise SystemExit(f"{board}.h carries waivers: plan it by hand, with --waive for each")
    settings = [value for name in ("margin", "noise") for value in
                (f"--{name}", re.search(rf"^// {name} +(\S+)", text, re.MULTILINE).group(1))]
    return run_json(fenestra, "plan", "--db", db, "--board", board, *settings)
