# Posteriors of MASS::qda by its "predictive" method, for classes of unequal and of equal sizes,
# with both of its covariance estimates; written with 17 digits.
#   Rscript make_conjugate.R        (Debian: apt-get install r-base-core r-cran-mass)
library(MASS)
rows <- as.matrix(iris[, 1:2])
sizes <- list(unequal = c(1:50, 51:60, 101:104), equal = c(1:10, 51:60, 101:110))
for (name in names(sizes)) {
  at <- sizes[[name]]
  for (method in c("moment", "mle")) {
    model <- qda(rows[at, ], iris$Species[at], prior = rep(1, 3) / 3, method = method)
    posterior <- predict(model, rows, method = "predictive")$posterior
    lines <- apply(posterior, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
    writeLines(lines, sprintf("conjugate_mass_%s_%s.csv", name, method))
  }
}
writeLines(c(R.version.string, paste("MASS", packageVersion("MASS"))), "conjugate_mass_versions.txt")
