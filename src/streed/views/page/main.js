// Puts the parts together: data, the chosen tree, search, buttons, light and dark.
const data = JSON.parse(byId("data").textContent);

function choose(point) {
  treeView.show(data.trees[point]);
  if (data.trees.length > 1) frontView.mark(point);
  rowView.follow();
  search.run();
}

const search = {
  matches: [],
  current: -1,

  run() {
    const wanted = byId("search").value.trim().toLowerCase();
    const tree = treeView.tree;
    const hit = (node) => wanted !== "" && treeView.title(node).toLowerCase().includes(wanted);
    this.matches = [...tree.nodes.keys()].filter((number) => hit(tree.nodes[number]));
    this.current = -1;
    treeView.items.forEach((item, number) => item.classList.toggle("found", this.matches.includes(number)));
    this.matches.forEach((number) => treeView.reveal(number));
    const count = this.matches.length;
    byId("found").textContent = wanted === "" ? "" : `${count} ${count === 1 ? "node" : "nodes"}`;
  },

  // Enter goes from match to match; the focus stays in the field.
  next(event) {
    if (event.key !== "Enter" || this.matches.length === 0) return;
    event.preventDefault();
    this.current = (this.current + 1) % this.matches.length;
    const number = this.matches[this.current];
    treeView.items[number].querySelector(".box").scrollIntoView({ block: "nearest", inline: "nearest" });
    treeView.showTip(treeView.items[number]);
    byId("found").textContent = `${this.current + 1} of ${this.matches.length}`;
  },
};

const theme = {
  preferred: matchMedia("(prefers-color-scheme: dark)"),

  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : this.preferred.matches;
  },

  update() {
    byId("theme").setAttribute("aria-pressed", String(this.isDark()));
  },

  toggle() {
    document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
    this.update();
  },
};

treeView.listen();
rowView.build(data.columns);
frontView.build(data, choose);
treeView.show(data.trees[data.chosen]);
rowView.follow();
if (data.trees.length > 1) {
  frontView.chosen = data.chosen;
  frontView.draw();
}
byId("search").addEventListener("input", () => search.run());
byId("search").addEventListener("keydown", (event) => search.next(event));
byId("unfold").addEventListener("click", () => treeView.items.forEach((_, number) => treeView.fold(number, false)));
byId("fold").addEventListener("click", () => treeView.items.forEach((_, number) => treeView.fold(number, true)));
byId("theme").addEventListener("click", () => theme.toggle());
theme.preferred.addEventListener("change", () => theme.update());
theme.update();
