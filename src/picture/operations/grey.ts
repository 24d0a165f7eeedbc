// Layers without the colours of their images.
import type { LayerOperation } from './operation.ts';

const WORDS = ['true', 'false'] as const;

const colour = (description: string) => ({ colour: { type: 'choice', description, words: WORDS, byDefault: 'true' } }) as const;

interface Colour {
  readonly colour?: string | undefined;
}

const isOff = ({ colour }: Colour): true | undefined => (colour === 'false' ? true : undefined);

export const GREY = {
  name: 'grey',
  version: 1,
  isGrey: true,
  parameters: colour('Whether the image has its colours, or is grey.'),
  read: isOff,
  print: () => ({ colour: 'false' }),
  ofLayers: {
    parameters: colour('Whether the layers have their colours, or are grey.'),
    read: (parameters: Colour, count: number) => Array.from({ length: count }, () => isOff(parameters)),
    print: (values: readonly (true | undefined)[]): Readonly<Record<string, string>> =>
      values.length > 0 && values.every((value) => value) ? { colour: 'false' } : {},
  },
} as const satisfies LayerOperation<true>;
