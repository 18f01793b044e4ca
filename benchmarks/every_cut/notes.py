"""What the page says beside the numbers."""

NOTES = """\
## How to read it

**What is new.** `thresholds="all"` lets a tree cut a numeric column between any two values that
occur. The search over questions looks at every such cut as a yes/no question of its own. The search
over cuts closes whole intervals of cuts at once, by [floors](../explanation/bounds.md#floors). Both
are in the same build and return the same optimum, so the ratios of part depth3 compare them on the
same problems, in turns, on one machine. Numbers above 1 are in favour of the search over cuts. A
fit chooses by the number of cuts; where these are few, it takes the search over questions or the
[lattice](../decisions/0003-a-lattice-beside-the-search.md), and the summary says which.

**What the relaxation costs.** A floor is what the best possible curve for the rows of a leaf would
lose; the leaf itself predicts its Kaplan-Meier curve, which loses more, and a relaxed leaf may have
fewer rows than a leaf needs. A cut is closed without being looked at only if even with floors it is
worse than the best tree. All others are looked at one by one: those that are worse by less than
floors and losses differ, and all that are nearly as good as the best. The summary says how much
less the trees found would cost with floors in place of losses. With a teacher, which is the
default, floors and losses are the same and this costs nothing.

**Where it is not feasible.** Tables that were not proven are named in the summary, with the gap
that was left. Work grows with every further split on a path about as the number of cuts that floors
cannot close. Trees deeper than six splits, `max_leaves`, reference models, paths and full proofs
are searched with all answers as a matrix of bits, where every cut of a long column may not fit in
memory. A fit at its defaults searches every cut only where little work is expected to be enough,
and gives up where it is not; then it refines the tree over the chosen cuts. Part default says where
it did, what that changed, and how long fits take without and with all of this: tables with few rows
and thousands of cuts spend most of it on the search that is given up.

**Memory.** Per row of the table there are ten cuts, one in each column, so that every array with a
number for each cut takes 40 or 80 bytes per row. Those that there are: the cut points, the column
and code of each cut, its rank and its question; beside codes of the rows in Python and in the core,
and tables of floors of the search.

**Beside ConTree.** ConTree (Brita, van der Linden and Demirović, AAAI 2025) finds optimal
classification trees over every cut. Its authors report under 0.1 s to 136 s at depth 3, on 16 data
sets of up to some ten thousand rows. That is another problem, on another machine: it counts
misclassified rows, which is updated in constant time when a cut moves by one row, while the loss of
a Kaplan-Meier leaf is an integral over all times. So these numbers are context and no comparison.

**Beside osst.** osst searches 0/1 columns, so that its problem in part osst is another
one than ours: fewer candidate splits, one more split on a path, a smaller penalty. The ratio says
what every cut costs beside the kind of problem that osst was made for; on the same problems
`make bench-speed` compares the two.
"""
