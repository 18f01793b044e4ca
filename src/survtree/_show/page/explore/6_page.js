// What the user sees and does. There is one state, `wishes`, and one tree that is shown, which
// follows from it; `show` draws all that depends on them. Text only ever becomes text.
const byId = (id) => document.getElementById(id);
function make(name, attributes = {}, ...inner) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inner.flat().filter((each) => each !== null && each !== undefined));
  return element;
}
const bdi = (text) => make("bdi", {}, text);
const columnName = (column) => columns[column].name || "(no name)";

let wishes = noWishes();
let before = []; // earlier wishes, for undo
let shown = trees[0];
let selected = ""; // the place whose alternatives are listed
let isLong = false; // are all of them?
let nListed = 20;
const names = new Map(); // by curve: the same rows keep their name in every tree
const pinned = [];
const nameOf = (leaf) => names.get(leaf.curveNumber) ?? "";

function wish(change) {
  const next = copyOf(wishes);
  change(next);
  before.push(wishes);
  wishes = next;
  follow();
}
function follow() {
  const found = wishes.only === null ? bestFor(wishes) : trees[wishes.only];
  if (found) {
    shown = found;
    while (selected && (!shown.at.has(selected) || isLeaf(shown.at.get(selected.slice(0, -1))))) selected = selected.slice(0, -1);
  }
  isLong = false;
  show(Boolean(found));
}

// What the tree is among all of them, in words. Numbers are those of Python and of the command line: 0
// is the best.
function titleOf(tree) {
  if (isInSet(tree)) return tree.index === 0 ? "The best tree" : `Tree ${count(tree.index)} of ${count(nSet)}`;
  const asked = data.asked.find((each) => each.tree === tree.index);
  if (asked) return `The best tree ${asked.kind} ${columnName(asked.column)}`;
  return `The best tree with ${count(tree.leaves.length, "leaf")}`;
}
function whyBest(tree) {
  const asked = data.asked.find((each) => each.tree === tree.index);
  const isProven = asked ? asked.is_proven : true; // each of the sizes is
  const kind = titleOf(tree).replace("The best tree ", "");
  return isProven ? `It was searched for: no tree ${kind} is better.` : `The search for trees ${kind} was stopped: there may be better ones.`;
}
function usedText(tree) {
  const used = [...tree.used].map(columnName);
  if (!used.length) return ["no column"];
  return used.flatMap((name, k) => [k ? (k === used.length - 1 ? " and " : ", ") : "", bdi(name)]);
}

function showState(isFound) {
  const lines = [];
  if (!isFound) {
    const call = callFor(wishes);
    lines.push(make("p", { class: "warning" }, make("strong", {}, "No tree of the set is like this. "),
      "Below is the tree shown before: undo, or take back a wish.",
      ...(call ? [" The best such tree is found in Python: ", make("code", {}, call)] : [])));
  } else if (!isInSet(shown)) {
    lines.push(make("p", { class: "outside" }, make("strong", {}, "Outside the set. "), whyBest(shown)));
  }
  lines.push(make("p", {}, make("strong", {}, titleOf(shown)), ": objective ", shown.objective.toFixed(decimals + 2),
    shown.cost <= TINY ? ", none is lower" : `, ${costBoth(shown.cost)} above the best`, `; ${count(shown.leaves.length, "leaf")}, smallest leaf `,
    `${count(shown.rows, "row")} and ${count(shown.events, "event")}. Splits on `, ...usedText(shown), "."));
  const n = matching(wishes).length;
  const isFree = !before.length || (!wishes.choices.size && !wishes.use.size && !wishes.avoid.size && wishes.most === null && !wishes.rows && !wishes.events);
  if (!isFree && isInSet(shown)) lines.push(make("p", { class: "note" }, `${count(n, "tree")} of the set ${n === 1 ? "agrees" : "agree"} with all that you chose.`));
  byId("state").replaceChildren(...lines);
  byId("undo").disabled = !before.length;
  byId("again").disabled = shown.index === 0 && isFree;
  byId("pin").disabled = pinned.includes(shown.index);
}

function conditionText(place) {
  const parts = [];
  for (let k = 0; k < place.length; k += 1) {
    const { text } = splits[shown.at.get(place.slice(0, k))];
    parts.push(place[k] === "y" ? text : `not (${text})`);
  }
  return parts;
}

function showAlternatives() {
  const list = alternatives(shown, selected, wishes);
  const current = standsAt(shown, selected);
  const few = worthShowing(list, 7);
  const listed = isLong || list.length - few.length < 2 ? list : few;
  const where = conditionText(selected);
  const head = selected === "" ? ["First split"] : ["Where ", ...where.flatMap((text, k) => [k ? " and " : "", bdi(text)])];
  const items = listed.map(({ what, tree, choices }) => {
    const text = what === "leaf" ? "no split: a leaf" : splits[what].text;
    const isCurrent = what === current && isInSet(shown);
    return make("li", {}, make("button", {
      type: "button", class: "option", "aria-pressed": String(isCurrent), "data-what": what,
      onclick: () => choose(choices),
    }, make("span", { class: "option-text" }, bdi(text)), make("span", { class: "option-cost" }, costBoth(tree.cost)), isCurrent ? make("span", { class: "used" }, "shown") : null));
  });
  if (!items.length) items.push(make("li", { class: "note" }, "No tree of the set has these splits above. The alternatives of trees outside the set are not on this page."));
  const more = listed.length < list.length
    ? make("button", { type: "button", class: "link", onclick: () => { isLong = true; showAlternatives(); byId("options").querySelectorAll("button")[few.length]?.focus(); } }, `Show all ${count(list.length)}`) : null;
  const isChosen = wishes.choices.has(selected);
  const free = isChosen ? make("button", { type: "button", class: "link", onclick: () => wish((next) => { next.choices.delete(selected); }) }, "Take this choice back") : null;
  byId("options-title").replaceChildren(...head);
  byId("options").replaceChildren(...items);
  byId("options-more").replaceChildren(...[more, free].filter(Boolean));
}

// The list is drawn anew, so the keyboard is brought back to what was chosen in it.
function choose(choices) {
  wish((next) => { next.choices = choices; next.only = null; });
  byId("options").querySelector('[aria-pressed="true"]')?.focus({ preventScroll: true });
  byId("state").scrollIntoView({ block: "nearest" });
}

function select(place) {
  selected = place;
  isLong = false;
  for (const box of document.querySelectorAll("#tree [data-place], #outline [data-place]")) box.setAttribute("aria-pressed", String(box.dataset.place === selected));
  showAlternatives();
}

// A tree may shrink so far before it scrolls that its words can be read.
function shrinking(svg, share) {
  svg.style.minWidth = `${share * Number(svg.getAttribute("width"))}px`;
  return svg;
}
const key = (leaf, n) => {
  const line = part("path", { d: "M1 4H29", ...leafLine(leaf, n, 2, { "stroke-dasharray": dashOf(leaf.rank, n) }) });
  return part("svg", { class: `key r${leaf.rank}`, width: 30, height: 8, "aria-hidden": "true" }, line);
};

function showTree() {
  const holder = byId("tree");
  holder.className = `scroll tree-box n${shown.leaves.length}`;
  holder.replaceChildren(shrinking(treePicture(shown, { nameOf, choices: wishes.choices }), 0.84));
  const facts = new Map(leafFacts(shown).map((leaf) => [leaf.way, leaf]));
  const outline = (place) => {
    const what = shown.at.get(place);
    const chosen = wishes.choices.has(place) ? make("span", { class: "used" }, " chosen") : null;
    if (isLeaf(what)) {
      const leaf = facts.get(place);
      return [make("button", { type: "button", class: "link leaf", "data-place": place }, key(leaf, facts.size), " ", bdi(labelOf(leaf, nameOf))), chosen,
        make("span", { class: "limits" }, `${count(leaf.rows, "row")}, ${count(leaf.events, "event")}; ${leafWords(leaf)}`)];
    }
    return [make("button", { type: "button", class: "link", "data-place": place }, bdi(splits[what].text), "?"), chosen,
      make("ul", {}, ...["y", "n"].map((answer) => make("li", {}, make("b", { class: "way" }, answerText(shown, place + answer)), ...outline(place + answer))))];
  };
  byId("outline").className = `outline n${shown.leaves.length}`;
  byId("outline").replaceChildren(...outline("").filter(Boolean));
}

function showLeaves() {
  const facts = leafFacts(shown);
  const n = facts.length;
  const curvesBox = byId("curves");
  curvesBox.className = `n${n}`;
  curvesBox.replaceChildren(curvesPicture(shown, { nameOf, hasBands: byId("bands").checked }));
  const isShrunken = facts[0].isShrunken;
  const between = (low, high, how) => {
    if (low === null || !Number.isFinite(low)) return "";
    return high === null || !Number.isFinite(high) ? `(${how(low)} or more)` : `(${how(low)} to ${how(high)})`;
  };
  const head = ["Group", "Name", "Where", "Rows", "Events", ...(data.has_medians ? ["Median"] : []), ...data.times.map((time) => `At ${withUnit(numeral(time))}`)];
  const reached = (value) => (Number.isFinite(value) ? numeral(value) : "not reached");
  const estimate = (predicted, own, how) => [isShrunken ? how(predicted) : how(own.value),
    isShrunken ? make("span", { class: "limits own" }, make("span", { class: "nowrap" }, "Kaplan-Meier"), " ", make("span", { class: "nowrap" }, how(own.value))) : null,
    make("span", { class: "limits" }, between(own.low, own.high, how))];
  const rows = facts.map((leaf) => make("tr", { "data-leaf": leaf.rank, class: `r${leaf.rank}` },
    make("th", { scope: "row" }, key(leaf, n), ` ${leaf.group}`),
    make("td", {}, nameField(leaf)),
    make("td", { class: "words" }, ...(leaf.where.length ? leaf.where.flatMap((text, k) => [k ? make("span", { class: "and" }, " and ") : "", bdi(text)]) : ["all rows"])),
    make("td", {}, count(leaf.rows)), make("td", {}, count(leaf.events)),
    data.has_medians ? make("td", {}, ...estimate(leaf.predictedMedian, leaf.median, reached)) : null,
    ...data.times.map((_, k) => make("td", {}, ...estimate(leaf.predictedSurvival[k], leaf.survival[k], (share) => percent(share))))));
  byId("leaves").className = `leaves n${n}`;
  byId("leaves").replaceChildren(
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col", class: text === "Where" || text === "Name" ? "words" : null }, text)))),
    make("tbody", {}, ...rows));
}

// A name must be short, and another than those of the other leaves, or the model file is refused.
function nameField(leaf) {
  const field = make("input", { type: "text", maxlength: 100, "aria-label": `Name of group ${leaf.group}`, placeholder: `Group ${leaf.group}` });
  field.value = nameOf(leaf);
  field.addEventListener("change", () => {
    const name = field.value.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu, " ").trim();
    const isTaken = leafFacts(shown).some((other) => other.rank !== leaf.rank && nameOf(other) === name);
    if (name && isTaken) {
      field.setCustomValidity("Another leaf of this tree has this name.");
      field.reportValidity();
      return;
    }
    field.setCustomValidity("");
    if (name) names.set(leaf.curveNumber, name);
    else names.delete(leaf.curveNumber);
    showTree();
    select(selected);
    byId("curves").replaceChildren(curvesPicture(shown, { nameOf, hasBands: byId("bands").checked }));
    showPinned();
  });
  return field;
}

function showColumns() {
  for (const box of document.querySelectorAll("[data-column]")) {
    const column = Number(box.dataset.column);
    const costs = columnCosts(column, { ...wishes, only: null });
    for (const kind of ["with", "without"]) {
      const tree = costs[kind];
      box.querySelector(`.cost-${kind}`).textContent = tree ? (tree.cost <= TINY ? "best" : `+${costShare(tree.cost)}`) : "not here";
    }
    const state = wishes.use.has(column) ? "with" : wishes.avoid.has(column) ? "without" : "any";
    box.querySelector(`input[value="${state}"]`).checked = true;
  }
  byId("most").value = wishes.most ?? "";
  byId("rows").value = wishes.rows || "";
  byId("events").value = wishes.events || "";
}

function showList() {
  const found = matching({ ...wishes, only: null });
  const rows = found.slice(0, nListed).map((tree) => make("tr", { class: tree === shown ? "on" : null },
    make("th", { scope: "row" }, make("button", { type: "button", class: "link", "data-tree": tree.index, onclick: () => { wish((next) => { next.only = tree.index; }); byId("build").scrollIntoView(); } }, `Tree ${count(tree.index)}`)),
    make("td", {}, costText(tree.cost)), make("td", {}, count(tree.leaves.length)), make("td", {}, count(tree.depth)),
    make("td", {}, count(tree.rows)), make("td", {}, count(tree.events)),
    make("td", { class: "words" }, isLeaf(tree.at.get("")) ? "none" : bdi(splits[tree.at.get("")].text)),
    make("td", { class: "words" }, ...usedText(tree))));
  byId("trees").replaceChildren(...rows);
  byId("trees-note").textContent = `${count(found.length)} of ${count(nSet, "tree")}${found.length > nListed ? `, of which ${count(nListed)} are listed` : ""}.`;
  byId("trees-more").hidden = found.length <= nListed;
  const firsts = new Map();
  for (const tree of inSet) {
    if (!fits(tree, wishes)) continue;
    const what = standsAt(tree, "");
    if (!firsts.has(what)) firsts.set(what, { tree, n: 0 });
    firsts.get(what).n += 1;
  }
  const all = [...firsts];
  const most = Math.max(1, ...all.map(([, { n }]) => n));
  byId("firsts").replaceChildren(...all.slice(0, 12).map(([what, { tree, n }]) => make("tr", {},
    make("th", { scope: "row", class: "words" }, make("button", { type: "button", class: "link", onclick: () => { wish((next) => { next.choices = new Map([["", what]]); next.only = null; }); byId("build").scrollIntoView(); } }, bdi(what === "leaf" ? "no split" : splits[what].text))),
    make("td", {}, costText(tree.cost)), make("td", {}, count(n)), make("td", { class: "bar" }, make("meter", { min: 0, max: most, value: n, "aria-label": `${count(n)} trees` })))));
  byId("firsts-note").textContent = all.length > 12 ? `And ${count(all.length - 12)} other first splits.` : "";
}

function showPinned() {
  byId("pinned").hidden = !pinned.length;
  byId("pins").replaceChildren(...pinned.map((index) => {
    const tree = trees[index];
    return make("article", { class: `pin n${tree.leaves.length}`, "data-pin": index },
      make("h3", {}, titleOf(tree)),
      make("p", { class: "note" }, `${tree.cost <= TINY ? "The best objective" : `Objective ${costBoth(tree.cost)}`}; ${count(tree.leaves.length, "leaf")}, smallest ${count(tree.rows, "row")} and ${count(tree.events, "event")}. Splits on `, ...usedText(tree), "."),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${titleOf(tree)}, which may be wider than the screen` }, shrinking(treePicture(tree, { nameOf, isButton: false }), 0.6)),
      curvesPicture(tree, { nameOf }),
      make("p", { class: "actions" },
        make("button", { type: "button", onclick: () => { wish((next) => { Object.assign(next, noWishes(), { only: index }); }); byId("build").scrollIntoView(); } }, "Show"),
        make("button", { type: "button", onclick: () => { pinned.splice(pinned.indexOf(index), 1); showPinned(); byId("pin").disabled = pinned.includes(shown.index); byId("pin").focus(); } }, "Unpin")));
  }));
}

function showSizes() {
  if (!data.path.length) return;
  const at = data.path.findIndex((row) => row.tree === shown.index);
  const slider = byId("size");
  if (at >= 0) slider.value = at;
  const place = Number(slider.value);
  const row = data.path[place];
  slider.setAttribute("aria-valuetext", count(row.leaves, "leaf"));
  byId("size-chart").replaceChildren(sizesPicture(place));
  for (const each of document.querySelectorAll("#size-table tr[data-size]")) each.classList.toggle("on", Number(each.dataset.size) === place);
  byId("size-said").textContent = `${count(row.leaves, "leaf")}: ${data.score.toLowerCase()} on the training rows ${percent(1 - row.ratio, 1)} of that of one curve for all`
    + (row.held_out === null ? "." : `; cross-validated ${percent(1 - row.held_out, 1)}${row.error === null ? "" : ` ± ${percent(row.error, 1)}`}.`);
}

function show(isFound = true) {
  showState(isFound);
  showTree();
  select(selected);
  showLeaves();
  showColumns();
  showList();
  showSizes();
}

// Only what the focus was on is drawn again, so the keyboard must be brought back to it.
function keepingFocus(action) {
  const place = document.activeElement?.dataset?.place;
  const holder = document.activeElement?.closest?.("#tree, #outline")?.id;
  action();
  if (place !== undefined && holder) document.querySelector(`#${holder} [data-place="${place}"]`)?.focus();
}

for (const id of ["tree", "outline"]) {
  byId(id).addEventListener("click", (event) => {
    const box = event.target.closest("[data-place]");
    if (!box) return;
    select(box.dataset.place);
    if (id === "outline") byId("alternatives").scrollIntoView({ block: "nearest" });
  });
}
byId("tree").addEventListener("keydown", (event) => {
  const box = event.target.closest("[data-place]");
  if (!box || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  select(box.dataset.place);
  byId("options").querySelector("button")?.focus(); // Escape brings the focus back to the box
});
byId("alternatives").addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.querySelector(`#tree [data-place="${selected}"]`)?.focus();
});
for (const query of ["#tree", "#leaves", "#curves"]) {
  const light = (event) => {
    const rank = event.type === "pointerover" || event.type === "focusin" ? event.target.closest("[data-leaf]")?.dataset.leaf : undefined;
    byId("curves").firstElementChild?.classList.toggle("highlighting", rank !== undefined);
    for (const each of document.querySelectorAll("#curves [data-leaf], #leaves [data-leaf]")) each.classList.toggle("on", each.dataset.leaf === rank);
  };
  for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) document.querySelector(query).addEventListener(kind, light);
}

byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("change", (event) => {
  const { target } = event;
  const column = target.closest("[data-column]")?.dataset.column;
  if (column !== undefined) {
    wish((next) => {
      next.only = null;
      next.use.delete(Number(column));
      next.avoid.delete(Number(column));
      if (target.value === "with") next.use.add(Number(column));
      if (target.value === "without") next.avoid.add(Number(column));
    });
    return;
  }
  const value = target.value === "" ? null : Math.max(0, Number(target.value));
  wish((next) => {
    next.only = null;
    next[target.id] = target.id === "most" ? value : value ?? 0;
  });
});
byId("again").addEventListener("click", () => { wish((next) => Object.assign(next, noWishes())); byId("again").focus(); });
byId("undo").addEventListener("click", () => {
  wishes = before.pop() ?? noWishes();
  follow();
});
byId("pin").addEventListener("click", () => {
  pinned.push(shown.index);
  byId("pin").disabled = true;
  showPinned();
});
byId("bands").addEventListener("change", () => byId("curves").replaceChildren(curvesPicture(shown, { nameOf, hasBands: byId("bands").checked })));
byId("trees-more").addEventListener("click", () => { nListed += 100; showList(); });
byId("size")?.addEventListener("input", () => {
  const row = data.path[Number(byId("size").value)];
  keepingFocus(() => wish((next) => { Object.assign(next, noWishes()); next.only = row.tree; }));
});
for (const row of document.querySelectorAll("#size-table button")) {
  row.addEventListener("click", () => { byId("size").value = row.dataset.size; byId("size").dispatchEvent(new Event("input")); });
}

const fileName = (ending) => {
  const kind = isInSet(shown) ? `tree-${shown.index}` : `tree-${shown.leaves.length}-leaves`;
  return `${kind}${ending}`;
};
byId("save-model").addEventListener("click", () => save(fileName(".json"), modelFile(shown, leafFacts(shown).map(nameOf)), "application/json"));
byId("save-tree").addEventListener("click", () => save(fileName(".svg"), svgText(treePicture(shown, { nameOf, isButton: false })), "image/svg+xml"));
byId("save-curves").addEventListener("click", () => save(fileName("-curves.svg"), svgText(curvesPicture(shown, { nameOf, hasBands: byId("bands").checked })), "image/svg+xml"));
byId("save-table").addEventListener("click", () => save(fileName("-leaves.csv"), leafCsv(shown, nameOf), "text/csv"));

document.documentElement.classList.add("scripted");
if (innerWidth <= 640) byId("wishes").open = false; // a phone shows the tree first
showPinned();
show();
