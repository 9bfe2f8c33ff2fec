from ._difference import MapDifference as MapDifference
from ._difference import compare_maps as compare_maps
from ._mirrored import MirroredPart as MirroredPart
from ._record import Ellipses as Ellipses
from ._record import MapUncertainty as MapUncertainty
from ._structure import StructureTest as StructureTest
from ._structure import structure_test as structure_test
