// Signals that end a command: the first lets it finish in order, the next ends it at once.

/** Ctrl-C reaches a command twice, from the terminal and from the launcher: signals within this time count as one. */
const SAME_SIGNAL_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `first` at the first signal and `again`, if given, at later ones.
 * @returns a function that removes all other listeners of these signals
 */
export function onInterrupt(first: () => void, again?: () => void): () => void {
  let firstAt: number | null = null;
  const onSignal = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      first();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      again?.();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, onSignal);
  };
}

/** Exit status of an interrupted command, as shells give it for SIGINT. */
export const INTERRUPTED = 130;

/** A signal that aborts at the first interrupt. The next interrupt ends the process at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  onInterrupt(
    () => controller.abort(),
    () => process.exit(INTERRUPTED),
  );
  return controller.signal;
}
