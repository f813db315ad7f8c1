// The front: a plot of all trees by two of their values; the chosen point's tree is the one on the page.
const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, BOTTOM, TOP, RIGHT] = [262, 222, 36, 10, 10];
const LETTER = 6.2; // width of a digit of 11 pixels, and a little more

function drawn(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// About five round numbers that cover a range: steps of 1, 2 or 5 times a power of ten.
function ticks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

const frontView = {
  build(data, choose) {
    if (data.trees.length < 2) return;
    this.trees = data.trees;
    this.choose = choose;
    this.names = [...data.objectives, "branching nodes"];
    byId("front").hidden = false;
    ["axis-x", "axis-y"].forEach((id, k) => {
      this.names.forEach((name, value) => byId(id).append(element("option", { value }, name)));
      byId(id).value = data.objectives.length > 1 ? k : 1 - k;
      byId(id).addEventListener("change", () => this.draw());
    });
  },

  value(point, axis) {
    const tree = this.trees[point];
    return axis < tree.values.length ? tree.values[axis] : tree.branching;
  },

  // A scale from values to places, with some room on either side.
  scale(axis, from, to) {
    const values = this.order.map((point) => this.value(point, axis));
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const room = (high - low) * 0.07 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - room, high + room];
    const place = (value) => from + ((to - from) * (value - low)) / (high - low);
    return { place, ticks: ticks(low, high) };
  },

  draw() {
    const axes = ["axis-x", "axis-y"].map((id) => Number(byId(id).value));
    const known = (point) => axes.every((axis) => this.value(point, axis) !== null);
    this.order = [...this.trees.keys()].filter(known);
    this.order.sort((a, b) => this.value(a, axes[0]) - this.value(b, axes[0]) || this.value(b, axes[1]) - this.value(a, axes[1]));
    const y = this.scale(axes[1], HEIGHT - BOTTOM, TOP);
    // Room for the title of the axis and its numbers, which must not overlap.
    const LEFT = Math.max(44, 26 + LETTER * Math.max(...y.ticks.map((tick) => shortNumber(tick).length)));
    const x = this.scale(axes[0], LEFT, WIDTH - RIGHT);
    const widest = LETTER * Math.max(...x.ticks.map((tick) => shortNumber(tick).length)) + 8;
    const every = Math.ceil((widest * x.ticks.length) / (WIDTH - RIGHT - LEFT));
    x.ticks = x.ticks.filter((_, k) => k % every === 0);
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "radiogroup", "aria-label": "Trees of the front" });
    for (const tick of x.ticks) {
      svg.append(drawn("line", { class: "grid", x1: x.place(tick), x2: x.place(tick), y1: TOP, y2: HEIGHT - BOTTOM }));
      svg.append(drawn("text", { x: x.place(tick), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, shortNumber(tick)));
    }
    for (const tick of y.ticks) {
      svg.append(drawn("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y.place(tick), y2: y.place(tick) }));
      svg.append(drawn("text", { x: LEFT - 6, y: y.place(tick) + 4, "text-anchor": "end" }, shortNumber(tick)));
    }
    svg.append(drawn("path", { class: "axis", fill: "none", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }));
    this.label(svg, axes, LEFT);
    const places = this.order.map((point) => [x.place(this.value(point, axes[0])), y.place(this.value(point, axes[1]))]);
    svg.append(drawn("polyline", { class: "steps", points: places.map((place) => place.join(",")).join(" ") }));
    this.order.forEach((point, k) => svg.append(this.circle(point, ...places[k])));
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("click", (event) => this.choose(this.nearest(svg, places, event)));
    byId("front-plot").replaceChildren(svg);
    this.mark(this.chosen);
  },

  label(svg, axes, LEFT) {
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    const short = (name) => (name.length > 34 ? `${name.slice(0, 17)}…${name.slice(-16)}` : name);
    const turned = { x: 9, y: middle, "text-anchor": "middle", transform: `rotate(-90 9 ${middle})` };
    svg.append(drawn("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, short(this.names[axes[0]])));
    svg.append(drawn("text", turned, short(this.names[axes[1]])));
  },

  circle(point, cx, cy) {
    const made = drawn("circle", { cx, cy, r: this.radius(), role: "radio", "data-point": point, "aria-label": this.words(point).replaceAll("\n", ", ") });
    made.append(drawn("title", {}, this.words(point)));
    made.addEventListener("click", (event) => {
      event.stopPropagation();
      this.choose(point);
    });
    return made;
  },

  // Many points get smaller, so that they can be told apart.
  radius() {
    return Math.max(2.2, Math.min(5.5, 110 / this.order.length));
  },

  // The point next to the mouse: small ones, and those below others, need not be hit.
  nearest(svg, places, event) {
    const mouse = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const away = places.map(([x, y]) => Math.hypot(x - mouse.x, y - mouse.y));
    return this.order[away.indexOf(Math.min(...away))];
  },

  words(point) {
    return this.names.map((name, axis) => `${name}: ${shortNumber(this.value(point, axis))}`).join("\n");
  },

  mark(point) {
    this.chosen = point;
    for (const circle of byId("front-plot").querySelectorAll("circle")) {
      const on = Number(circle.dataset.point) === point;
      circle.setAttribute("aria-checked", String(on));
      circle.setAttribute("tabindex", on ? 0 : -1);
      circle.setAttribute("r", on ? Math.max(5, this.radius() + 1.5) : this.radius());
    }
    byId("point").textContent = this.words(point);
  },

  key(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const size = this.order.length;
    let place = this.order.indexOf(this.chosen);
    if (event.key in steps) place = (place + steps[event.key] + size) % size;
    else if (event.key === "Home") place = 0;
    else if (event.key === "End") place = size - 1;
    else return;
    event.preventDefault();
    this.choose(this.order[place]);
    byId("front-plot").querySelector('circle[aria-checked="true"]').focus();
  },
};
