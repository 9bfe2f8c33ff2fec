/* A jsPsych plugin that asks the questions of a running Ordinate study.

   One trial asks one question: it takes the next one from the server, shows it, and sends the
   answer until the server has it. A timeline that loops over it is a whole session; see index.html.
   Works with jsPsych 7 and 8. */
"use strict";

const OrdinatePlugin = (() => {
  const info = {
    name: "ordinate",
    version: "1.0.0",
    parameters: {
      server: { type: "STRING", default: undefined }, // address of the study, with a slash at its end
      token: { type: "STRING", default: undefined }, // of this front end; `ordinate collect serve` showed it
      participant: { type: "STRING", default: undefined },
    },
    data: {
      done: { type: "BOOL" }, // whether there was no question left
      code: { type: "STRING" }, // the completion code, once done
      trial: { type: "STRING" }, // id of the question in the study's tables
      chosen: { type: "INT", array: true },
      rt: { type: "FLOAT" },
    },
  };
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /* Ask the server until it answers; a lost connection is waited for, a refusal is an error. */
  async function request(trial, path, body) {
    const headers = { authorization: `Bearer ${trial.token}` };
    if (body) headers["content-type"] = "application/json";
    for (let wait = 500; ; wait = Math.min(2 * wait, 10000)) {
      let reply;
      try {
        reply = await fetch(new URL(path, trial.server), { method: body ? "POST" : "GET", headers, body });
      } catch {
        await pause(wait);
        continue;
      }
      if (reply.ok) return reply.json();
      if (![429, 503, 507].includes(reply.status)) throw new Error((await reply.json()).message);
      await pause(wait);
    }
  }

  /* Return an element that shows an item, and a promise of its having been loaded. */
  function show(item, server) {
    const tags = { image: "img", audio: "audio", video: "video" };
    const element = document.createElement(tags[item.kind] ?? "span");
    let loaded = Promise.resolve();
    if (item.kind === "text") element.textContent = item.text;
    else if (item.kind === "html") element.innerHTML = item.html; // the server has sanitised it
    else {
      element.src = new URL(item.src, server).href;
      if (item.kind === "image") {
        element.alt = item.alt;
        loaded = element.decode();
      } else element.controls = true;
    }
    return [element, loaded];
  }

  class OrdinatePlugin {
    static info = info;
    constructor(jsPsych) {
      this.jsPsych = jsPsych;
    }

    async trial(display, trial) {
      const who = encodeURIComponent(trial.participant);
      const asked = await request(trial, `api/next?participant=${who}`);
      if (asked.done) return this.jsPsych.finishTrial({ done: true, code: asked.code });
      const { chosen, times, began } = await this.ask(display, asked, trial.server);
      const rt = times[times.length - 1];
      const answer = { trial: asked.trial, chosen, rt_ms: rt, click_ms: times };
      const body = JSON.stringify({ participant: trial.participant, answers: [answer] });
      await request(trial, "api/answers", body);
      display.replaceChildren();
      this.jsPsych.finishTrial({ done: false, trial: asked.trial, chosen, rt, began });
    }

    /* Show a question and wait until so many options are chosen as it wants. */
    async ask(display, asked, server) {
      const loading = [];
      const add = (parent, item) => {
        const [element, loaded] = show(item, server);
        loading.push(loaded);
        parent.append(element, " ");
      };
      const question = Object.assign(document.createElement("p"), { textContent: asked.question });
      const reference = Object.assign(document.createElement("p"), { className: "ordinate-reference" });
      if (asked.reference) add(reference, asked.reference);
      const row = Object.assign(document.createElement("div"), { className: "ordinate-options" });
      for (const places of asked.options) {
        const button = Object.assign(document.createElement("button"), { className: "jspsych-btn" });
        for (const place of places) add(button, asked.shown[place]);
        if (!places.length) button.textContent = "no difference";
        row.append(button);
      }
      await Promise.allSettled(loading);
      display.replaceChildren(question, reference, row);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const began = performance.now();
      const chosen = [], times = [];
      await new Promise((resolve) => [...row.children].forEach((button, number) => {
        button.addEventListener("click", () => {
          chosen.push(number);
          times.push(Math.round(performance.now() - began));
          button.disabled = true;
          if (chosen.length === asked.n_select) resolve();
        });
      }));
      return { chosen, times, began };
    }
  }
  return OrdinatePlugin;
})();
