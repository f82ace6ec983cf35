# What mclust finds with components of any covariance (VVV), and where its EM starts.
#
#   Rscript tests/reference/select_mclust.R        writes select_mclust.csv and planted_five.csv
#
# A row of select_mclust.csv: data, number of components, BIC = -2 L + p log n (mclust's with the sign
# turned), and the group of each row that EM starts from, by its model-based hierarchical clustering.
library(mclust)

folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
set.seed(5)
centres <- rbind(c(0, 0), c(6, 0), c(0, 6), c(6, 6), c(3, 12))
spreads <- list(diag(2), matrix(c(1, 0.8, 0.8, 1), 2), diag(c(2, 0.3)), matrix(c(1, -0.7, -0.7, 1), 2), diag(c(0.4, 1.5)))
group <- sample(5, 600, TRUE, c(0.3, 0.25, 0.2, 0.15, 0.1))
planted <- t(sapply(group, function(g) centres[g, ] + t(chol(spreads[[g]])) %*% rnorm(2)))
planted <- round(planted, 6)
colnames(planted) <- c("x", "y")
write.csv(planted, file.path(folder, "planted_five.csv"), row.names = FALSE, quote = FALSE)

found <- NULL
for (data in list(list("faithful", faithful), list("iris", iris[, 1:4]), list("planted", planted))) {
  pairs <- hc(data[[2]], modelName = "VVV", use = "SVD")
  groups <- hclass(pairs, 1:8)
  bic <- mclustBIC(data[[2]], G = 1:8, modelNames = "VVV", initialization = list(hcPairs = pairs))
  for (g in 1:8) {
    found <- rbind(found, data.frame(data = data[[1]], components = g, bic = sprintf("%.10g", -bic[g, 1]),
                                     groups = paste(groups[, g], collapse = "")))
  }
}
write.csv(found, file.path(folder, "select_mclust.csv"), row.names = FALSE, quote = FALSE)
