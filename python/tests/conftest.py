import os

# Before NumPy and SciPy are imported. scikit-learn's checks of array API input are skipped without
# the first; with more BLAS threads than idle cores its mixtures take twenty times as long.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
