# Trees of rpart (method "exp") or ctree at their defaults, for all folds of a table.
#
# Reads requests from standard input, one in each line: METHOD TABLE.csv FOLDS.csv
#
# METHOD: rpart (cp 0.01, as it is grown), rpart_1se (pruned to the smallest tree whose
# cross-validated error is within one standard error of the least), ctree. TABLE: columns n...
# (numbers) and f... (factors; an empty cell is missing), event, time. FOLDS: the held-out rows of a
# fold in each line, counted from 1. Prints a line for each fold: seconds of the fit, then the leaf of
# each training row and of each held-out row, in the order of the table.
suppressMessages({ library(survival); library(rpart); library(partykit) })

read_table <- function(path) {
  columns <- names(read.csv(path, nrows = 1))
  read.csv(path, na.strings = "",
           colClasses = ifelse(startsWith(columns, "f"), "factor", "numeric"))
}

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

grown <- function(method, train) {
  if (method == "ctree") return(ctree(Surv(time, event) ~ ., train))
  fit <- rpart(Surv(time, event) ~ ., train, method = "exp")
  if (method == "rpart_1se") one_se(fit) else fit
}

leaves <- function(method, fit, new) {
  if (method != "ctree") return(c(fit$where, ends(fit, new)))
  c(fitted(fit)[["(fitted)"]], predict(fit, new, type = "node"))
}

# A level that no training row has is missing in the others: ctree would refuse it.
known <- function(new, train) {
  for (name in names(new)[startsWith(names(new), "f")])
    new[[name]] <- factor(as.character(new[[name]]), levels = levels(train[[name]]))
  new
}

answer <- function(method, table, held_out) {
  train <- droplevels(table[-held_out, ])
  new <- known(table[held_out, ], train)
  set.seed(1)
  seconds <- system.time(fit <- grown(method, train), gcFirst = FALSE)[["elapsed"]]
  cat(paste(c(seconds, leaves(method, fit, new)), collapse = ","), "\n", sep = "")
  flush(stdout())
}

requests <- file("stdin", "r")
while (length(line <- readLines(requests, n = 1))) {
  asked <- strsplit(line, " ")[[1]]
  table <- read_table(asked[2])
  for (fold in readLines(asked[3])) answer(asked[1], table, as.integer(strsplit(fold, ",")[[1]]))
}
