// Tag trees (ISO/IEC 15444-1 B.10.2). A node is one i32: (lower bound << 1) | known. Levels are contiguous, leaves
// first, so that a tree is described by its width and height alone.
import { bit } from './bio';

/** Nodes of a tree over width x height leaves, both at least 1. */
export function tagTreeNodes(width: i32, height: i32): i32 {
  let nodes = width * height;
  while (width > 1 || height > 1) {
    width = (width + 1) >> 1;
    height = (height + 1) >> 1;
    nodes += width * height;
  }
  return nodes;
}

/** Addresses of the nodes from a leaf up to the root; a tree over 2^16 x 2^16 leaves has 17 levels. */
const path: usize = memory.data(32 * sizeof<usize>());

/** Fills `path` for leaf (x, y) and returns the number of levels. */
function findPath(tree: usize, width: i32, height: i32, x: i32, y: i32): i32 {
  let base = tree;
  let level = 0;
  for (; width > 1 || height > 1; level++) {
    store<usize>(path + (<usize>level << alignof<usize>()), base + (<usize>(y * width + x) << 2));
    base += <usize>(width * height) << 2;
    width = (width + 1) >> 1;
    height = (height + 1) >> 1;
    x >>= 1;
    y >>= 1;
  }
  store<usize>(path + (<usize>level << alignof<usize>()), base);
  return level + 1;
}

/** Reads until it is known whether the value of leaf (x, y) is below `threshold`. Returns the value when it is, else -1. */
export function tagTreeDecode(tree: usize, width: i32, height: i32, x: i32, y: i32, threshold: i32): i32 {
  let low = 0;
  let known = false;
  for (let level = findPath(tree, width, height, x, y) - 1; level >= 0; level--) {
    const node = load<usize>(path + (<usize>level << alignof<usize>()));
    const state = load<i32>(node);
    known = (state & 1) != 0;
    low = max(low, state >> 1);
    while (!known && low < threshold) {
      if (bit()) known = true;
      else low++;
    }
    store<i32>(node, (low << 1) | i32(known));
  }
  return known && low < threshold ? low : -1;
}
