"use strict";
(() => {
  const entries = [...document.querySelectorAll("[data-id]")];
  const children = new Map();
  const byId = new Map();
  for (const entry of entries) {
    const parent = entry.dataset.parent || "";
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(entry);
    byId.set(entry.dataset.id, entry);
  }
  const chosen = new Map();
  for (const [parent, list] of children) {
    const onPath = list.findIndex((entry) => entry.dataset.path === "yes");
    chosen.set(parent, onPath < 0 ? list.length - 1 : onPath);
  }
  const show = () => {
    const visible = new Set();
    let parent = "";
    while (children.has(parent)) {
      const next = children.get(parent)[chosen.get(parent)];
      if (visible.has(next)) break;
      visible.add(next);
      parent = next.dataset.id;
    }
    let shown = true;
    for (const node of document.querySelector("main").children) {
      if (node.dataset.id) shown = visible.has(node);
      node.hidden = !shown;
    }
  };
  const reach = (entry) => {
    for (let at = entry; at; at = byId.get(at.dataset.parent)) {
      const parent = at.dataset.parent || "";
      chosen.set(parent, children.get(parent).indexOf(at));
    }
    show();
  };
  for (const [parent, list] of children) {
    if (list.length < 2) continue;
    list.forEach((entry, index) => {
      const box = document.createElement("span");
      box.className = "switch";
      const step = (by, sign, name) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = sign;
        button.setAttribute("aria-label", name);
        button.addEventListener("click", () => {
          const to = (index + by + list.length) % list.length;
          chosen.set(parent, to);
          show();
          const focus = list[to].querySelector(`.switch button:${by < 0 ? "first" : "last"}-of-type`);
          if (focus) focus.focus();
          list[to].scrollIntoView({ block: "nearest" });
        });
        return button;
      };
      const count = document.createElement("span");
      count.textContent = `${index + 1} of ${list.length}`;
      box.append(step(-1, "‹", "branch before"), count, step(1, "›", "next branch"));
      entry.querySelector("header").append(box);
    });
  }
  const follow = () => {
    const entry = byId.get(location.hash.replace("#e", ""));
    if (!entry) return;
    reach(entry);
    entry.scrollIntoView();
  };
  for (const note of document.querySelectorAll("p.from")) note.hidden = true;
  show();
  follow();
  addEventListener("hashchange", follow);
  const calls = [...document.querySelectorAll("details.call")];
  const bar = document.querySelector(".bar");
  if (calls.length && bar) {
    bar.hidden = false;
    bar.querySelector("[data-act=open]").addEventListener("click", () => calls.forEach((it) => (it.open = true)));
    bar.querySelector("[data-act=close]").addEventListener("click", () => calls.forEach((it) => (it.open = false)));
  }
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = calls.filter((it) => !it.open);
    folded.forEach((it) => (it.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((it) => (it.open = false)));
})();
