"""Virtual environments for the libraries that Ordinate is measured beside."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

CACHE = Path(os.environ.get("ORDINATE_BENCH_CACHE", Path.home() / ".cache" / "ordinate-bench"))


def peer_python(name: str, requirements: list[str]) -> Path:
    """Return the interpreter of an environment with `requirements`, made on first use."""
    folder = CACHE / name
    python = folder / "bin" / "python"
    stamp = folder / "requirements.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != requirements:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        stamp.write_text(json.dumps(requirements))
    return python


def run_json(python: Path | str, script: Path, *arguments: str) -> dict:
    """Run a script in a fresh process; its last line of output is its result, as JSON."""
    done = subprocess.run([python, script, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{script.name} {' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
