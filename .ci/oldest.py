"""Print the oldest versions that pyproject.toml allows as constraints for pip.

The bound numpy>=1.26 gives numpy==1.26.*, so that pip takes the last of its corrections.
"""

import itertools
import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
extras = itertools.chain(*project["optional-dependencies"].values())
for wanted in [*project["dependencies"], *extras]:
    if bound := re.fullmatch(r"([\w-]+)>=([\d.]+)", wanted):  # not an extra that takes another
        package, version = bound.groups()
        print(f"{package}=={version if '.' in version else version + '.0'}.*")
