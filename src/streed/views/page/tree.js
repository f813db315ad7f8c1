"use strict";

// Makes an element. Text always becomes a text node, so that no name can be read as markup.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);
const rowsText = (rows) => `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
const shortNumber = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));

// Text of 13 pixels is shrunk no further than this by itself.
const READABLE = 0.75;

// The tree on the page: draws one tree as nested lists, folds and unfolds, moves the focus, shows statistics.
const treeView = {
  tree: null,
  items: [],
  parents: [],

  show(tree) {
    this.tree = tree;
    this.items = [];
    this.parents = [-1];
    tree.nodes.forEach((node, number) => {
      if ("feature" in node) this.parents[node.left] = this.parents[node.right] = number;
    });
    const values = tree.nodes.filter((node) => "label" in node && node.value != null).map((node) => node.value);
    this.low = Math.min(0, ...values);
    this.high = Math.max(0, ...tree.nodes.filter((node) => "label" in node).map((node) => this.top(node)));
    const list = element("ul", { role: "tree", "aria-labelledby": "tree-title" });
    list.append(this.item(0, 1, ""));
    const longest = Math.max(...tree.classes.map((name) => name.length));
    list.style.setProperty("--chip", `${Math.min(22, Math.max(6, longest + 2))}ch`);
    const facts = tree.nodes.map((node) => this.facts(node).length);
    list.style.setProperty("--facts", `${0.9 * Math.max(...facts)}ch`);
    byId("tree").replaceChildren(list);
    this.arrange();
    this.items[0].tabIndex = 0;
    this.legend();
  },

  // The size that the buttons chose; null: whatever fits.
  scale: null,

  // Shrinks the tree to the room there is, but not so far that it cannot be read; returns whether it is whole.
  fit(width, height, least) {
    const list = byId("tree").firstElementChild;
    list.style.zoom = 1;
    const size = list.firstElementChild.getBoundingClientRect();
    const wanted = Math.min(1, width / size.width, height / size.height);
    list.style.zoom = Math.max(least, wanted);
    return wanted >= least;
  },

  // Beside the form if the tree can be read there, else above it; a tree that still is too wide can be moved.
  arrange() {
    const place = byId("tree");
    const main = place.closest("main");
    const room = () => place.clientWidth - 10;
    main.classList.remove("stacked");
    if (!this.fit(room(), Infinity, READABLE)) {
      main.classList.add("stacked");
      this.fit(room(), Infinity, READABLE);
    }
    if (this.scale !== null) place.firstElementChild.style.zoom = this.scale;
    byId("fit").setAttribute("aria-pressed", String(this.scale === null));
    rowView.lines();
  },

  // Steps of a quarter, from the size that is shown.
  resize(factor) {
    const now = Number(byId("tree").firstElementChild.style.zoom) || 1;
    this.scale = factor === null ? null : Math.min(3, Math.max(0.3, now * factor));
    this.arrange();
  },

  item(number, level, side) {
    const node = this.tree.nodes[number];
    const made = element("li", { role: "treeitem", "aria-level": level, "data-node": number, tabindex: -1 });
    this.items[number] = made;
    made.setAttribute("aria-label", `${side ? side + ": " : ""}${this.title(node)}, ${this.facts(node)}`);
    if (side) made.append(element("span", { class: "side" }, side));
    if ("label" in node) {
      made.append(this.leaf(node));
      return made;
    }
    made.setAttribute("aria-expanded", "true");
    const name = element("b", {}, `${this.tree.tests[node.feature].text.replaceAll(" <= ", " ≤\u00a0")}?`);
    const foot = element("span", { class: "foot" }, this.facts(node));
    if (node.weights && !this.tree.manyLabels) foot.prepend(this.bar(node));
    const sign = element("span", { class: "fold", "aria-hidden": "true" }, "−");
    made.append(element("div", { class: "box test" }, name, foot, sign));
    const group = element("ul", { role: "group" });
    group.append(this.item(node.left, level + 1, "no"), this.item(node.right, level + 1, "yes"));
    made.append(group);
    return made;
  },

  title(node) {
    return "label" in node ? this.tree.classes[node.label] : `${this.tree.tests[node.feature].text}?`;
  },

  // Rows, then the price of a test, or what a leaf is worth and what its rows paid for tests.
  facts(node) {
    const facts = [rowsText(node.rows)];
    if (!("label" in node)) {
      if ("price" in node) facts.push(`price ${shortNumber(node.price)}`);
      return facts.join(", ");
    }
    if (node.more) facts.push(node.more);
    if (this.tree.valueName) facts.push(`${this.tree.valueName} ${shortNumber(node.value)}`);
    else if (node.share) facts.push(node.share);
    else if (node.weights) facts.push(this.percent(node, node.label));
    if ("paid" in node) facts.push(`tests ${shortNumber(node.paid)}`);
    return facts.join(", ");
  },

  // Where the bar of a leaf ends: its value, with what its rows paid for tests on top.
  top(node) {
    return Math.max(0, node.value ?? 0) + (node.paid ?? 0);
  },

  percent(node, label) {
    const total = node.weights.reduce((sum, weight) => sum + weight, 0);
    return `${(total > 0 ? (100 * node.weights[label]) / total : 0).toFixed(1)} %`;
  },

  leaf(node) {
    const chip = element("span", { class: "chip" }, this.title(node));
    chip.style.background = this.tree.colors[node.label];
    chip.style.color = this.tree.inks[node.label];
    const box = element("div", { class: "box leaf" }, chip);
    if (node.shape) box.append(this.shape(node, this.tree.colors[node.label]));
    else if (this.tree.valueName || node.weights) box.append(this.bar(node));
    box.append(element("span", { class: "facts" }, this.facts(node)));
    return box;
  },

  // Class shares side by side, or only that of the label if there are too many for colours; or one bar from zero to the leaf's value, on the scale of all leaves.
  bar(node) {
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    const piece = (start, share, color) => {
      const made = element("i");
      made.style.cssText = `margin-left:${100 * start}%;width:${100 * share}%;background:${color}`;
      bar.append(made);
    };
    if (this.tree.valueName && "label" in node) {
      const range = this.high - this.low || 1;
      const [zero, end, top] = [0, node.value ?? 0, this.top(node)].map((value) => (value - this.low) / range);
      piece(Math.min(zero, end), Math.abs(end - zero), "var(--grey)");
      if (node.paid) piece(0, top - Math.max(zero, end), "var(--tests)");
    } else {
      const amounts = node.counts ?? node.weights;
      const total = amounts.reduce((sum, weight) => sum + weight, 0) || 1;
      amounts.forEach((weight, label) => {
        if (!this.tree.manyLabels || label === node.label) piece(0, weight / total, this.tree.colors[label]);
      });
    }
    return bar;
  },

  // The distribution of a leaf's targets, or its survival curve, as a filled area.
  shape(node, color) {
    const svg = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(svg, "svg");
    const set = (made, attributes) => Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    set(picture, { class: "shape", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    const area = document.createElementNS(svg, "path");
    const points = node.shape.map(([x, y]) => `L${100 * x} ${100 - 100 * y}`).join("");
    set(area, { d: `M0 100${points}L100 100Z`, fill: color });
    picture.append(area);
    return picture;
  },

  legend() {
    const entries = this.tree.nodes[0].weights && !this.tree.manyLabels ? this.tree.classes.map((name, label) => [name, this.tree.colors[label]]) : [];
    if (this.tree.shapeName) entries.push([this.tree.shapeName, "var(--grey)"]);
    else if (this.tree.valueName) entries.push([`${this.tree.valueName} per row`, "var(--grey)"]);
    if (this.tree.valueName && "paid" in this.tree.nodes[0]) entries.push(["tests per row", "var(--tests)"]);
    byId("legend").replaceChildren(
      ...entries.map(([name, color]) => {
        const mark = element("i");
        mark.style.background = color;
        return element("span", {}, mark, name);
      }),
    );
  },

  fold(number, folded) {
    const item = this.items[number];
    if (!item.hasAttribute("aria-expanded")) return;
    item.setAttribute("aria-expanded", String(!folded));
    item.querySelector(".fold").textContent = folded ? "+" : "−";
    rowView.lines();
    if (folded && item.contains(document.activeElement)) item.focus();
  },

  isFolded(number) {
    return this.items[number].getAttribute("aria-expanded") === "false";
  },

  // Unfolds whatever hides a node.
  reveal(number) {
    for (let above = this.parents[number]; above >= 0; above = this.parents[above]) this.fold(above, false);
  },

  focus(number) {
    for (const item of this.items) item.tabIndex = -1;
    this.items[number].tabIndex = 0;
    this.items[number].focus();
  },

  // Numbers of the nodes that can be seen, from top to bottom.
  visible() {
    const all = [...byId("tree").querySelectorAll("li")].map((item) => Number(item.dataset.node));
    const hidden = (number) => {
      for (let above = this.parents[number]; above >= 0; above = this.parents[above]) {
        if (this.isFolded(above)) return true;
      }
      return false;
    };
    return all.filter((number) => !hidden(number));
  },

  // The keys that the ARIA pattern of a tree names.
  key(event) {
    const item = event.target.closest("li");
    if (!item) return;
    const number = Number(item.dataset.node);
    const node = this.tree.nodes[number];
    const shown = this.visible();
    const step = (by) => this.focus(shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(number) + by))]);
    const actions = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      ArrowRight: () => {
        if ("feature" in node) this.isFolded(number) ? this.fold(number, false) : this.focus(node.left);
      },
      ArrowLeft: () => {
        if ("feature" in node && !this.isFolded(number)) this.fold(number, true);
        else if (number > 0) this.focus(this.parents[number]);
      },
      Home: () => this.focus(shown[0]),
      End: () => this.focus(shown[shown.length - 1]),
      Enter: () => this.fold(number, !this.isFolded(number)),
      " ": () => this.fold(number, !this.isFolded(number)),
      Escape: () => this.hideTip(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  },

  // What is known about a node: the way to it, its rows, its classes or its value.
  showTip(item) {
    const number = Number(item.dataset.node);
    const node = this.tree.nodes[number];
    const way = [];
    for (let below = number; this.parents[below] >= 0; below = this.parents[below]) {
      const above = this.tree.nodes[this.parents[below]];
      const test = this.tree.tests[above.feature];
      way.unshift(above.right === below ? test.text : test.no);
    }
    const tip = byId("tip");
    tip.replaceChildren(element("p", { class: "path" }, way.length ? `if ${way.join(" and ")}` : "all rows"));
    tip.append(element("p", {}, element("b", {}, this.title(node)), ` – ${rowsText(node.rows)}`));
    if (this.tree.valueName) tip.append(element("p", {}, `${this.tree.valueName} ${shortNumber(node.value)} per row`));
    if ("price" in node && !("label" in node)) tip.append(element("p", {}, `price of this test ${shortNumber(node.price)} per row`));
    if (node.paid) tip.append(element("p", {}, `paid for tests before ${shortNumber(node.paid)} per row`));
    if (node.weights) {
      const cells = (name, label) => {
        const percent = this.percent(node, label);
        if (!node.weighted) return [name, shortNumber(node.weights[label]), percent];
        const counted = node.counts ? [rowsText(node.counts[label])] : [];
        return [name, ...counted, `weight ${shortNumber(node.weights[label])}`, `weighted ${percent}`];
      };
      const line = (name, label) => element("tr", {}, ...cells(name, label).map((text) => element("td", {}, text)));
      tip.append(element("table", {}, ...this.tree.classes.map(line)));
    }
    if (node.bars) tip.append(this.histogram(node.bars));
    tip.hidden = false;
    const box = item.querySelector(".box").getBoundingClientRect();
    const left = Math.min(box.left, innerWidth - tip.offsetWidth - 8);
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, below ? box.bottom + 6 : box.top - tip.offsetHeight - 6)}px`;
  },

  // The values of the tested column at a node, those up to the cut in colour.
  histogram(bars) {
    const [width, height] = [220, 54];
    const picture = drawn("svg", { class: "histogram", viewBox: `0 0 ${width} ${height + 14}`, "aria-hidden": "true" });
    const wide = width / bars.heights.length;
    const cut = bars.cut * width;
    bars.heights.forEach((share, k) => {
      const [x, y] = [k * wide, height * (1 - share)];
      const below = Math.max(0, Math.min(wide - 1, cut - x));
      const piece = (from, long, kind) => {
        if (long > 0) picture.append(drawn("rect", { class: kind, x: from, y, width: long, height: height * share }));
      };
      piece(x, below, "yes");
      piece(x + below, wide - 1 - below, "no");
    });
    picture.append(drawn("line", { x1: cut, x2: cut, y1: 0, y2: height + 3 }));
    picture.append(drawn("text", { x: 0, y: height + 12 }, bars.ends[0]));
    picture.append(drawn("text", { x: width, y: height + 12, "text-anchor": "end" }, bars.ends[1]));
    return picture;
  },

  hideTip() {
    byId("tip").hidden = true;
  },

  listen() {
    const place = byId("tree");
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("click", (event) => {
      const box = event.target.closest(".box");
      if (!box) return;
      const number = Number(box.parentElement.dataset.node);
      this.focus(number);
      this.fold(number, !this.isFolded(number));
    });
    for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
      place.addEventListener(enter, (event) => {
        const over = enter === "focusin" ? event.target : event.target.closest(".box");
        if (over?.closest("li")) this.showTip(over.closest("li"));
      });
      place.addEventListener(leave, () => this.hideTip());
    }
    place.addEventListener("scroll", () => this.hideTip());
    const onScreen = () => this.arrange();
    for (const [id, factor] of [["smaller", 1 / 1.25], ["larger", 1.25], ["fit", null]]) {
      byId(id).addEventListener("click", () => this.resize(factor));
    }
    addEventListener("resize", onScreen);
    addEventListener("beforeprint", () => {
      place.classList.add("compact");
      this.fit(1030, 610, 0.5); // pixels of a page, A4 landscape
    });
    addEventListener("afterprint", () => {
      place.classList.remove("compact");
      onScreen();
    });
  },
};
