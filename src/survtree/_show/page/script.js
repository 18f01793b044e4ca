// Highlights paths through the tree, and finds the leaf of a row as OptimalSurvivalTree.apply does.
"use strict";
(() => {
  const { nodes, fields, leaves, labels } = JSON.parse(document.getElementById("facts").textContent);
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const tree = document.querySelector(".tree");
  const curves = document.querySelector(".curves");
  const followed = document.getElementById("followed");
  const answer = document.getElementById("answer");
  const form = document.getElementById("form");
  const parents = new Map();
  nodes.forEach((node, n) => {
    if ("yes" in node) for (const way of ["yes", "no"]) parents.set(node[way], { node: n, way });
  });
  const isLeaf = (n) => !("yes" in nodes[n]);

  function pathTo(n) {
    const path = [];
    for (let at = n; parents.has(at); at = parents.get(at).node) path.unshift(at);
    return path;
  }

  function leavesBelow(n) {
    return isLeaf(n) ? [n] : [...leavesBelow(nodes[n].yes), ...leavesBelow(nodes[n].no)];
  }

  // Text only ever becomes text: no name of a column or level can become markup.
  function show(place, lines) {
    place.replaceChildren(...lines.map((line) => {
      const paragraph = document.createElement("p");
      for (const part of [line].flat()) {
        const isText = typeof part === "string";
        const span = document.createElement(isText ? "bdi" : "b");
        span.textContent = isText ? part : part.bold;
        paragraph.append(span);
      }
      return paragraph;
    }));
  }

  function textOfPath(n) {
    const parts = pathTo(n).flatMap((at, k) => {
      const { node, way } = parents.get(at);
      const text = nodes[node].text;
      return [...(k ? [" and "] : []), way === "yes" ? text : `not (${text})`];
    });
    return parts.length ? parts : ["all rows"];
  }

  function linesOf(n) {
    if (isLeaf(n)) return [[{ bold: `${labels[n][0].toUpperCase()}${labels[n].slice(1)}: ` }, ...textOfPath(n)], leaves[n]];
    const { rows, events, text } = nodes[n];
    const counts = `${rows.toLocaleString("en")} rows, ${events.toLocaleString("en")} events`;
    return [[{ bold: "Path so far: " }, ...textOfPath(n)], `${counts}; next split: ${text}`];
  }

  let selected = null;

  function highlight(n) {
    const lit = new Set(n === null || n === 0 ? [] : leavesBelow(n).map(String));
    curves.classList.toggle("highlighting", lit.size > 0);
    for (const part of all("[data-leaf]")) part.classList.toggle("on", lit.has(part.dataset.leaf));
  }

  function select(n) {
    const path = new Set(n === null ? [] : [0, ...pathTo(n)].map(String));
    tree.classList.toggle("following", n !== null);
    for (const part of all("[data-node]", tree)) {
      part.classList.toggle("on", path.has(part.dataset.node));
      if (part.hasAttribute("aria-pressed")) part.setAttribute("aria-pressed", part.dataset.node === String(n));
    }
    selected = n;
    highlight(n);
    show(followed, n === null ? [] : linesOf(n));
  }

  for (const box of all(".node", tree)) {
    const n = Number(box.dataset.node);
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "button");
    box.setAttribute("aria-pressed", "false");
    for (const kind of ["mouseenter", "focus"]) box.addEventListener(kind, () => highlight(n));
    for (const kind of ["mouseleave", "blur"]) box.addEventListener(kind, () => highlight(selected));
    box.addEventListener("click", () => select(selected === n ? null : n));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      select(n);
    });
  }
  for (const row of all("tr[data-leaf], li[data-leaf]")) {
    row.addEventListener("mouseenter", () => highlight(Number(row.dataset.leaf)));
    row.addEventListener("mouseleave", () => highlight(selected));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") select(null);
  });

  // A value is undefined where nothing was entered yet, and null where it is missing.
  function valueOf(f) {
    const missing = form.querySelector(`[data-missing="${f}"]`);
    if (missing && missing.checked) return null;
    const { value } = form.querySelector(`[data-field="${f}"]`);
    if (value === "") return undefined;
    if (fields[f].kind === "number") return Number(value);
    if (fields[f].kind === "flag") return value === "0" ? 1 : 0;
    return value === "other" ? { isUnseen: true } : fields[f].choices[Number(value)];
  }

  // A missing value answers no to every question that does not ask for it.
  function isYes({ form, levels, low, high, is_yes_if_missing }, value) {
    if (value === null) return is_yes_if_missing;
    if (form === "missing") return false;
    if (form === "levels") return levels.includes(value);
    if (low === high) return value === high;
    return (low === null || value > low) && (high === null || value <= high);
  }

  function find() {
    let n = 0;
    while (!isLeaf(n)) {
      const value = valueOf(nodes[n].field);
      if (value === undefined) break;
      n = isYes(nodes[n].question, value) ? nodes[n].yes : nodes[n].no;
    }
    const isEmpty = fields.every((_, f) => valueOf(f) === undefined);
    select(isEmpty ? null : n);
    if (isLeaf(n)) {
      answer.dataset.found = n;
      show(answer, linesOf(n));
    } else {
      delete answer.dataset.found;
      show(answer, [["Enter next: ", { bold: fields[nodes[n].field].name || "(no name)" }]]);
    }
  }

  if (form) {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const f = event.target.dataset.missing;
      if (f !== undefined) form.querySelector(`[data-field="${f}"]`).disabled = event.target.checked;
      find();
    });
    form.addEventListener("reset", () => setTimeout(() => {
      for (const field of all("[data-field]", form)) field.disabled = false;
      find();
    }));
    find();
  }
  document.documentElement.classList.add("scripted");
})();
