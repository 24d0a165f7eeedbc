// Progress on standard error: a bar on a terminal, a line every few seconds elsewhere.
const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;

export interface Progress {
  /** `total`: null while it is not known. */
  update(done: number, total: number | null): void;
  /** Shows the last state and ends the line of the bar. */
  finish(): void;
}

interface ProgressOptions {
  readonly stream?: NodeJS.WriteStream;
  /** Whether a terminal shows a bar. A bar would break the lines of a program that logs meanwhile. */
  readonly bar?: boolean;
}

export function showProgress(label: string, { stream = process.stderr, bar = true }: ProgressOptions = {}): Progress {
  const isBar = bar && stream.isTTY;
  const startedAt = performance.now();
  let shownAt = -Infinity;
  let shown = '';

  const show = (line: string) => {
    shownAt = performance.now();
    shown = line;
    stream.write(isBar ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  let last = '';
  return {
    update(done, total) {
      last = describe(label, done, total, performance.now() - startedAt, isBar);
      if (performance.now() - shownAt >= (isBar ? REDRAW_MS : LINE_EVERY_MS)) show(last);
    },
    finish() {
      if (last !== '' && last !== shown) show(last);
      if (isBar) stream.write('\n');
    },
  };
}

function describe(label: string, done: number, total: number | null, elapsedMs: number, bar: boolean): string {
  if (total === null) {
    const rate = elapsedMs > 0 ? (1000 * done) / elapsedMs : 0;
    return `${label} ${done} (${Math.round(elapsedMs / 1000)} s, ${rate.toFixed(1)} a second)`;
  }
  const share = total > 0 ? done / total : 1;
  const counted = `${label} ${done}/${total}`;
  const elapsed = `${Math.round(elapsedMs / 1000)} s`;
  if (!bar) return `${counted} (${elapsed})`;
  const filled = Math.round(share * BAR_WIDTH);
  const left = share > 0 && share < 1 ? `, ${Math.round((elapsedMs * (1 - share)) / share / 1000)} s left` : '';
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total} ${elapsed}${left}`;
}
