export const LATE = Symbol('late');

/** What comes of `work`, or LATE when nothing does in time. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(LATE), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
