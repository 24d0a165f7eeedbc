// Signals that end a command: the first lets it finish in order, the next ends it at once.

/** Ctrl-C reaches a command twice, from the terminal and from npm: signals within this time count as one. */
const SAME_SIGNAL_MS = 500;
const PARENT_CHECK_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `first` at the first signal and `again`, if given, at later ones. The end of npm counts as a signal, because an npm that was killed
 * cannot pass one on, and nothing may outlive it.
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
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      onSignal();
    }, PARENT_CHECK_MS).unref();
  }
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
