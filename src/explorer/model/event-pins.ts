// Titles of events, and the pins that they share.

export function eventTitle(label: string): string {
  return label.replace(/^(\d+(?:\.\d+)?) m$/, (_, metres: string) => `${Math.round(Number(metres) / 1e6)} Mm`);
}

/** Methods place the centre of a region up to this far from each other: the radius of a large active region. */
const SAME_REGION_ARCSEC = 75;

/** Events by pin, nearest first within one: of each method at most one, of the same type, near the first. In the order of `events`. */
export function pinsOf<E extends { readonly pin: string; readonly method: string; readonly x: number; readonly y: number }>(
  events: readonly E[],
): (readonly [E, ...E[]])[] {
  const pins: [E, ...E[]][] = [];
  for (const event of events) {
    const distance = ([first]: readonly [E, ...E[]]) => Math.hypot(first.x - event.x, first.y - event.y);
    const [near] = pins
      .filter((pin) => pin[0].pin === event.pin && pin.every(({ method }) => method !== event.method))
      .filter((pin) => distance(pin) <= SAME_REGION_ARCSEC)
      .sort((a, b) => distance(a) - distance(b));
    if (near) near.push(event);
    else pins.push([event]);
  }
  return pins;
}
