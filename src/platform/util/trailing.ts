/** Runs at most once in `ms` after calls of `soon`; `now` runs at once, in place of the one that was asked for. */
export function trailing(ms: number, run: () => void): { readonly soon: () => void; readonly now: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    run();
  };
  const soon = () => {
    timer ??= setTimeout(now, ms);
  };
  return { soon, now };
}
