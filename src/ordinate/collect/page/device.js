// What a study needs of a device, checked before consent: nothing of it is stored unless somebody takes part.
"use strict";

const CARD_MM = 85.6; // the width of a bank card, ISO/IEC 7810
const SOUND_TRIES = 3;
const MOST_TONES = 4;

function isPhone() {
  return navigator.userAgentData?.mobile ?? /iPhone|Android.*Mobile|Windows Phone/.test(navigator.userAgent);
}

// Fills `found` and returns which text says why the device will not do; an empty one if it will.
async function checkDevice(rules, found) {
  Object.assign(found, { width: window.innerWidth, height: window.innerHeight, phone: isPhone() });
  if (!rules.phones && found.phone) return "no_phones";
  if (found.width < rules.width || found.height < rules.height) return "too_small";
  if (rules.keyboard && !(found.keyboard = await hasKeyboard())) return "keyboard_needed";
  if (rules.sound && !(found.sound = await hearsTones())) return "sound_needed";
  if (rules.card) found.px_per_mm = await measureCard();
  return "";
}

function hasKeyboard() {
  return new Promise((done) => {
    const pressed = (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      finish(true);
    };
    const finish = (answer) => { document.removeEventListener("keydown", pressed); done(answer); };
    document.addEventListener("keydown", pressed);
    message(texts.keyboard_check, "", [[texts.no_keyboard, () => finish(false), false]]);
  });
}

async function hearsTones() {
  for (let tries = 0, note = ""; tries < SOUND_TRIES; tries++, note = texts.sound_wrong) {
    if (!(await ask(texts.sound_check, note, [[texts.sound_play, true], [texts.no_sound, false]]))) return false;
    const count = 1 + Math.floor(Math.random() * MOST_TONES);
    await playTones(count);
    const choices = Array.from({ length: MOST_TONES + 1 }, (_, at) => [String(at + 1), at + 1]);
    const heard = await ask(texts.sound_check, "", [...choices, [texts.no_sound, 0]]);
    if (heard === count) return true;
    if (heard === 0) return false;
  }
  return false;
}

async function playTones(count) {
  const audio = new AudioContext();
  for (let number = 0; number < count; number++) {
    const tone = audio.createOscillator();
    const loudness = audio.createGain();
    loudness.gain.value = 0.3;
    tone.frequency.value = 600;
    tone.connect(loudness).connect(audio.destination);
    tone.start(audio.currentTime + 0.1 + 0.5 * number);
    tone.stop(audio.currentTime + 0.35 + 0.5 * number);
  }
  await wait(100 + 500 * count);
  audio.close();
}

function measureCard() {
  const draw = () => $("card-frame").style.setProperty("--card", `${$("card-width").value}px`);
  $("card-width").oninput = draw;
  draw();
  show("card");
  return new Promise((done) => { $("card-done").onclick = () => done(Number(($("card-width").value / CARD_MM).toFixed(3))); });
}
