# Tables of R packages, cause-specific Cox and Fine-Gray models, and multi-state survfit, one request
# after another: a line of words on standard input, a line "done" or "failed: why" on standard output.
suppressMessages({
  library(survival)
  library(prodlim)
  library(riskRegression)
})

tables <- function(folder) {
  m <- mgus2
  m$time <- ifelse(m$pstat == 0, m$futime, m$ptime)
  m$cause <- ifelse(m$pstat == 0, 2 * m$death, 1)
  write.csv(m[c("time", "cause", "age", "sex", "hgb", "creat", "mspike")],
            file.path(folder, "mgus2.csv"), row.names = FALSE, na = "")
  p <- subset(pbc, !is.na(trt))
  p$cause <- p$status
  covariates <- c("trt", "age", "sex", "ascites", "hepato", "spiders", "edema", "bili", "chol", "albumin",
                  "copper", "alk.phos", "ast", "trig", "platelet", "protime", "stage")
  write.csv(p[c("time", "cause", covariates)], file.path(folder, "pbc.csv"), row.names = FALSE, na = "")
  data(Melanoma)
  Melanoma$cause <- Melanoma$status
  write.csv(Melanoma[c("time", "cause", "invasion", "ici", "epicel", "ulcer", "thick", "sex", "age")],
            file.path(folder, "melanoma.csv"), row.names = FALSE, na = "")
  data(Paquid)
  Paquid$cause <- Paquid$status
  write.csv(Paquid[c("time", "cause", "DSST", "MMSE")], file.path(folder, "paquid.csv"), row.names = FALSE,
            na = "")
}

# Incidence of the cause at the times for the held-out rows, rows x times.
risks <- function(method, folder, cause) {
  train <- read.csv(file.path(folder, "train.csv"))
  test <- read.csv(file.path(folder, "test.csv"))
  times <- read.csv(file.path(folder, "times.csv"))$time
  columns <- setdiff(names(train), c("time", "cause"))
  formula <- as.formula(paste("Hist(time, cause) ~", paste(columns, collapse = " + ")))
  model <- if (method == "csc") CSC(formula, data = train, cause = cause) else
    FGR(formula, data = train, cause = cause)
  found <- predictRisk(model, newdata = test, times = times, cause = cause)
  write.table(found, file.path(folder, "risks.csv"), row.names = FALSE, col.names = FALSE, sep = ",")
}

# Of each leaf: states, standard errors and limits at all its times.
leaves <- function(folder) {
  rows <- read.csv(file.path(folder, "leaves.csv"))
  rows$cause <- factor(rows$cause, sort(unique(c(0, rows$cause))))
  out <- list()
  for (leaf in unique(rows$leaf)) {
    f <- survfit(Surv(time, cause) ~ 1, data = rows[rows$leaf == leaf, ], conf.type = "log-log", timefix = FALSE)
    for (k in 2:ncol(f$pstate))
      out[[length(out) + 1]] <- data.frame(leaf = leaf, cause = k - 1, time = f$time, free = f$pstate[, 1],
        incidence = f$pstate[, k], error = f$std.err[, k], low = f$lower[, k], high = f$upper[, k])
  }
  write.csv(do.call(rbind, out), file.path(folder, "found.csv"), row.names = FALSE)
}

versions <- function(folder) {
  packages <- c("survival", "riskRegression", "cmprsk")
  found <- sapply(packages, function(p) paste(p, packageVersion(p)))
  writeLines(paste(c(R.version.string, found), collapse = "; "), file.path(folder, "versions.txt"))
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  done <- tryCatch({
    suppressWarnings(switch(words[1], tables = tables(words[2]), leaves = leaves(words[2]),
      versions = versions(words[2]), risks(words[1], words[2], as.numeric(words[3]))))
    "done"
  }, error = function(e) paste("failed:", gsub("\n", " ", conditionMessage(e))))
  cat(done, "\n", sep = "")
  flush(stdout())
}
