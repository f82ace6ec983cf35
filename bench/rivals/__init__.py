"""One script a contestant. A script has

    version(threads)                 imports the library, sets its threads; what it is, as text
    threads()                        what the library says it uses, or None
    kmeans(x, k, init, ...)          dict(centers, labels, iterations)
    minibatch(x, k, ...)             the same
    gmm(x, k, covariance_type, ...)  dict(weights, means, covariances, iterations)

and leaves out what the library cannot do, or raises Unsupported with the reason.
"""


class Unsupported(Exception):
    """The contestant cannot do what is asked: it is not a failure."""
