from .dendrogram import plot_dendrogram as plot_dendrogram
from .dimensions import plot_dimensions as plot_dimensions
from .figures import check_figure_path as check_figure_path
from .figures import save_figure as save_figure
from .map import plot_map as plot_map
from .map import plot_map_over_truth as plot_map_over_truth
