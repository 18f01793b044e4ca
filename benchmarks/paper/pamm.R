# A piecewise exponential additive model (pammtools) of 0/1 columns: curves of new rows.
#
#   Rscript pamm.R TRAIN.csv NEW.csv OUT.csv
#
# Files: 0/1 columns, then event (1: seen), then time. Smooth baseline, linear effects of the
# columns that the training rows can tell apart; at most 40 intervals, cut at quantiles of the event
# times. OUT: the times, then a line of survival probabilities for each new row.
suppressMessages({ library(survival); library(pammtools); library(mgcv) })
asked <- commandArgs(trailingOnly = TRUE)
train <- read.csv(asked[1])
new <- read.csv(asked[2])
features <- setdiff(names(train), c("event", "time"))

# Columns that repeat others would leave effects without a value.
shape <- qr(cbind(1, as.matrix(train[features])))
kept <- setdiff(shape$pivot[seq_len(shape$rank)], 1) - 1
features <- features[sort(kept)]

# An interval of no length has no hazard; times of 0 count for half of the next.
first <- min(train$time[train$time > 0])
train$time <- pmax(train$time, first / 2)
ends <- sort(unique(train$time[train$event == 1]))
cuts <- unique(quantile(ends, seq(0, 1, length.out = min(40, length(ends)) + 1)[-1], type = 1))
cuts <- unname(cuts)
last <- max(train$time)
if (max(cuts) < last) cuts <- c(cuts, last)

long <- as_ped(train, Surv(time, event) ~ ., cut = c(0, cuts))
knots <- min(10, length(unique(long$tend)) - 1)
smooth <- if (knots >= 3) paste0("s(tend, k = ", knots, ") + ") else ""
model <- gam(as.formula(paste0("ped_status ~ ", smooth, paste(features, collapse = " + "))),
             data = long, family = poisson(), offset = long$offset, method = "REML")

# The log hazard is baseline(tend) + effects(x): predict both once and add them.
widths <- diff(c(0, cuts))
row <- new[rep(1, length(cuts)), features, drop = FALSE]
row[] <- 0
baseline <- predict(model, cbind(row, tend = cuts, offset = 0), type = "link")
zero <- cbind(new[features], tend = cuts[1], offset = 0)
effect <- predict(model, zero, type = "link") - baseline[1]
hazard <- cumsum(widths * exp(baseline))
survival <- exp(-outer(exp(effect), hazard))
write.table(rbind(cuts, survival), asked[3], sep = ",", row.names = FALSE, col.names = FALSE)
