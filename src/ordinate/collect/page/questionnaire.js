// A questionnaire as a form: draws its questions, shows those whose condition holds, reads the answers.
"use strict";

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// The part of the form that asks one question; value() is null without an answer.
function drawAsk(ask, texts) {
  const id = `ask-${ask.name}`;
  const named = ["choice", "choices", "scale"].includes(ask.kind);
  const optional = ask.required ? [] : [" ", element("small", { textContent: texts.optional })];
  const error = element("p", { className: "error", id: `${id}-error` });
  error.setAttribute("role", "alert");
  const question = named
    ? element("fieldset", { className: `ask ${ask.kind}` }, element("legend", {}, ask.ask, ...optional))
    : element("div", { className: "ask" }, element("label", { htmlFor: id }, ask.ask, ...optional));
  let inputs, value;
  if (ask.kind === "number") {
    inputs = [element("input", { id, type: "number", step: "any", inputMode: "decimal" })];
    value = () => (inputs[0].value.trim() === "" ? (inputs[0].validity.badInput ? NaN : null) : Number(inputs[0].value));
    question.append(inputs[0]);
  } else if (ask.kind === "text") {
    inputs = [ask.lines > 1 ? element("textarea", { id, rows: ask.lines }) : element("input", { id, type: "text" })];
    inputs[0].maxLength = 5000;
    value = () => inputs[0].value.trim() || null;
    question.append(inputs[0]);
  } else {
    const scale = ask.kind === "scale";
    const values = scale ? Array.from({ length: ask.points }, (_, at) => at + 1) : ask.values;
    const type = ask.kind === "choices" ? "checkbox" : "radio";
    inputs = values.map((_, at) => element("input", { type, name: id, id: `${id}-${at}`, value: String(at) }));
    const labels = inputs.map((input, at) => element("label", {}, input, element("span", { textContent: scale ? values[at] : ask.options[at] })));
    const row = element("div", { className: "answers" }, ...labels);
    if (scale) {
      if (ask.low) row.prepend(element("span", { className: "end", textContent: ask.low }));
      if (ask.high) row.append(element("span", { className: "end", textContent: ask.high }));
    }
    question.append(row);
    value = () => {
      const chosen = values.filter((_, at) => inputs[at].checked);
      return ask.kind === "choices" ? (chosen.length ? chosen : null) : chosen[0] ?? null;
    };
  }
  for (const input of inputs) input.setAttribute("aria-describedby", error.id);
  question.append(error);
  const restore = (answer) => {
    if (answer === null || answer === undefined) return;
    if (!named) { inputs[0].value = answer; return; }
    const chosen = [answer].flat();
    inputs.forEach((input, at) => { input.checked = chosen.includes(ask.kind === "scale" ? at + 1 : ask.values[at]); });
  };
  // What is wrong with the answer, in the participant's language; empty if nothing is.
  const fault = () => {
    const given = value();
    if (given === null) return ask.required ? texts.answer_needed : "";
    if (ask.kind !== "number") return "";
    const least = ask.minimum ?? -Infinity, most = ask.maximum ?? Infinity;
    if (given >= least && given <= most) return "";
    if (Number.isFinite(least) && Number.isFinite(most)) return fill(texts.number_between, { least, most });
    return Number.isFinite(least) ? fill(texts.number_least, { least }) : Number.isFinite(most) ? fill(texts.number_most, { most }) : texts.number_needed;
  };
  return { ask, question, inputs, value, restore, fault, error };
}

// Draws a questionnaire into a form. `earlier` are answers of before, `draft` what was filled in before a reload.
function drawQuestionnaire(form, asks, texts, earlier, draft) {
  const drawn = asks.map((ask) => drawAsk(ask, texts));
  for (const { ask, restore } of drawn) restore(draft[ask.name]);
  const answers = () => {
    const known = { ...earlier }, given = {};
    for (const { ask, question, value } of drawn) {
      delete known[ask.name];
      const shown = Object.entries(ask.show_if).every(([name, wanted]) => [known[name]].flat().some((answer) => wanted.includes(answer)));
      question.hidden = !shown;
      const answer = shown ? value() : null;
      if (answer !== null) given[ask.name] = known[ask.name] = answer;
    }
    return given;
  };
  form.replaceChildren(...drawn.map(({ question }) => question));
  answers();
  // Whether all is answered as it should be; if not, says so beside the first question that is not.
  const complete = () => {
    let first = null;
    for (const { question, inputs, fault, error } of drawn) {
      error.textContent = question.hidden ? "" : fault();
      if (error.textContent) first ??= inputs[0];
      for (const input of inputs) input.setAttribute("aria-invalid", String(error.textContent !== ""));
    }
    first?.focus();
    return first === null;
  };
  return { answers, complete };
}
