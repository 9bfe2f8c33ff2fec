from . import datasets as datasets
from . import kernels as kernels
from . import losses as losses
from . import metrics as metrics
from . import plots as plots
from . import sources as sources
from ._checks import InputError as InputError
from .comparisons import Comparisons as Comparisons
from .estimators import CKL as CKL
from .estimators import COE as COE
from .estimators import GNMDS as GNMDS
from .estimators import SOE as SOE
from .estimators import STE as STE
from .estimators import TETE as TETE
from .estimators import TSTE as TSTE
from .estimators import OrdinalEmbedding as OrdinalEmbedding
from .kernels import K1 as K1
from .kernels import K2 as K2
from .metrics.coembedding import coe_report as coe_report
from .sources.files import read_comparisons as read_comparisons
from .sources.files import write_comparisons as write_comparisons
from .sources.graphs import NeighborGraph as NeighborGraph
from .sources.ratings import Ratings as Ratings

__version__: str
