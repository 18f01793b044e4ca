# Trees of rpart (method "exp") or ctree on a file, as the leaf of each row.
#
#   Rscript trees.R METHOD TRAIN.csv NEW.csv DEPTH MIN_ROWS OUT.csv [SETTING ...]
#
# Files: 0/1 columns, then event (1: seen), then time. At least MIN_ROWS rows a leaf; DEPTH
# counts questions. Settings are cp of rpart (none: every subtree that it can prune to) or alpha of ctree.
# A line of OUT: setting, seconds of the fit, depth of the tree, number of training rows, then the
# leaf of each training row and of each new row.
suppressMessages(library(survival))
asked <- commandArgs(trailingOnly = TRUE)
method <- asked[1]
train <- read.csv(asked[2])
new <- read.csv(asked[3])
max_depth <- as.integer(asked[4])
min_rows <- as.integer(asked[5])
out <- file(asked[6], "w")
settings <- as.numeric(asked[-(1:6)])

tell <- function(setting, seconds, depth, leaves, new_leaves) {
  cells <- c(setting, seconds, depth, length(leaves), leaves, new_leaves)
  writeLines(paste(cells, collapse = ","), out)
}

grow_rpart <- function() {
  suppressMessages(library(rpart))
  # Its exponential method refuses a time of 0; half of the next one keeps the order of times.
  is_zero <- train$time <= 0
  train$time[is_zero] <<- min(train$time[!is_zero]) / 2
  grown <- function(cp) {
    rpart(Surv(time, event) ~ ., train, method = "exp", control = rpart.control(
      minsplit = 2 * min_rows, minbucket = min_rows, maxdepth = max_depth, cp = cp, xval = 0,
      maxcompete = 0, maxsurrogate = 0))
  }
  # Predictions are the numbers of leaves once these stand where the rates were.
  ends <- function(fit, rows) {
    fit$frame$yval <- seq_len(nrow(fit$frame))
    unname(predict(fit, rows, type = "vector"))
  }
  told <- function(cp, fit, seconds) {
    nodes <- as.integer(rownames(fit$frame))
    tell(paste0("cp=", format(cp, digits = 6)), seconds, max(floor(log2(nodes))),
         ends(fit, train), ends(fit, new))
  }
  if (length(settings) == 0) {
    seconds <- system.time(fit <- grown(0))[["elapsed"]]
    for (cp in fit$cptable[, "CP"]) told(cp, prune(fit, cp = cp), seconds)
  }
  for (cp in settings) {
    seconds <- system.time(fit <- grown(cp))[["elapsed"]]
    told(cp, fit, seconds)
  }
}

grow_ctree <- function() {
  suppressMessages(library(partykit))
  for (alpha in settings) {
    seconds <- system.time(fit <- ctree(Surv(time, event) ~ ., train, control = ctree_control(
      alpha = alpha, minsplit = 2 * min_rows, minbucket = min_rows, maxdepth = max_depth
    )))[["elapsed"]]
    tell(paste0("alpha=", alpha), seconds, depth(node_party(fit)),
         predict(fit, train, type = "node"), predict(fit, new, type = "node"))
  }
}

if (method == "rpart") grow_rpart() else grow_ctree()
close(out)
