// Downloads. A model file is put together from what all trees share and what this one has for itself;
// survtree.load reads it, and it predicts what the model in Python predicts.
function modelFile(tree, names) {
  const file = structuredClone(data.file);
  for (const { path, ...values } of data.differing) {
    const holder = path.slice(0, -1).reduce((inner, key) => inner[key], file);
    const value = valueAt(values, tree.index);
    if (value === undefined) delete holder[path.at(-1)];
    else holder[path.at(-1)] = value;
  }
  file.tree = treeArrays(tree);
  file.leaves = tree.leaves.map(({ leaf, node }) => leafRecord(node, data.leaves[leaf][0]));
  file.group_names = names.some((name) => name) ? names : [];
  return JSON.stringify(file);
}

// Nodes are numbered as they are packed: a split, all of its no, all of its yes.
function treeArrays(tree) {
  const arrays = { question: [], no: [], yes: [] };
  (function add(place) {
    const node = arrays.question.length;
    const what = tree.at.get(place);
    arrays.question.push(isLeaf(what) ? -1 : splits[what].place);
    arrays.no.push(-1);
    arrays.yes.push(-1);
    if (isLeaf(what)) return node;
    arrays.no[node] = add(`${place}n`);
    arrays.yes[node] = add(`${place}y`);
    return node;
  })("");
  return arrays;
}

function leafRecord(node, number) {
  const counts = countsOf(number);
  const curve = curveOf(counts);
  const at = times.map((_, t) => t).filter((t) => counts.events[t] + counts.censored[t] > 0);
  return {
    node,
    n_rows: data.curves.rows[number],
    n_events: data.curves.events[number],
    times: at.map((t) => times[t]),
    events: at.map((t) => counts.events[t]),
    censored: at.map((t) => counts.censored[t]),
    survival: at.map((t) => valueOf(curve.at, curve.survival, t, 1)),
  };
}

// Spreadsheets read a field that begins with one of these signs as a formula.
const cell = (value) => {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "";
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

function leafCsv(tree, nameOf) {
  const facts = leafFacts(tree);
  const isShrunken = facts.some((leaf) => leaf.isShrunken);
  const limits = (name, interval) => [[name, interval.value], [`${name}_low`, interval.low], [`${name}_high`, interval.high]];
  const rows = facts.map((leaf) => [
    ["group", leaf.group],
    ["name", nameOf(leaf)],
    ["leaf", leaf.node],
    ["where", leaf.where.join(" and ") || "all rows"],
    ["rows", leaf.rows],
    ["events", leaf.events],
    ["share", leaf.share],
    ["risk", leaf.risk],
    ...limits("median", leaf.median),
    ...data.times.flatMap((time, k) => limits(`survival_${time}`, leaf.survival[k])),
    ...(isShrunken ? [["predicted_median", leaf.predictedMedian],
      ...data.times.map((time, k) => [`predicted_survival_${time}`, leaf.predictedSurvival[k]])] : []),
  ]);
  const lines = [rows[0].map(([name]) => name), ...rows.map((row) => row.map(([, value]) => value))];
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

function svgText(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  copy.prepend(part("rect", { width, height, fill: "#ffffff" }));
  for (const each of copy.querySelectorAll("[tabindex]")) each.removeAttribute("tabindex");
  return new XMLSerializer().serializeToString(copy);
}

function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
