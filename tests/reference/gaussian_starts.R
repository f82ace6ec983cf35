# What mclust, from its hierarchical starts, and flexmix, from random ones, find in the tables of shapes.py:
#
#   PYTHONPATH=build/release/python .venv/bin/python tests/reference/gaussian_starts.py --write FOLDER
#   Rscript tests/reference/gaussian_starts.R FOLDER        writes gaussian_starts.csv beside this script
#
# A row: table, who, covariances, mean log-likelihood a row (of flexmix the mean of five seeds). flexmix drops components that
# become small; NA where a fit failed.
library(mclust)
suppressMessages(library(flexmix))

arguments <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
tables <- read.csv(file.path(arguments[1], "tables.csv"))
most <- 2000  # rows for the hierarchy of mclust, whose time grows with their square
shapes <- c(full = "VVV", tied = "EEE", diag = "VVI", spherical = "VII")
found <- NULL
add <- function(table, who, type, value) {
  found <<- rbind(found, data.frame(table = table, who = who, covariance_type = type, score = if (is.na(value)) "NA" else sprintf("%.6f", value)))
}
for (i in seq_len(nrow(tables))) {
  x <- as.matrix(read.csv(file.path(arguments[1], tables$file[i]), header = FALSE))
  k <- tables$k[i]
  for (type in names(shapes)) {
    value <- tryCatch({
      set.seed(1)
      rows <- if (nrow(x) > most) sample(nrow(x), most) else NULL
      model <- Mclust(x, G = k, modelNames = shapes[[type]], verbose = FALSE, initialization = list(subset = rows))
      model$loglik / nrow(x)
    }, error = function(e) NA)
    add(tables$name[i], "mclust", type, if (is.null(value) || length(value) == 0) NA else value)
  }
  for (type in c("full", "diag")) {
    values <- sapply(1:5, function(seed) tryCatch({
      set.seed(seed)
      model <- flexmix(x ~ 1, k = k, model = FLXMCmvnorm(diagonal = type == "diag"), control = list(iter.max = 500))
      as.numeric(logLik(model)) / nrow(x)
    }, error = function(e) NA))
    add(tables$name[i], "flexmix", type, mean(values, na.rm = TRUE))
  }
  cat(tables$name[i], "\n")
  write.csv(found, file.path(here, "gaussian_starts.csv"), row.names = FALSE, quote = TRUE)
}
