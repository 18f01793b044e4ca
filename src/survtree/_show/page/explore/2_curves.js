// Curves and numbers of the leaves of a tree, computed from their counts as the package does:
// Kaplan-Meier, Nelson-Aalen, limits by Greenwood's variance, and shrunken curves.
const times = data.curves.times;

function stepsOf({ events, censored }) {
  const at = [];
  const died = [];
  const atRisk = [];
  let left = 0;
  for (let t = times.length - 1; t >= 0; t -= 1) {
    left += events[t] + censored[t];
    if (events[t] > 0) {
      at.push(t);
      died.push(events[t]);
      atRisk.push(left);
    }
  }
  return { at: at.reverse(), died: died.reverse(), atRisk: atRisk.reverse(), weight: left };
}

// A curve has the places of its steps, and its values from there on.
function curveOf(counts) {
  const { at, died, atRisk, weight } = stepsOf(counts);
  let survival = 1;
  let hazard = 0;
  const curve = { at, died, atRisk, weight, survival: [], hazard: [] };
  at.forEach((_, k) => {
    survival *= 1 - died[k] / atRisk[k];
    hazard += died[k] / atRisk[k];
    curve.survival.push(survival);
    curve.hazard.push(hazard);
  });
  curve.end = times.length - 1;
  while (counts.events[curve.end] + counts.censored[curve.end] === 0) curve.end -= 1;
  return curve;
}

// How many steps are not after this place; so the value there is that of the step before it.
function stepsUntil(at, place) {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
const valueOf = (at, values, place, before) => {
  const n = stepsUntil(at, place);
  return n ? values[n - 1] : before;
};
// The last of all times that is not after a given one; -1 before the first.
const placeOf = (time) => stepsUntil(times, time) - 1;
const firstAtMost = (at, values, level) => {
  const k = values.findIndex((value) => value <= level + 1e-12);
  return k < 0 ? Infinity : times[at[k]];
};

function bandOf(curve) {
  let sum = 0;
  const low = [];
  const high = [];
  curve.at.forEach((_, k) => {
    const [died, atRisk, survival] = [curve.died[k], curve.atRisk[k], curve.survival[k]];
    if (died >= atRisk) { // the last row: without a variance the upper limit stays where it was
      low.push(0);
      high.push(high.length ? high[high.length - 1] : 1);
      return;
    }
    sum += died / (atRisk * (atRisk - died));
    const spread = Math.exp((data.z * Math.sqrt(sum)) / -Math.log(survival));
    low.push(survival ** spread);
    high.push(survival ** (1 / spread));
  });
  return { low, high };
}

// The predicted curve of each leaf: the mean of the curves on its way, with the weights that
// _scoring/shrinkage.py derives. Every event of a leaf is one of the root, so its times are enough.
function predictedCurves(tree, shrinkage) {
  const counts = new Map();
  (function fill(place) {
    const what = tree.at.get(place);
    if (isLeaf(what)) {
      counts.set(place, countsOf(data.leaves[-1 - what][0]));
      return;
    }
    fill(`${place}n`);
    fill(`${place}y`);
    const [no, yes] = [counts.get(`${place}n`), counts.get(`${place}y`)];
    counts.set(place, {
      events: no.events.map((weight, t) => weight + yes.events[t]),
      censored: no.censored.map((weight, t) => weight + yes.censored[t]),
    });
  })("");
  const own = new Map([...counts].map(([place, each]) => [place, curveOf(each)]));
  const root = own.get("");
  const predicted = new Map();
  (function descend(place, above, factorAbove) {
    const curve = own.get(place);
    const isEnd = isLeaf(tree.at.get(place));
    const factor = isEnd ? 0 : 1 / (1 + shrinkage / curve.weight);
    const share = factorAbove - factor;
    const sums = root.at.map((t, k) => ({
      survival: above[k].survival + share * valueOf(curve.at, curve.survival, t, 1),
      hazard: above[k].hazard + share * valueOf(curve.at, curve.hazard, t, 0),
    }));
    if (isEnd) {
      predicted.set(place, {
        at: root.at,
        survival: sums.map((each) => Math.min(each.survival, 1)),
        hazard: sums.map((each) => each.hazard),
        end: times.length - 1,
      });
      return;
    }
    descend(`${place}n`, sums, factor);
    descend(`${place}y`, sums, factor);
  })("", root.at.map(() => ({ survival: 0, hazard: 0 })), 1);
  return { own, predicted, eventPlaces: root.at };
}

const known = new Map();

// All that is said of the leaves of a tree, in the order of their groups.
function leafFacts(tree) {
  if (known.has(tree.index)) return known.get(tree.index);
  const shrinkage = tree.leaves.length > 1 ? valueAt(data.shrinkages, tree.index) : 0;
  const { own, predicted, eventPlaces } = predictedCurves(tree, shrinkage);
  const total = own.get("").weight;
  const facts = groups[tree.index].map((place, rank) => {
    const { place: way, leaf, node } = tree.leaves[place];
    const [curveNumber, ...where] = data.leaves[leaf];
    const curve = own.get(way);
    const band = bandOf(curve);
    const shown = shrinkage ? predicted.get(way) : curve;
    const at = (values, place, before) => valueOf(curve.at, values, place, before);
    const estimate = (time) => {
      const place = placeOf(time);
      if (!curve.at.length || place < curve.at[0]) return { value: 1, low: null, high: null };
      return { value: at(curve.survival, place, 1), low: at(band.low, place, 1), high: at(band.high, place, 1) };
    };
    return {
      rank, way, node, leaf, curveNumber, curve, band, shown,
      group: rank + 1,
      isShrunken: shrinkage > 0,
      where: where.map((text) => conditions[text]),
      rows: data.curves.rows[curveNumber],
      events: data.curves.events[curveNumber],
      share: curve.weight / total,
      risk: eventPlaces.reduce((sum, t) => sum + valueOf(shown.at, shown.hazard, t, 0), 0),
      median: {
        value: firstAtMost(curve.at, curve.survival, 0.5),
        low: firstAtMost(curve.at, band.low, 0.5),
        high: firstAtMost(curve.at, band.high, 0.5),
      },
      survival: data.times.map(estimate),
      predictedMedian: firstAtMost(shown.at, shown.survival, 0.5),
      predictedSurvival: data.times.map((time) => valueOf(shown.at, shown.survival, placeOf(time), 1)),
    };
  });
  known.set(tree.index, facts);
  return facts;
}
