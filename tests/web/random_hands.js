/** Drags, keys, clicks, choices and links at random: what was done, and what went wrong. */
async ([seed, steps]) => {
  let state = seed;
  const random = () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
  const pick = (all) => all[Math.floor(random() * all.length)];
  const all = (selector) => [...document.querySelectorAll(`main ${selector}`)].filter((one) => !one.disabled);
  const explorer = globalThis.sufficeExplorer;
  const { overlay, layers } = explorer.drawing;
  const done = [], wrong = [];
  const report = (what) => wrong.push(`${what} after ${done.slice(-5).join(" > ")}`);
  addEventListener("error", (event) => report(event.message));
  addEventListener("unhandledrejection", (event) => report(event.reason));
  // Nothing is saved, and synthetic pointers cannot be captured.
  navigator.clipboard.writeText = () => Promise.reject(new Error());
  HTMLAnchorElement.prototype.click = () => {};
  overlay.setPointerCapture = () => {};
  const point = (type, target) => {
    const box = overlay.getBoundingClientRect();
    const [clientX, clientY] = [box.left + box.width * random(), box.top + box.height * random()];
    target.dispatchEvent(new PointerEvent(type, { clientX, clientY, bubbles: true, cancelable: true, pointerType: pick(["mouse", "touch"]) }));
  };
  const change = (input, value, ...types) => {
    done.push(`${input.type} ${value}`);
    input.value = value;
    for (const type of types) input.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const acts = [
    () => {
      const target = pick([overlay, ...layers.handles.children]);
      done.push(`drag ${target.dataset.key} with ${explorer.hands.tool}`);
      point("pointerdown", target);
      for (let m = Math.floor(random() * 4); m > 0; m--) point("pointermove", overlay);
      point(pick(["pointerup", "pointerup", "pointercancel"]), overlay);
    },
    () => {
      const target = pick([...layers.handles.children]);
      const key = pick(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", "Escape", "Delete", "z"]);
      done.push(`${key} on ${target.dataset.key}`);
      target.focus();
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ctrlKey: key === "z" }));
    },
    () => {
      const button = pick(all("button"));
      done.push(button.textContent);
      button.click();
    },
    () => {
      const select = pick(all("select"));
      change(select, pick([...select.options]).value, "change");
    },
    () => all("input[type=range]").length && change(pick(all("input[type=range]")), pick([0, 1, random()]), "input", "change"),
    () => all("input[type=number]").length && change(pick(all("input[type=number]")), pick(["", 0, -3, 8 * random()]), "change"),
    () => {
      const { hash } = pick(explorer.presets);
      done.push(`open ${hash}`);
      explorer.open(hash);
    },
  ];
  for (let step = 0; step < steps && !wrong.length; step++) {
    pick(acts)();
    explorer.frame();
    const text = document.querySelector("main").innerText.match(/.{0,40}(undefined|NaN|\[object).{0,30}/);
    if (text) report(text[0]);
  }
  return [done.length, wrong];
}
