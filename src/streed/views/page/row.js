// The form for one row: a field per column that a tree tests; the row's path lights up as far as it is known.
const OTHER = "other";
const MISSING = "missing";

const rowView = {
  fields: new Map(),

  build(columns) {
    const form = byId("row");
    for (const column of columns) {
      const field = column.kind === "number" || column.kind === "date" ? this.input(column) : this.select(column);
      form.append(element("label", {}, element("span", { class: "name" }, column.name), field));
      let missing = null;
      if (column.missing && field.tagName === "INPUT") {
        missing = element("input", { type: "checkbox", "aria-label": `${column.name} is missing` });
        form.append(element("label", { class: "none" }, missing, "missing"));
      }
      this.fields.set(column.name, { column, field, missing });
    }
    form.addEventListener("input", () => this.follow());
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("clear").addEventListener("click", () => {
      form.reset();
      this.follow();
    });
  },

  input(column) {
    if (column.kind === "date") {
      return element("input", column.wholeDays ? { type: "date" } : { type: "datetime-local", step: 1 });
    }
    return element("input", { type: "number", step: "any" });
  },

  // Options carry numbers, not names: a category may be called anything.
  select(column) {
    const field = element("select", {}, element("option", { value: "" }, "–"));
    const add = (value, text) => field.append(element("option", { value }, text));
    if (column.kind === "true") {
      add("1", "yes");
      add("0", "no");
    } else {
      column.categories.forEach((text, number) => add(String(number), text));
      add(OTHER, column.kind === "missing" ? "any value" : "another value");
    }
    if (column.missing) add(MISSING, "missing");
    return field;
  },

  // Whether a row satisfies a test; undefined if the form does not say.
  holds(test) {
    const { column, field, missing } = this.fields.get(test.column);
    const given = field.value;
    if (missing?.checked || given === MISSING) return test.kind === "missing" || test.orMissing === true;
    if (given === "") return undefined;
    if (test.kind === "missing") return false;
    if (test.kind === "number") return this.atMost(given, test.limit);
    if (test.part) return this.part(given, test.part) <= test.limit;
    if (test.kind === "date") return this.time(given) <= this.time(test.limit);
    if (test.kind === "true") return given === "1";
    return test.values.includes(field.tagName === "SELECT" ? column.categories[Number(given)] : given);
  },

  // A limit that is a text is an integer that no number of a script can hold.
  atMost(given, limit) {
    const exact = typeof limit === "string" && /^[+-]?\d+$/.test(given);
    return exact ? BigInt(given) <= BigInt(limit) : Number(given) <= Number(limit);
  },

  // Months from 1 to 12, weekdays from 1 (Monday) to 7, hours from 0 to 23.
  part(text, name) {
    const date = new Date(this.time(text));
    if (name === "hour") return date.getUTCHours();
    return name === "month" ? date.getUTCMonth() + 1 : date.getUTCDay() || 7;
  },

  time(text) {
    const iso = text.replace(" ", "T");
    return Date.parse(iso.length > 10 ? `${iso}Z` : iso);
  },

  // Shows the fields of the columns that the tree tests; what was entered in others is kept.
  showFields(tree) {
    const used = new Set(Object.values(tree.tests).map((test) => test.column));
    for (const { column, field, missing } of this.fields.values()) {
      field.parentElement.hidden = !used.has(column.name);
      if (missing) missing.parentElement.hidden = !used.has(column.name);
    }
    byId("follow").hidden = used.size === 0;
  },

  // Draws the line from each parent on the path to its child; it begins in the middle of the list of children.
  lines() {
    for (const list of byId("tree").querySelectorAll("ul.on")) {
      const child = list.querySelector(":scope > li.on");
      const middle = (100 * (child.offsetTop + child.offsetHeight / 2)) / (list.offsetHeight || 1);
      list.style.setProperty("--from", `${Math.min(50, middle)}%`);
      list.style.setProperty("--length", `${Math.abs(middle - 50)}%`);
    }
  },

  follow() {
    const tree = treeView.tree;
    this.showFields(tree);
    const shown = [...this.fields.values()].filter(({ field }) => !field.parentElement.hidden);
    const started = shown.some(({ field, missing }) => field.value !== "" || missing?.checked);
    for (const item of byId("tree").querySelectorAll(".on")) item.classList.remove("on");
    for (const { field } of this.fields.values()) field.parentElement.classList.remove("needed");
    byId("tree").classList.toggle("following", started);
    byId("answer").textContent = byId("reason").textContent = "";
    if (!started) return;
    let number = 0;
    let needed = null;
    const mark = () => treeView.items[number].classList.add("on");
    for (mark(); "feature" in tree.nodes[number]; mark()) {
      const test = tree.tests[tree.nodes[number].feature];
      const side = this.holds(test);
      if (side === undefined) {
        needed = test.column;
        break;
      }
      treeView.items[number].querySelector("ul").classList.add("on");
      number = side ? tree.nodes[number].right : tree.nodes[number].left;
    }
    treeView.reveal(number);
    this.lines();
    if (needed === null) {
      byId("answer").textContent = `→ ${treeView.title(tree.nodes[number])} (${treeView.facts(tree.nodes[number])})`;
      const reason = tree.nodes[number].reason;
      if (reason) byId("reason").textContent = `Decided by ${reason}; the other tests on the path do not matter.`;
    } else {
      this.fields.get(needed).field.parentElement.classList.add("needed");
      byId("answer").textContent = `Next: ${needed}`;
    }
  },
};
