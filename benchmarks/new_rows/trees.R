# Trees of rpart (method "exp") or ctree at their defaults, for all folds of a table.
#
#   Rscript trees.R METHOD TABLE.csv FOLDS.csv
#
# METHOD: rpart (cp 0.01, as it is grown), rpart_1se (pruned to the smallest tree whose
# cross-validated error is within one standard error of the least), ctree. TABLE: columns n...
# (numbers) and f... (factors; an empty cell is missing), event, time. FOLDS: the held-out rows of a
# fold in each line, counted from 1. Prints a line for each fold: seconds of the fit, then the leaf of
# each training row and of each held-out row, in the order of the table.
asked <- commandArgs(trailingOnly = TRUE)
method <- asked[1]
suppressMessages({ library(survival); if (method == "ctree") library(partykit) else library(rpart) })
columns <- names(read.csv(asked[2], nrows = 1))
table <- read.csv(asked[2], na.strings = "",
                  colClasses = ifelse(startsWith(columns, "f"), "factor", "numeric"))

# Predictions are the numbers of leaves once these stand where the rates were.
ends <- function(fit, rows) {
  fit$frame$yval <- seq_len(nrow(fit$frame))
  unname(predict(fit, rows, type = "vector"))
}

one_se <- function(fit) {
  steps <- fit$cptable
  if (nrow(steps) < 2) return(fit)
  least <- which.min(steps[, "xerror"])
  is_near <- steps[, "xerror"] <= steps[least, "xerror"] + steps[least, "xstd"]
  prune(fit, cp = steps[which(is_near)[1], "CP"])
}

grown <- function(train) {
  if (method == "ctree") return(ctree(Surv(time, event) ~ ., train))
  fit <- rpart(Surv(time, event) ~ ., train, method = "exp")
  if (method == "rpart_1se") one_se(fit) else fit
}

leaves <- function(fit, new) {
  if (method != "ctree") return(c(fit$where, ends(fit, new)))
  c(fitted(fit)[["(fitted)"]], predict(fit, new, type = "node"))
}

# A level that no training row has is missing in the others: ctree would refuse it.
known <- function(new, train) {
  for (name in names(new)[startsWith(names(new), "f")])
    new[[name]] <- factor(as.character(new[[name]]), levels = levels(train[[name]]))
  new
}

for (line in readLines(asked[3])) {
  held_out <- as.integer(strsplit(line, ",")[[1]])
  train <- droplevels(table[-held_out, ])
  new <- known(table[held_out, ], train)
  set.seed(1)
  seconds <- system.time(fit <- grown(train))[["elapsed"]]
  cat(paste(c(seconds, leaves(fit, new)), collapse = ","), "\n", sep = "")
  flush(stdout())
}
