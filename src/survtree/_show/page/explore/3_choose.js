// Which trees agree with what the user wants. Nothing here touches the page.
//
// wishes.choices: what stands at a place of the tree, as in tree.at, where the user chose it;
// "leaf" where no split is wanted. wishes.only: one tree that the user picked from a list.
const noWishes = () => ({
  choices: new Map(), use: new Set(), avoid: new Set(), most: null, rows: 0, events: 0, only: null,
});
const copyOf = (wishes) => ({
  ...wishes, choices: new Map(wishes.choices), use: new Set(wishes.use), avoid: new Set(wishes.avoid),
});

const standsAt = (tree, place) => {
  const what = tree.at.get(place);
  return what !== undefined && isLeaf(what) ? "leaf" : what;
};
function agrees(tree, choices) {
  for (const [place, what] of choices) if (standsAt(tree, place) !== what) return false;
  return true;
}
function fits(tree, wishes) {
  if (wishes.most !== null && tree.leaves.length > wishes.most) return false;
  if (tree.rows < wishes.rows || tree.events < wishes.events) return false;
  for (const column of wishes.use) if (!tree.used.has(column)) return false;
  for (const column of wishes.avoid) if (tree.used.has(column)) return false;
  return true;
}
const satisfies = (tree, wishes) => fits(tree, wishes) && agrees(tree, wishes.choices);
const inSet = trees.slice(0, nSet);
const outside = trees.slice(nSet).sort((one, other) => one.cost - other.cost);
const matching = (wishes) => inSet.filter((tree) => satisfies(tree, wishes));

// Of trees outside the set it is only known whether they are best for a wish about one column. Then
// they are also best for that wish and any others that they fulfil: more wishes leave fewer trees.
function isProvenFor(tree, { use, avoid }) {
  const isWished = { with: (column) => use.has(column), without: (column) => avoid.has(column) };
  return data.asked.some((each) => each.tree === tree.index && each.is_proven && isWished[each.kind](each.column));
}

// The best tree of all for the wishes, if the page knows it: of the set, or one that was asked for.
// Of trees that divide the rows in the same way the set has one, so one outside may be cheaper.
function bestFor(wishes) {
  const here = inSet.find((tree) => satisfies(tree, wishes));
  const there = outside.find((tree) => satisfies(tree, wishes) && isProvenFor(tree, wishes));
  return here && there && there.cost < here.cost - TINY ? there : here ?? there;
}

// The call of Python that finds the best tree for wishes beyond the set, if there is one.
function callFor({ use, avoid, choices, most, rows, events }) {
  if (choices.size || rows || events) return null;
  const listed = (kind, set) => (set.size ? [`${kind}=${JSON.stringify([...set].map((column) => columns[column].name))}`] : []);
  const leaves = most === null ? [] : [`max_leaves=${most}`];
  return `near.best(${[...listed("uses", use), ...listed("avoids", avoid), ...leaves].join(", ")})`;
}

// What can stand at a place of the tree that is shown, each with the best tree that has it there.
// The splits above it are those shown; choices elsewhere hold; those below are about other rows.
function alternatives(shown, place, wishes) {
  const fixed = new Map([...wishes.choices].filter(([way]) => !way.startsWith(place)));
  for (let n = 0; n < place.length; n += 1) {
    const above = place.slice(0, n);
    fixed.set(above, standsAt(shown, above));
  }
  const found = new Map();
  for (const tree of inSet) {
    const what = standsAt(tree, place);
    if (found.has(what) || !fits(tree, wishes) || !agrees(tree, fixed)) continue;
    found.set(what, tree);
  }
  return [...found].map(([what, tree]) => ({ what, tree, choices: new Map(fixed).set(place, what) }));
}

// The cheapest few, and of each column the cheapest: many others are neighbouring cuts.
function worthShowing(list, most) {
  const seen = new Set();
  return list.filter(({ what }, k) => {
    const key = what === "leaf" ? "leaf" : splits[what].column;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew || k < most;
  });
}

// What a column costs given all other wishes: the best tree with it, and without it.
function columnCosts(column, wishes) {
  const others = copyOf(wishes);
  others.use.delete(column);
  others.avoid.delete(column);
  const free = bestFor(others);
  const best = (kind) => {
    const more = { ...others, [kind]: new Set(others[kind]).add(column) };
    return free && satisfies(free, more) ? free : bestFor(more); // the best of more trees is the best
  };
  return { with: best("use"), without: best("avoid") };
}
