"""One thin scikit-learn class per method."""

from ordinate.estimators.bprplus import BPRPlus
from ordinate.estimators.cfee import CFEE
from ordinate.estimators.ckl import CKL
from ordinate.estimators.code import CODE
from ordinate.estimators.coe import COE
from ordinate.estimators.custom import OrdinalEmbedding
from ordinate.estimators.dmoe import DMOE
from ordinate.estimators.gnmds import GNMDS
from ordinate.estimators.gram import GramEmbedding
from ordinate.estimators.soe import SOE
from ordinate.estimators.ste import STE
from ordinate.estimators.tete import TETE
from ordinate.estimators.tste import TSTE

__all__ = [
    "CFEE",
    "CKL",
    "CODE",
    "COE",
    "DMOE",
    "GNMDS",
    "SOE",
    "STE",
    "TETE",
    "TSTE",
    "BPRPlus",
    "GramEmbedding",
    "OrdinalEmbedding",
]
