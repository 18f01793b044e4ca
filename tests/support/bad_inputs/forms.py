"""The forms that a message about bad input may have."""

import re

# What is needed; what came. What to do next.
TELLS_ALL = re.compile(r".+ (must|needs|requires) .+?(;|, but) .+?\. [A-Zm].+[.?]")
# An option tells all that is allowed, and so what to do.
TELLS_RANGE = re.compile(r"\w+ must be .+; got .+\.( Did you mean '.+'\?)?")
TELLS_OTHERWISE = (
    re.compile(r"no event was observed \(.+\), so .+\. .+\?"),
    re.compile(r"(no event was observed in .+|missing='drop' leaves no row: .+)\. Leave out .+\."),
    re.compile(r"no tree attains upper_bound=.+; the search went on without it and found .+\."),
    re.compile(r"\d+ rows? of .+ of the loss of .+; .+ few rows are left\. Pass .+\."),
    re.compile(r"column .+ is left out: it .+\. To split on it, pass .+\."),
    re.compile(r"column .+ has .+ values in .+ rows: .+\. Keep one row per subject, or .+\."),
    re.compile(r"column .+ is text that reads as numbers, .+; .+\. Make it numbers.+\."),
    re.compile(r"column .+ has levels that differ only in .+; .+\. Make .+, or pass .+\."),
    re.compile(r"(the split|the levels|column) .+ all but .+\. If .+: leave the column out .+\."),
    re.compile(r"the rows of .+ are in another order than .+: they are matched .+\. To .+\."),
    re.compile(r"rows hold values that the fit did not see: column .+\. .+\."),
)
