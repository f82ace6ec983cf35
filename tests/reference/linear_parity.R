# Linear and logistic regressions by R, for linear_parity.py:
#
#     Rscript linear_parity.R TABLE.csv linear|logistic
#
# TABLE has the columns y, w (precisions of linear, copies of logistic) and x1, x2, ...; printed are
# quantities with their numbers, the intercept first.
suppressMessages(library(sandwich))
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1])
weights <- table$w
table$w <- NULL
say <- function(name, values) cat(name, sprintf("%.17g", values), "\n")
errors <- function(covariance) sqrt(diag(covariance))

if (arguments[2] == "linear") {
  fit <- lm(y ~ ., data = table, weights = weights)
  for (kind in c("HC0", "HC1", "HC2", "HC3")) say(kind, errors(vcovHC(fit, type = kind)))
} else {
  fit <- glm(y ~ ., data = table, weights = weights, family = binomial,
             control = glm.control(epsilon = 1e-15, maxit = 100))
  if (all(weights == 1)) say("HC0", errors(sandwich(fit)))
}
say("coefficients", coef(fit))
say("errors", errors(vcov(fit)))
say("log-likelihood", as.numeric(logLik(fit)))
