from .base import WithoutDataWarning as WithoutDataWarning
from .clustering import kernel_kmeans as kernel_kmeans
from .clustering import kernel_linkage as kernel_linkage
from .clustering import kernel_medoid as kernel_medoid
from .components import kernel_pca as kernel_pca
from .k1 import K1 as K1
from .k2 import K2 as K2
