# Bandwidths of columns by R, for bandwidths.py: lines "name,value,value,..." come in, lines "name,rule,bins,bandwidth"
# go out. bw.ucv and bw.SJ sum over bins, 1000 of them unless told otherwise, and look for an end by a tolerance of 0.1
# times the lower bound; 20000 bins and a fine tolerance come near the sums themselves.
for (line in readLines("stdin")) {
  fields <- strsplit(line, ",")[[1]]
  x <- as.numeric(fields[-1])
  tell <- function(rule, bins, value) cat(sprintf("%s,%s,%s,%.17g\n", fields[1], rule, bins, value))
  tell("nrd0", "", bw.nrd0(x))
  tell("nrd", "", bw.nrd(x))
  for (bins in c(1000, 20000)) {
    tolerance <- if (bins == 1000) 0.1 * 0.1 * 1.144 * sd(x) * length(x)^-0.2 else 1e-7 * sd(x)
    tell("lscv", bins, bw.ucv(x, nb = bins, tol = tolerance))
    tell("sj-ste", bins, bw.SJ(x, nb = bins, tol = tolerance))
    tell("sj-dpi", bins, bw.SJ(x, nb = bins, method = "dpi"))
  }
}
