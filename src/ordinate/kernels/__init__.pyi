from ._clustering import kernel_kmeans as kernel_kmeans
from ._clustering import kernel_linkage as kernel_linkage
from ._clustering import kernel_medoid as kernel_medoid
from ._kernels import WithoutDataWarning as WithoutDataWarning
from ._lenses import lens_depth as lens_depth
from ._lenses import relative_neighborhood_graph as relative_neighborhood_graph
from ._pca import kernel_pca as kernel_pca
