/**
 * Runs that follow calls of `soon` at most once in `ms`.
 * @returns `soon` asks for a run, `now` runs at once, in place of the one that was asked for
 */
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
