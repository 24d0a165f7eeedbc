import { expect, it } from 'vitest';
import { suggestedSource } from '../../../src/sun/catalogue/sources.ts';

it.each([
  ['171', 'AIA 171'],
  ['195', 'EIT 195'],
  ['174', 'SWAP 174'],
  ['AIA 171', 'AIA 171'],
  ['AIA,171', 'AIA 171'],
  ['sdo/hmi/magnetogram', 'HMI Mag'],
  ['STEREO_A EUVI 304', 'EUVI-A 304'],
  ['LASCO C22', 'LASCO C2'],
  ['AIA171', 'AIA 171'],
])('suggestedSource takes %s for %s', (text, nickname) => {
  expect(suggestedSource(text)?.nickname).toBe(nickname);
});

it.each(['', '[]', '999999', 'telescope', 'AIA 172 x'])('suggestedSource suggests no source for %j', (text) => {
  expect(suggestedSource(text)).toBeUndefined();
});
