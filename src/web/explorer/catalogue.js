// The tree of sources: search for a leaf, and a list box for each level to select one.

const isLeaf = (node) => 'sourceId' in node;

/** Names from the root to the first leaf that passes `test`, or null. */
function pathTo(node, test) {
  if (isLeaf(node)) return test(node) ? [] : null;
  for (const [name, child] of Object.entries(node)) {
    const rest = pathTo(child, test);
    if (rest) return [name, ...rest];
  }
  return null;
}

const anyLeaf = () => true;
const follow = (tree, path) => path.reduce((node, name) => node[name], tree);

/** The names of `path` as far as the tree has them, then the first name of each level down to a leaf. */
function completed(tree, path) {
  const kept = [];
  let node = tree;
  for (const name of path) {
    if (isLeaf(node)) break;
    const known = name in node ? name : Object.keys(node)[0];
    kept.push(known);
    node = node[known];
  }
  return [...kept, ...pathTo(node, anyLeaf)];
}

/** List boxes in `element` for the sources of `tree`. `onChoice` receives the selected leaf. */
export class SourceChoice {
  #tree;
  #element;
  #onChoice;
  #path = [];

  constructor(element, tree, onChoice) {
    this.#tree = tree;
    this.#element = element;
    this.#onChoice = onChoice;
  }

  /** Shows the source with this id, else the first one. @returns its leaf, or null when there are no sources */
  select(sourceId) {
    const path = pathTo(this.#tree, (leaf) => leaf.sourceId === sourceId) ?? pathTo(this.#tree, anyLeaf);
    return path && this.#show(path);
  }

  #show(path) {
    this.#path = path;
    const leaf = follow(this.#tree, path);
    const boxes = path.map((name, depth) => {
      const names = Object.keys(follow(this.#tree, path.slice(0, depth)));
      return this.#box(leaf.uiLabels[depth].label, names, name, depth);
    });
    const focused = [...this.#element.children].findIndex((label) => label.contains(document.activeElement));
    this.#element.replaceChildren(...boxes);
    boxes[focused]?.querySelector('select').focus();
    return leaf;
  }

  #box(labelText, names, chosen, depth) {
    const select = document.createElement('select');
    select.append(...names.map((name) => new Option(name, name, false, name === chosen)));
    select.addEventListener('change', () => {
      const path = [...this.#path.slice(0, depth), select.value, ...this.#path.slice(depth + 1)];
      this.#onChoice(this.#show(completed(this.#tree, path)));
    });
    const label = document.createElement('label');
    label.append(labelText, select);
    return label;
  }
}
