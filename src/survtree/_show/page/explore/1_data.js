// What the page holds, unpacked: trees, splits, leaves and curves by number.
// Trees up to nSet are the set, the best first; others were asked for one by one.
const data = JSON.parse(document.getElementById("facts").textContent);
const { splits, columns, conditions, objectives, groups } = data;
const nSet = data.summary.n_trees;
const optimum = data.summary.optimum;
// Sums of the same numbers in another order differ in their last digits.
const TINY = 1e-9 * Math.max(optimum, 1e-300);

const valueAt = ({ values, at }, k) => (at ? values[at[k]] : values[k]);

// A place in a tree is the way to it: "" is the root, and each letter an answer, y or n.
// `at` says what is there: the number of a split, or -1 minus that of a leaf.
function unpackTree(nodes, index) {
  const at = new Map();
  const leaves = [];
  const used = new Set();
  let depth = 0;
  let next = 0;
  (function read(place) {
    const what = nodes[next];
    next += 1;
    at.set(place, what);
    depth = Math.max(depth, place.length);
    if (what < 0) {
      leaves.push({ place, leaf: -1 - what, node: next - 1 });
      return;
    }
    used.add(splits[what].column);
    read(`${place}n`);
    read(`${place}y`);
  })("");
  const sizes = leaves.map(({ leaf }) => data.leaves[leaf][0]);
  return {
    index, at, leaves, used, depth, nodes,
    objective: objectives[index],
    cost: Math.max(0, objectives[index] - optimum),
    rows: Math.min(...sizes.map((curve) => data.curves.rows[curve])),
    events: Math.min(...sizes.map((curve) => data.curves.events[curve])),
  };
}

const trees = data.trees.map(unpackTree);
const isInSet = (tree) => tree.index < nSet;
const isLeaf = (what) => what < 0;

// The bytes of all curves; see packed_curves in explore_trees.py for what they mean.
const stepBytes = Uint8Array.from(atob(data.curves.steps), (letter) => letter.charCodeAt(0));
const stepEnds = [];
data.curves.sizes.reduce((sum, size) => {
  stepEnds.push(sum + size);
  return sum + size;
}, 0);
const unpacked = new Map();

// The weights of events and of censored rows at every time of the study, 0 where nothing happened.
function countsOf(curve) {
  if (unpacked.has(curve)) return unpacked.get(curve);
  const n = data.curves.times.length;
  const counts = { events: new Float64Array(n), censored: new Float64Array(n) };
  let place = curve ? stepEnds[curve - 1] : 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = stepBytes[place];
      place += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  let time = 0;
  while (place < stepEnds[curve]) {
    const step = number();
    time += Math.floor(step / 4);
    const kind = step & 2 ? "censored" : "events";
    counts[kind][time] = data.curves.amounts[step & 1 ? number() : 0];
  }
  unpacked.set(curve, counts);
  return counts;
}

// Numbers as the other reports write them (see _base/numbers.py).
const count = (n, thing = "") => {
  const text = Math.round(n).toLocaleString("en");
  if (!thing) return text;
  const plural = thing.includes("leaf") ? thing.replace("leaf", "leaves") : `${thing}s`;
  return `${text} ${n === 1 ? thing : plural}`;
};
const numeral = (value, digits = 3) => {
  const isWhole = Math.abs(value) >= 10 ** digits - 0.5 || Number.isInteger(value);
  if (isWhole && Math.abs(value) < 1e9) return Math.round(value).toLocaleString("en");
  const text = value.toPrecision(digits);
  return text.includes("e") ? text : String(Number(text));
};
const percent = (share, decimals = 0) => `${(100 * share).toFixed(decimals)}\u00a0%`;
const withUnit = (text) => (data.unit ? `${text} ${data.unit}` : text);
// So many decimals that a fiftieth of the slack shows.
const decimals = Math.min(10, Math.max(4, Math.ceil(-Math.log10(Math.max(data.summary.slack, TINY) / 50))));
const costShare = (cost) => {
  const share = optimum > 0 ? cost / optimum : 0;
  return percent(share, share < 0.1 ? 2 : share < 1 ? 1 : 0);
};
const costText = (cost) => (cost <= TINY ? "best" : `+${cost.toFixed(decimals)}`);
const costBoth = (cost) => (cost <= TINY ? "best" : `+${cost.toFixed(decimals)} (+${costShare(cost)})`);
