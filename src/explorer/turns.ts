/** Begins work in place of what it has begun before, which ends, and returns its signal. */
export function turns(): () => AbortSignal {
  let last = new AbortController();
  return () => {
    last.abort();
    last = new AbortController();
    return last.signal;
  };
}
