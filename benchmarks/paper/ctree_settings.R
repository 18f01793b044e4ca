# Trees of ctree on a file for many settings, as the leaf of each row.
#
#   Rscript ctree_settings.R TRAIN.csv OUT.csv
#
# The file: 0/1 columns, then event (1: seen), then time. A line of OUT: the settings, then the leaf of
# each row.
suppressMessages({library(survival); library(partykit)})
asked <- commandArgs(trailingOnly = TRUE)
train <- read.csv(asked[1])
out <- file(asked[2], "w")
settings <- expand.grid(
  teststat = c("quadratic", "maximum"), splitstat = c("quadratic", "maximum"),
  testtype = c("Bonferroni", "Univariate", "Teststatistic"), maxdepth = c(2, 3, Inf),
  minbucket = c(1, 7, 20, 50), alpha = c(1e-8, 1e-4, 0.01, 0.05, 0.5, 0.99), stringsAsFactors = FALSE)
for (i in seq_len(nrow(settings))) {
  chosen <- as.list(settings[i, ])
  control <- do.call(ctree_control, c(chosen, minsplit = 2 * chosen$minbucket))
  fit <- ctree(Surv(time, event) ~ ., train, control = control)
  words <- paste(names(chosen), unlist(chosen), sep = "=", collapse = " ")
  writeLines(paste(c(words, predict(fit, train, type = "node")), collapse = ","), out)
}
close(out)
