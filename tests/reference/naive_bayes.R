# Posteriors of birds.csv by R's e1071, for python/tests/test_mixed_naive_bayes.py:
#
#     Rscript tests/reference/naive_bayes.R > tests/reference/naive_bayes_e1071.csv
#
# naiveBayes() takes categories, numbers and missing values together, which scikit-learn does not. It
# divides the variance by n - 1; here it is made that of maximum likelihood, by n.
library(e1071)
birds <- read.csv("examples/data/birds.csv", stringsAsFactors = TRUE, na.strings = "")
birds$migrates <- factor(birds$migrates)
model <- naiveBayes(kind ~ ., data = birds, laplace = 1)
for (column in c("weight", "eggs")) {
  n <- tapply(!is.na(birds[[column]]), birds$kind, sum)
  model$tables[[column]][, 2] <- model$tables[[column]][, 2] * sqrt((n - 1) / n)
}
raw <- predict(model, birds, type = "raw", threshold = 0, eps = 0)
cat(sprintf("# R %s.%s, e1071 %s\n", R.version$major, R.version$minor, packageVersion("e1071")))
cat(paste(colnames(raw), collapse = ","), "\n", sep = "")
cat(apply(raw, 1, function(p) paste(sprintf("%.17g", p), collapse = ",")), sep = "\n")
