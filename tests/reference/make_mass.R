# Posteriors of MASS::lda and MASS::qda, written with 17 digits.
#   Rscript make_mass.R        (Debian: apt-get install r-base-core r-cran-mass)
library(MASS)

# A table: features, labels, and priors or NULL for class shares.
wine <- read.csv("wine.csv")
notes <- read.csv("notes3b.csv")
tables <- list(
  iris = list(as.matrix(iris[, 1:4]), iris$Species, NULL),
  iris_two = list(as.matrix(iris[, 1:2]), iris$Species, NULL),
  iris_priors = list(as.matrix(iris[, 1:4]), iris$Species, c(0.2, 0.3, 0.5)),
  wine = list(as.matrix(wine[, -ncol(wine)]), factor(wine$target), NULL),
  notes3b = list(as.matrix(notes[, 1:2]), factor(notes$target), NULL)
)

for (name in names(tables)) {
  X <- tables[[name]][[1]]
  y <- tables[[name]][[2]]
  priors <- tables[[name]][[3]]
  for (method in c("lda", "qda")) {
    fit <- match.fun(method)
    model <- if (is.null(priors)) fit(X, y) else fit(X, y, prior = priors)
    posterior <- predict(model, X, method = "plug-in")$posterior
    lines <- apply(posterior, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
    writeLines(lines, sprintf("mass_%s_%s.csv", method, name))
  }
}
writeLines(c(R.version.string, paste("MASS", packageVersion("MASS"))), "mass_versions.txt")
