// Ctrl-C reaches a command twice, from the terminal and from the launcher: what comes at once is one signal.
const SAME_SIGNAL_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `first` at the first signal and `again`, where there is one, at a later one.
 * @returns keeps the signals from everybody else who listens to them by then
 */
export function onInterrupt(first: () => void, again?: () => void): () => void {
  let firstAt: number | null = null;
  const hear = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      first();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      again?.();
    }
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return () => {
    for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, hear);
  };
}
