// Pictures: the tree, the curves of its leaves, and loss by size. Each part has the colours of light
// paper as attributes, for files that are downloaded, and a class that the page's theme overrides.
const SVG = "http://www.w3.org/2000/svg";
const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const INK = "#1d2025";
const MUTED = "#5a626c";
const RULE = "#d8dce2";
const SOFT = "#f5f6f8";
// Neighbours in the order of risk differ by their strokes, not by colour alone.
const DASHES = [null, "9 3", "2 2.4", "11 3 2 3"];
const dashOf = (rank, n) => (n > 3 ? DASHES[rank % DASHES.length] : null);
const colourOf = (rank, n) => data.colours[n - 1][rank];

function part(name, attributes = {}, ...inner) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...inner);
  return element;
}
const words = (text, x, y, more = {}) => part("text", { x, y, "font-size": 13, fill: INK, class: "ink-text", ...more }, text);
const picture = (width, height, more, ...inner) =>
  part("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": FONT, ...more }, ...inner);

const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text, size = 13, weight = 400) {
  ruler.font = `${weight} ${size}px ${FONT}`;
  return ruler.measureText(text).width;
}
function cut(text, most, size, weight) {
  if (widthOf(text, size, weight) <= most) return text;
  const letters = [...text];
  let [kept, over] = [1, letters.length];
  while (over - kept > 1) {
    const middle = (kept + over) >> 1;
    if (widthOf(`${letters.slice(0, middle).join("")}…`, size, weight) <= most) kept = middle;
    else over = middle;
  }
  return `${letters.slice(0, kept).join("")}…`;
}
// At most three lines; a word that is too long for a line is cut, and its box says all of it.
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (widthOf(longer) <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const kept = lines.slice(0, 3).map((line) => cut(line, most));
  if (lines.length > 3) kept[2] = cut(`${kept[2]} …`, most);
  return kept;
}

// Survival from time 0 to the end, in a box; steps too small to see are left out.
function stepPath(at, values, end, box) {
  const x = (place) => (box.x + (box.width * times[place]) / box.until).toFixed(1);
  const y = (value) => (box.y + box.height * (1 - value)).toFixed(1);
  let path = `M${box.x} ${y(1)}`;
  let last = y(1);
  at.forEach((place, k) => {
    if (place > end || times[place] > box.until || y(values[k]) === last) return;
    last = y(values[k]);
    path += `H${x(place)}V${last}`;
  });
  return `${path}H${x(end)}`;
}
function bandPath(curve, band, end, box) {
  const there = stepPath(curve.at, band.high, end, box);
  const back = stepPath(curve.at, band.low, end, box).split(/(?=[HV])/);
  // The lower edge is walked backwards: its corners in reverse order.
  let [x, y] = back[0].slice(1).split(" ");
  const corners = [[x, y]];
  for (const move of back.slice(1)) {
    if (move[0] === "H") x = move.slice(1);
    else y = move.slice(1);
    corners.push([x, y]);
  }
  return `${there}L${corners.reverse().map((corner) => corner.join(" ")).join("L")}Z`;
}

const leafLine = (leaf, n, width, more = {}) => ({
  fill: "none", stroke: colourOf(leaf.rank, n), "stroke-width": width, class: "leaf-line", ...more,
});

// What a leaf says in a few words; a median that few leaves reach says less than survival at a time.
function leafWords(leaf) {
  const kind = leaf.isShrunken ? "predicted " : "";
  if (data.has_medians) {
    const median = leaf.predictedMedian;
    return `${kind}median ${Number.isFinite(median) ? withUnit(numeral(median)) : "not reached"}`;
  }
  const last = data.times.length - 1;
  return `${kind}${percent(leaf.predictedSurvival[last])} at ${withUnit(numeral(data.times[last]))}`;
}

const LEAF = { width: 312, height: 58, gap: 6, curve: 104 };
const TURN = 10; // from a box to where its edge turns
const MOST_WIDE = 190;

// The tree from left to right, all leaves in the last column. answers(place) is on its edge.
function treePicture(tree, { nameOf, choices, isButton = true }) {
  const facts = new Map(leafFacts(tree).map((leaf) => [leaf.way, leaf]));
  const n = tree.leaves.length;
  const lines = new Map();
  const wide = [];
  for (const [place, what] of tree.at) {
    if (isLeaf(what)) continue;
    const text = wrapped(splits[what].text, MOST_WIDE);
    lines.set(place, text);
    wide[place.length] = Math.max(wide[place.length] ?? 0, ...text.map((line) => widthOf(line) + 22));
  }
  const gaps = []; // to the right of each column, with room for the answers
  for (const place of tree.at.keys()) {
    if (!place) continue;
    const depth = place.length - 1;
    gaps[depth] = Math.max(gaps[depth] ?? 0, TURN + widthOf(answerText(tree, place), 12) + 18);
  }
  const left = [];
  wide.reduce((x, width, depth) => {
    left[depth] = x;
    return x + width + gaps[depth];
  }, 1);
  const leafLeft = wide.length ? left.at(-1) + wide.at(-1) + gaps.at(-1) : 1;
  const middle = new Map();
  let row = 0;
  (function settle(place) { // a reader meets yes first
    if (isLeaf(tree.at.get(place))) {
      middle.set(place, 1 + row * (LEAF.height + LEAF.gap) + LEAF.height / 2);
      row += 1;
      return;
    }
    settle(`${place}y`);
    settle(`${place}n`);
    middle.set(place, (middle.get(`${place}y`) + middle.get(`${place}n`)) / 2);
  })("");
  const edges = [];
  const boxes = [];
  (function draw(place) {
    const what = tree.at.get(place);
    const y = middle.get(place);
    if (isLeaf(what)) {
      boxes.push(leafBox(facts.get(place), n, leafLeft, y, nameOf, { place, isButton, choices }));
      return;
    }
    const depth = place.length;
    const right = left[depth] + wide[depth];
    boxes.push(splitBox(place, what, lines.get(place), { x: left[depth], y, width: wide[depth] }, { isButton, choices }));
    for (const answer of ["y", "n"]) {
      const child = place + answer;
      const to = isLeaf(tree.at.get(child)) ? leafLeft : left[depth + 1];
      const turn = right + TURN;
      edges.push(part("path", { d: `M${right} ${y}H${turn}V${middle.get(child)}H${to}`, fill: "none", stroke: MUTED, class: "muted-line" }));
      const text = answerText(tree, child);
      const x = turn + (gaps[depth] - TURN) / 2;
      edges.push(
        part("rect", { x: x - widthOf(text, 12) / 2 - 3, y: middle.get(child) - 8, width: widthOf(text, 12) + 6, height: 16, fill: "#ffffff", class: "paper-fill" }),
        words(text, x, middle.get(child) + 4, { "font-size": 12, "text-anchor": "middle", fill: MUTED, class: "muted-text" }),
      );
      draw(child);
    }
  })("");
  const width = Math.ceil(leafLeft + LEAF.width + 2);
  const height = Math.ceil(row * (LEAF.height + LEAF.gap) + 2);
  return picture(width, height, { class: "tree", role: "group", "aria-label": "The tree" }, ...edges, ...boxes);
}

// Missing values are named where they go, unless an answer above has parted with them.
function answerText(tree, place) {
  const above = place.slice(0, -1);
  const split = splits[tree.at.get(above)];
  if (place.endsWith("y")) return "yes";
  if (!columns[split.column].has_missing || split.is_yes_if_missing) return "no";
  for (let k = 0; k < above.length; k += 1) {
    const other = splits[tree.at.get(above.slice(0, k))];
    if (other.column === split.column && other.is_yes_if_missing !== (above[k] === "y")) return "no";
  }
  return "no or missing";
}

function buttonParts(place, label, { isButton, choices }) {
  const isChosen = choices?.has(place) ?? false;
  const kind = `node${isChosen ? " chosen" : ""}`;
  const said = isChosen ? `${label}; chosen by you` : label;
  if (!isButton) return { class: kind, role: "img", "aria-label": said };
  return { class: kind, tabindex: 0, role: "button", "data-place": place, "aria-label": said };
}

function splitBox(place, what, lines, { x, y, width }, how) {
  const height = 12 + 17 * lines.length;
  const top = y - height / 2;
  const { text } = splits[what];
  const box = part("rect", { x, y: top, width, height, rx: 5, fill: SOFT, stroke: RULE, class: "box" });
  const texts = lines.map((line, k) => words(line, x + width / 2, top + 18 + 17 * k, { "text-anchor": "middle" }));
  const pin = how.choices?.has(place)
    ? [part("circle", { cx: x + width, cy: top, r: 5, fill: "#1b4f9c", class: "accent-fill" })] : [];
  return part("g", buttonParts(place, `Split: ${text}`, how), part("title", {}, text), box, ...texts, ...pin);
}

function leafBox(leaf, n, x, y, nameOf, how) {
  const top = y - LEAF.height / 2;
  const box = { x: x + 6, y: top + 6, width: LEAF.curve - 12, height: LEAF.height - 12, until: times.at(-1) };
  const textLeft = x + LEAF.curve + 6;
  const most = LEAF.width - LEAF.curve - 12;
  const label = labelOf(leaf, nameOf);
  const counts = `${count(leaf.rows, "row")}, ${count(leaf.events, "event")}`;
  const said = `Leaf: ${label}; ${leaf.where.join(" and ") || "all rows"}; ${counts}, ${leafWords(leaf)}`;
  const attributes = buttonParts(how.place, said, how);
  return part("g", { ...attributes, class: `${attributes.class} leaf r${leaf.rank}`, "data-leaf": leaf.rank },
    part("title", {}, said),
    part("rect", { x, y: top, width: LEAF.width, height: LEAF.height, rx: 5, fill: SOFT, stroke: RULE, class: "box" }),
    part("path", { d: `M${box.x} ${box.y}V${box.y + box.height}H${box.x + box.width}`, fill: "none", stroke: RULE, class: "pale-line" }),
    part("path", { d: stepPath(leaf.shown.at, leaf.shown.survival, leaf.shown.end, box), ...leafLine(leaf, n, 1.8) }),
    words(cut(label, most, 13, 600), textLeft, top + 19, { "font-weight": 600 }),
    words(counts, textLeft, top + 35, { "font-size": 12 }),
    words(cut(leafWords(leaf), most, 12), textLeft, top + 50, { "font-size": 12 }));
}
const labelOf = (leaf, nameOf) => {
  const name = nameOf(leaf);
  return name ? `Group ${leaf.group}: ${name}` : `Group ${leaf.group}`;
};

function roundTicks(end, most = 6) {
  let step = 10 ** Math.floor(Math.log10(end / most));
  for (const factor of [1, 2, 2.5, 5, 10, 20]) if (end / (step * factor) < most + 1) { step *= factor; break; }
  return Array.from({ length: Math.floor((end / step) * (1 + 1e-12)) + 1 }, (_, k) => Number((step * k).toPrecision(6)));
}

// Round numbers of which at least three lie between two ends.
function ticksBetween(from, to) {
  const steps = [5, 2, 1, 0.5, 0.2, 0.1].map((factor) => factor * 10 ** Math.floor(Math.log10(to - from)));
  const inside = (step) => {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, k) => Number((step * (first + k)).toPrecision(6)));
  };
  return steps.map(inside).find((values) => values.length >= 3);
}

function axes(box, ticksX, ticksY, textX, textY) {
  const tick = { fill: MUTED, class: "muted-text", "font-size": 12 };
  const line = { fill: "none", stroke: MUTED, class: "muted-line" };
  const at = (value) => box.x + (box.width * (value - ticksX.from)) / (ticksX.to - ticksX.from);
  const up = (value) => box.y + box.height * (1 - (value - ticksY.from) / (ticksY.to - ticksY.from));
  return [
    part("path", { d: `M${box.x} ${box.y}V${box.y + box.height}H${box.x + box.width}`, ...line }),
    ...ticksX.values.flatMap((value) => [
      part("path", { d: `M${at(value)} ${box.y + box.height}v5`, ...line }),
      words(textX(value), at(value), box.y + box.height + 19, { ...tick, "text-anchor": "middle" }),
    ]),
    ...ticksY.values.flatMap((value) => [
      part("path", { d: `M${box.x} ${up(value)}h-5`, ...line }),
      words(textY(value), box.x - 9, up(value) + 4, { ...tick, "text-anchor": "end" }),
    ]),
  ];
}

// All curves on one pair of axes; groups are named at the right, none of the names on another.
function curvesPicture(tree, { nameOf, hasBands = false, width = 560, height = 360 }) {
  const facts = leafFacts(tree);
  const n = facts.length;
  const box = { x: 46, y: 10, width: width - 46 - 128, height: height - 56, until: times.at(-1) };
  const ticks = roundTicks(box.until, 5);
  const frame = axes(box, { from: 0, to: box.until, values: ticks }, { from: 0, to: 1, values: [0, 0.25, 0.5, 0.75, 1] },
    (time) => numeral(time), (share) => percent(share));
  const title = words(data.unit ? `Time (${data.unit})` : "Time", box.x + box.width / 2, height - 6, { fill: MUTED, class: "muted-text", "font-size": 12, "text-anchor": "middle" });
  const ends = facts.map((leaf) => ({ leaf, y: box.y + box.height * (1 - (leaf.shown.survival.at(-1) ?? 1)) }));
  const inOrder = [...ends].sort((one, other) => one.y - other.y);
  const room = Math.min(17, (box.height + 20) / n);
  inOrder.forEach((each, k) => { if (k) each.y = Math.max(each.y, inOrder[k - 1].y + room); });
  const over = inOrder.length ? Math.max(0, inOrder.at(-1).y - (box.y + box.height + 4)) : 0;
  for (let k = inOrder.length - 1, limit = box.y + box.height + 4; over && k >= 0; k -= 1) {
    inOrder[k].y = Math.min(inOrder[k].y, limit);
    limit = inOrder[k].y - room;
  }
  const lines = ends.map(({ leaf, y }) => part("g", { class: `curve r${leaf.rank}`, "data-leaf": leaf.rank },
    ...(hasBands ? [part("path", { d: bandPath(leaf.curve, leaf.band, leaf.curve.end, box), fill: colourOf(leaf.rank, n), "fill-opacity": 0.14, class: "leaf-fill" })] : []),
    part("path", { d: stepPath(leaf.shown.at, leaf.shown.survival, leaf.shown.end, box), ...leafLine(leaf, n, 2.2, { "stroke-dasharray": dashOf(leaf.rank, n) }) }),
    part("path", { d: `M${box.x + box.width + 6} ${y}h24`, ...leafLine(leaf, n, 2.2, { "stroke-dasharray": dashOf(leaf.rank, n) }) }),
    words(cut(nameOf(leaf) || `Group ${leaf.group}`, 92, 12), box.x + box.width + 35, y + 4, { "font-size": 12 })));
  const said = "Survival curves of all leaves; the table of leaves has their numbers";
  return picture(width, height, { class: "chart curves", role: "img", "aria-label": said }, ...frame, title, ...lines);
}

// Loss by number of leaves, as a share of that of one curve for all rows: training and held-out rows.
function sizesPicture(shown, width = 560, height = 300) {
  const rows = data.path;
  const box = { x: 54, y: 14, width: width - 54 - 120, height: height - 60 };
  const values = rows.flatMap((row) => [1 - row.ratio, ...(row.held_out === null ? [] : [1 - row.held_out + (row.error ?? 0), 1 - row.held_out - (row.error ?? 0)])]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low || 0.1) * 0.08;
  const scale = { from: low - margin, to: high + margin };
  const ticks = ticksBetween(scale.from, scale.to);
  const from = rows[0].leaves - 0.5;
  const to = rows.at(-1).leaves + 0.5;
  const x = (leaves) => box.x + (box.width * (leaves - from)) / (to - from);
  const y = (value) => box.y + box.height * (1 - (value - scale.from) / (scale.to - scale.from));
  const line = (value) => rows.filter((row) => value(row) !== null).map((row, k) => `${k ? "L" : "M"}${x(row.leaves)} ${y(value(row))}`).join("");
  const training = (row) => 1 - row.ratio;
  const heldOut = (row) => (row.held_out === null ? null : 1 - row.held_out);
  const leaves = [...new Set(rows.map((row) => row.leaves))];
  const step = Math.ceil(leaves.length / 10);
  const parts = axes(box, { from, to, values: leaves.filter((_, k) => k % step === 0) }, { ...scale, values: ticks }, (value) => count(value), (value) => percent(value, ticks[1] - ticks[0] < 0.0099 ? 1 : 0));
  const last = rows.at(-1);
  parts.push(words("Leaves", box.x + box.width / 2, height - 8, { fill: MUTED, class: "muted-text", "font-size": 12, "text-anchor": "middle" }));
  const apart = (heldOut(last) === null ? 0 : Math.max(0, 17 - Math.abs(y(heldOut(last)) - y(training(last))))) / 2;
  const isAbove = heldOut(last) !== null && heldOut(last) >= training(last) ? -1 : 1;
  parts.push(part("path", { d: line(training), fill: "none", stroke: "#1b62b5", "stroke-width": 2, class: "blue-line" }),
    words("training", box.x + box.width + 10, y(training(last)) + 4 - apart * isAbove, { "font-size": 12 }));
  if (heldOut(last) !== null) {
    parts.push(part("path", { d: line(heldOut), fill: "none", stroke: "#b35900", "stroke-width": 2, "stroke-dasharray": "9 3", class: "orange-line" }),
      words("cross-validated", box.x + box.width + 10, y(heldOut(last)) + 4 + apart * isAbove, { "font-size": 12 }));
    for (const row of rows) if (row.error !== null) parts.push(part("path", { d: `M${x(row.leaves)} ${y(heldOut(row) - row.error)}V${y(heldOut(row) + row.error)}`, stroke: "#b35900", class: "orange-line" }));
  }
  const marked = rows[shown];
  for (const [value, colour, kind] of [[training, "#1b62b5", "blue"], [heldOut, "#b35900", "orange"]]) {
    for (const row of rows) if (value(row) !== null) parts.push(part("circle", { cx: x(row.leaves), cy: y(value(row)), r: row === marked ? 6 : 3.2, fill: colour, class: `${kind}-fill` }));
  }
  return picture(width, height, { class: "chart", role: "img", "aria-label": "Loss by number of leaves; the table has the numbers" }, ...parts);
}
