// Shows the participant's page when it is reloaded without a connection. It begins with the session
// and goes with it; requests of the study itself never come here, nor does the experimenter's page.
"use strict";

const KEPT = `ordinate ${self.registration.scope}`; // the same as in participant.js
const FILES = ["./", "static/device.js", "static/questionnaire.js", "static/participant.js", "static/collect.css", "static/dark.css", "static/study.css", "static/icon.svg"];
const PATIENCE = 8000; // milliseconds until a connection that says nothing counts as lost
const addresses = new Set(FILES.map((file) => new URL(file, self.registration.scope).href));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll([...addresses])));
});

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  address.search = address.hash = "";
  if (event.request.method === "GET" && addresses.has(address.href)) event.respondWith(newest(address.href, event.request.url));
});

// The page is fetched with what its address asks for, such as a language, and kept without it.
async function newest(address, asked) {
  try {
    const response = await fetch(asked, { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE) });
    if (response.ok) {
      const copy = response.clone();
      caches.open(KEPT).then((kept) => kept.put(address, copy)).catch(() => {});
      return response;
    }
    return (await caches.match(address)) ?? response;
  } catch (error) {
    const kept = await caches.match(address);
    if (kept) return kept;
    throw error;
  }
}
