# Box's M, Mardia, Henze-Zirkler and Spiegelhalter's Z of R packages, with 17 digits.
#   Rscript diagnostics.R SOURCES > diagnostics_r.json
# SOURCES holds the unpacked CRAN sources of biotools 4.3 and MVN 6.3, of which single functions
# are taken; psych and rms are installed (Debian: apt-get install r-cran-psych r-cran-rms).
sources <- commandArgs(TRUE)[1]
source(file.path(sources, "biotools", "R", "boxM.R"))
source(file.path(sources, "MVN", "R", "hz.R"))
source(file.path(sources, "MVN", "R", "mardia.R"))
mvn_mardia <- mardia
suppressMessages({library(psych); library(rms)})

wine <- read.csv("wine.csv")
notes <- read.csv("notes3b.csv")
tables <- list(
  iris = list(as.matrix(iris[, 1:4]), iris$Species),
  wine = list(as.matrix(wine[, -ncol(wine)]), factor(wine$target)),
  notes3b = list(as.matrix(notes[, 1:2]), factor(notes$target))
)
show <- function(value) sprintf("%.17g", unname(value))
fields <- function(values) {
  paste0("{", paste0('"', names(values), '": ', sapply(values, show), collapse = ", "), "}")
}
parts <- c()
for (name in names(tables)) {
  X <- tables[[name]][[1]]
  y <- tables[[name]][[2]]
  box <- boxM(X, y)
  box_text <- fields(list(chi2 = box$statistic, df = box$parameter, pvalue = box$p.value))
  classes <- c()
  for (level in levels(y)) {
    rows <- X[y == level, ]
    h <- hz(rows)
    p <- psych::mardia(rows, plot = FALSE)
    m <- mvn_mardia(rows)
    classes <- c(classes, fields(list(
      n = nrow(rows), hz = h$Statistic, hz_pvalue = h$p.value, b1p = p$b1p, b2p = p$b2p,
      small_skew = p$small.skew, mvn_skew = m$Statistic[1], mvn_kurtosis = m$Statistic[2]
    )))
  }
  parts <- c(parts, sprintf('"%s": {"box": %s, "classes": [%s]}', name, box_text,
                            paste(classes, collapse = ", ")))
}
p <- seq(0.02, 0.98, length.out = 49)
outcome <- as.integer((seq_along(p) * 7) %% 11 < 11 * p)
v <- val.prob(p, outcome, pl = FALSE)
parts <- c(parts, sprintf('"spiegelhalter": %s', fields(list(
  brier = v["Brier"], z = v["S:z"], pvalue = v["S:p"]))))
parts <- c(parts, sprintf('"outcomes": [%s]', paste(outcome, collapse = ", ")))
cat("{", paste(parts, collapse = ",\n"), "}\n", sep = "")
