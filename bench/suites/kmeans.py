"""k-means: the time of an iteration, fits to convergence, whole fits, mini-batches."""
import quality
import tables
from harness import Case

# Of inertia. Single-precision sums move it in the fifth or sixth digit (scikit-learn's with the
# number of threads too); in double, rows as near to two centres as rounding can tell may go either
# way.
SAME = {"float32": 1e-4, "float64": 1e-6}
CLOSE = 2e-3  # converged from the same start: a row that goes the other way leads elsewhere
STARTS = 1e-2  # from a start of each one's own: the median over seeds


def case(name, kind, table, k, tolerance, max_iter=300, tol=1e-4, task="kmeans", **more):
    options = dict(k=k, max_iter=max_iter, tol=tol) | more.pop("options", {})
    return Case(name, kind, table, task, options, quality.judge_kmeans, -1, tolerance, **more)


def iteration(n, d, table, k, dtype, m, rivals=("sklearn", "sklearnex", "faiss", "mlpack")):
    return case(
        f"{table.name}, k={k}", "one iteration, from the same start", table, k, SAME[dtype],
        tol=0.0, iterations=m, rivals=rivals, work=2 * n * d * k, plain=dict(algorithm="lloyd"),
        arrays=lambda x: dict(init=tables.rows_of(x, k)),
        reference=lambda x, given: quality.lloyd(x, given["init"], 1 + m))


def converged(table, k):
    return case(
        f"{table.name}, k={k}", "to convergence (tol=1e-4), from the same start", table, k, CLOSE,
        arrays=lambda x: dict(init=tables.rows_of(x, k)),
        rivals=("sklearn", "sklearn_elkan", "sklearnex"))


def whole(table, k):
    return case(
        f"{table.name}, k={k}, k-means++", "whole fit with its start (n_init=1), a seed a round",
        table, k, STARTS, seeds=True, options=dict(init="k-means++"),
        rivals=("sklearn", "sklearn_elkan", "sklearnex"))


def minibatch(table, k):
    options = dict(k=k, batch_size=1024, max_iter=100)
    return Case(f"{table.name}, k={k}", "mini-batches of 1024, a seed a round", table, "minibatch",
                options, quality.judge_kmeans, -1, STARTS, seeds=True, rivals=("sklearn",))


def cases(data, quick):
    if quick:
        two = tables.groups(3000, 4, "float64")
        return [iteration(3000, 4, tables.blobs(3000, 4, 8, "float32"), 8, "float32", 2),
                iteration(3000, 4, two, 8, "float64", 2), converged(two, 2), whole(two, 2),
                minibatch(two, 2), converged(tables.few_nonzeros(500, 40, "float64"), 2)]
    quickest = ("sklearn", "sklearnex", "faiss")  # mlpack would need most of the time of the suite
    shapes = [(1_000_000, 16, 64, 12, quickest), (200_000, 128, 256, 4, quickest),
              (100_000, 784, 10, 8, (*quickest, "mlpack"))]
    digits = tables.mnist(data, "float32")
    letters = tables.mnist_components(data, "float64")
    adults = tables.a9a(data, "float64")
    return [
        *(iteration(n, d, tables.blobs(n, d, k, dtype), k, dtype, m, rivals)
          for n, d, k, m, rivals in shapes for dtype in ("float32", "float64")),
        converged(digits, 10), converged(digits, 64), converged(letters, 26), converged(adults, 8),
        whole(digits, 10), whole(letters, 26),
        minibatch(digits, 64),
    ]
