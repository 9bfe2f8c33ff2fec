"use strict";

// How search results are ordered: by Sphinx's own scores, to which each kind of page adds. First comes a name of the API
// that was typed in full, then what a newcomer reads from top to bottom.
const NAME = 20, GUIDE = 8;
const KINDS = [[/^tutorials\//, 12], [/^methods\//, 4], [/^auto_examples\//, 2], [/^(api|results|architecture)/, -6]];
const typed = new URLSearchParams(window.location.search).get("q") ?? "";

function bonus(page, title, kind) {
  const [name, owner] = title.split(".").reverse();
  if (kind === "object" && name === typed && owner === owner?.toLowerCase()) return NAME; // no method of a class
  return (KINDS.find(([pattern]) => pattern.test(page)) ?? ["", GUIDE])[1];
}

var Scorer = {
  score: ([page, title, , , score, , kind]) => score + bonus(page, title, kind),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
