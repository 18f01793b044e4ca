"""Small problems whose near-optimal trees can be listed one by one."""

from itertools import product

import numpy as np

from survtree import OptimalSurvivalTree
from survtree._scoring.losses import loss_by_definition
from survtree.datasets import load

CUTS = {"Age_in_years": [55.0], "Karnofsky_score": [55.0], "Months_from_Diagnosis": [3.5]}


def study():
    """Six columns with few cuts, one of them with levels."""
    data = load("veterans")
    return data.X, data.y


def fitted(sample_weight=None, **options):
    """A tree of at most two splits on a path."""
    given = {"max_depth": 2, "regularization": 0.001, "thresholds": CUTS, **options}
    X, y = study()
    return OptimalSurvivalTree(**given).fit(X, y, sample_weight)


def partition(problem, tree):
    """The leaves as sets of rows, whatever their order."""
    leaf_of_row = problem.leaf_of_row(tree)
    return frozenset(
        frozenset(np.flatnonzero(leaf_of_row == leaf).tolist()) for leaf in np.unique(leaf_of_row)
    )


class EveryTree:
    """Every allowed tree of depth two: objective by definition, columns, first column, leaves."""

    def __init__(self, problem):
        self.problem = problem
        self.loss = loss_by_definition(problem.events, problem.targets)
        self.yes = [problem.rows_of_yes(j) for j in range(len(problem.questions))]
        questions = problem.questions
        self.column = [questions.names[question.column] for question in questions.asked]

    def leaf(self, rows):
        return self.loss.leaf_loss(rows) + self.problem.regularization

    def splits(self, rows):
        for j, yes in enumerate(self.yes):
            if min((rows & yes).sum(), (rows & ~yes).sum()) >= self.problem.min_samples_leaf:
                yield j, rows & yes, rows & ~yes

    def below(self, rows):
        yield self.leaf(rows), frozenset(), 1
        for j, yes, no in self.splits(rows):
            yield self.leaf(yes) + self.leaf(no), frozenset([self.column[j]]), 2

    def all(self):
        everyone = np.ones(len(self.problem.events), dtype=bool)
        yield self.leaf(everyone), frozenset(), None, 1
        for j, yes, no in self.splits(everyone):
            first = self.column[j]
            for one, other in product(list(self.below(yes)), list(self.below(no))):
                columns = one[1] | other[1] | {first}
                yield one[0] + other[0], columns, first, one[2] + other[2]
