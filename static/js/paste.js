// Comfort for the box that errors are pasted into: it tells what it recognizes, takes log files, and hides secrets
// before anything is sent. All words stand in the page or come from the server.
(() => {
  "use strict";

  const form = document.querySelector(".paste");
  if (!form) return;
  const box = form.querySelector("textarea");
  const frame = form.querySelector(".paste-box");
  const told = form.querySelector(".paste-told");
  const chooser = form.querySelector(".paste-file");
  const notes = form.querySelector(".paste-notes");
  const idle = [told.innerHTML, notes.innerHTML];
  const { mask } = globalThis.faultbook;
  const encoder = new TextEncoder();
  const MOST = 256 * 1024; // bytes that the server reads
  const SPARE = 24 * 1024; // read of a file beyond them, so that no secret begins before its text
  const LOOKED_AT = 64 * 1024; // bytes that are sent to see what is in them
  const SHORTEST = 3;
  const SOONEST = 250; // ms after the last key

  let timer = 0;
  let pause = SOONEST;
  let asked = "";
  let part = ""; // what the box holds of a file that is longer
  let request = new AbortController();
  let reached = false; // whether the server answered, though the browser knows of no network

  // The last `most` bytes of a text, from the beginning of a line.
  function lastPart(text, most) {
    const bytes = encoder.encode(text);
    if (bytes.length <= most) return text;
    const end = new TextDecoder().decode(bytes.subarray(-most)).replace(/^\ufffd+/, "");
    const line = end.indexOf("\n") + 1;
    return line < end.length / 2 ? end.slice(line) : end;
  }

  const isCut = (text) => (box.value === part || lastPart(text, MOST) !== text ? 1 : 0);

  // What changes is read out, so what stays the same is left alone.
  function show(place, html) {
    if (place.innerHTML !== html) place.innerHTML = html;
  }

  function tell(html) {
    const answer = document.createElement("template");
    answer.innerHTML = html;
    const noted = answer.content.querySelector(".paste-notes");
    noted?.remove();
    notes.classList.toggle("paste-noted", Boolean(noted));
    show(notes, noted?.innerHTML ?? idle[1]);
    show(told, answer.innerHTML.trim() || idle[0]);
  }

  function say(words) {
    const line = document.createElement("p");
    line.textContent = words;
    told.replaceChildren(line);
  }

  // What is still to come would be said over these words.
  function stop() {
    clearTimeout(timer);
    request.abort();
    asked = "";
  }

  function forget() {
    stop();
    tell("");
  }

  async function recognize() {
    if (box.value.trim().length < SHORTEST) return forget();
    const { text, count } = mask(box.value);
    const cut = isCut(text);
    const body = new URLSearchParams({ text: lastPart(text, LOOKED_AT), hidden: count, cut });
    if (asked === `${body}`) return;
    request.abort();
    request = new AbortController();
    asked = `${body}`;
    const began = performance.now();
    try {
      const answer = await fetch(form.dataset.recognize, { method: "POST", body, signal: request.signal });
      if (!answer.ok) throw new Error(answer.status);
      tell(await answer.text());
    } catch (error) {
      if (error.name === "AbortError") return;
      forget(); // the box works without
      if (!navigator.onLine) say(form.dataset.offline);
    }
    pause = Math.min(3000, Math.max(SOONEST, 3 * (performance.now() - began)));
  }

  function soon(delay) {
    clearTimeout(timer);
    timer = setTimeout(recognize, delay);
  }

  async function take(file) {
    if (!file) return;
    try {
      const start = Math.max(0, file.size - MOST - SPARE);
      const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer());
      const wide = { "255,254": "utf-16le", "254,255": "utf-16be" }[mark.join()];
      const bytes = await file.slice(start - (start % 2)).arrayBuffer();
      const text = new TextDecoder(wide ?? "utf-8").decode(bytes);
      if (text.includes("\0") || !text.trim()) {
        stop();
        say(form.dataset.binary);
        return;
      }
      box.value = start ? text.slice(text.indexOf("\n") + 1) : text;
      part = start ? box.value : "";
      box.scrollTop = box.scrollHeight;
      grow();
      soon(0);
      box.focus();
    } catch {
      stop();
      say(form.dataset.unreadable);
    }
  }

  // Where style alone does not let the box grow.
  function grow() {
    if (!CSS.supports("field-sizing", "content")) box.rows = Math.min(24, Math.max(5, box.value.split("\n", 24).length));
  }

  box.addEventListener("input", (event) => {
    grow();
    soon(event.inputType?.startsWith("insertFrom") || !box.value ? 0 : pause);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });

  form.querySelector(".paste-choose").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    take(chooser.files[0]);
    chooser.value = "";
  });

  // A file is taken wherever on the page it is dropped: missing the box would leave the page.
  const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    frame.classList.add("paste-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) frame.classList.remove("paste-over");
  });
  document.addEventListener("drop", (event) => {
    frame.classList.remove("paste-over");
    if (!holdsFile(event)) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });

  // Without a network the page would make room for the browser's own words, and the text be gone from the screen. A
  // server on this machine answers all the same, so it is asked.
  async function sendIfReached() {
    try {
      await fetch(form.dataset.recognize, { method: "POST", body: new URLSearchParams({ text: "" }) });
      reached = true;
      form.requestSubmit();
    } catch {
      say(form.dataset.offline);
    }
  }

  // Whichever way the form is sent, what leaves is the text without its secrets.
  form.addEventListener("formdata", ({ formData }) => {
    const { text, count } = mask(box.value);
    formData.set("text", lastPart(text, MOST));
    formData.set("hidden", count);
    formData.set("cut", isCut(text));
  });
  form.addEventListener("submit", (event) => {
    stop();
    if (!navigator.onLine && !reached) {
      event.preventDefault();
      sendIfReached();
      return;
    }
    reached = false;
    timer = setTimeout(() => {
      frame.classList.add("paste-sending");
      say(form.dataset.sending);
    }, 300);
  });
  addEventListener("online", () => soon(0));
  addEventListener("pageshow", () => {
    frame.classList.remove("paste-sending");
    asked = "";
    grow();
    soon(0);
  });
})();
