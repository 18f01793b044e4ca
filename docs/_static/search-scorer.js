// How found pages are ordered: those for users first. Records of decisions and changes have many of
// the same words, and are for those who ask for them. The numbers but `score` are Sphinx's own.
var Scorer = {
  score: (result) => {
    const [page, , , , score] = result;
    if (/^(decisions|changelog|contributing)/.test(page)) return score / 10;
    if (/^(tutorial|how-to|explanation)/.test(page)) return score * 2;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
