from . import datasets as datasets
from . import metrics as metrics
from . import plots as plots
from . import sources as sources
from ._checks import InputError as InputError
from .comparisons import Comparisons as Comparisons
from .estimators.soe import SOE as SOE
from .sources.files import read_comparisons as read_comparisons
from .sources.files import write_comparisons as write_comparisons

__version__: str
