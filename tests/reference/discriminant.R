# Posteriors and axes of iris by R's MASS, for python/tests/test_discriminant.py:
#
#     Rscript tests/reference/discriminant.R > tests/reference/discriminant_mass.csv
#
# lda() and qda() divide by n - K and n_k - 1 (method "moment"), or by n and n_k ("mle"), which
# scikit-learn has only. Priors are given in one of them.
library(MASS)
x <- as.matrix(iris[, 1:4])
cat(sprintf("# R %s.%s, MASS %s\n", R.version$major, R.version$minor, packageVersion("MASS")))
tell <- function(name, values) {
  cat(paste(c(name, sprintf("%.17g", t(values))), collapse = ","), "\n", sep = "")
}
given <- c(0.2, 0.5, 0.3)
for (method in c("moment", "mle")) {
  for (prior in list(rep(1, 3) / 3, given)) {
    suffix <- paste(method, if (identical(prior, given)) "given" else "shares")
    linear <- lda(x, iris$Species, prior = prior, method = method)
    quadratic <- qda(x, iris$Species, prior = prior, method = method)
    tell(paste("lda", suffix), predict(linear, x)$posterior)
    tell(paste("qda", suffix), predict(quadratic, x)$posterior)
    tell(paste("axes", suffix), linear$scaling)
  }
}
