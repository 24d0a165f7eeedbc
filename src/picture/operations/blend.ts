// How a layer lies on those below it.
import { groupedOperation } from './operation.ts';

const WORDS = ['over', 'add'] as const;

/** A layer adds its light; without one, it covers. */
export type Blend = 'add';

const layers = groupedOperation({
  name: 'blend',
  all: 'blends',
  description:
    'How the layer lies on those below it: over covers them, add gives min(255, below + floor(opacity * channel + 1/2)) on opaque black.',
  what: 'over or add',
  example: 'add',
  words: WORDS,
  parse: ([text = '', ...more]): Blend | null | undefined => {
    const word = text.toLowerCase();
    return more.length > 0 || !WORDS.includes(word as never) ? null : word === 'add' ? word : undefined;
  },
  print: (blend: Blend) => [blend],
});

/** A single image has nothing below it. */
export const BLEND = { ...layers, parameters: {}, read: (): Blend | undefined => undefined, print: () => ({}) };
