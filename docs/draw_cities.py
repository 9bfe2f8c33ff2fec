"""Draw the picture of the first page, `_static/cities.png`, as `make demo` does.

python docs/draw_cities.py
"""

import tempfile
from pathlib import Path
from subprocess import run
from sys import executable

from PIL import Image

DOCS = Path(__file__).parent


def main():
    """Run the demo and keep its picture, in few colours."""
    target = DOCS / "_static" / "cities.png"
    with tempfile.TemporaryDirectory() as folder:
        run([executable, "-m", "ordinate", "demo", "-o", folder], check=True)
        picture = Image.open(Path(folder) / "map.png").convert("RGB")
    picture.quantize(64).save(target, optimize=True)
    print(target, target.stat().st_size)


if __name__ == "__main__":
    main()
