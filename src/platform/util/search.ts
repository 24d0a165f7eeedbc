/** The least whole number below `end` that passes, if all above it do too; `end` where none does. */
export function firstPassing(end: number, passes: (index: number) => boolean): number {
  let [from, to] = [0, end];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (passes(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
