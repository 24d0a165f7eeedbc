// A steady brightness of the images of a layer. Its arithmetic is in src/picture/filters/.
import { refusalOfMagnetogram } from './filter.ts';
import { groupedOperation } from './operation.ts';

const VALUES: Readonly<Record<string, true | undefined>> = { true: true, false: undefined };

export const STEADY = groupedOperation({
  name: 'steady',
  all: 'steady',
  description: 'Whether the median of the disc has the same level in every image: `true` for steady.',
  what: 'true or false',
  example: 'true',
  words: Object.keys(VALUES),
  enhances: true,
  hasTables: () => true,
  parse: ([word = '', ...more]) => (more.length === 0 && Object.hasOwn(VALUES, word) ? VALUES[word] : null),
  print: () => ['true'],
  refusal: (_: true, sourceId) => refusalOfMagnetogram(sourceId),
  title: () => ' steady',
});
