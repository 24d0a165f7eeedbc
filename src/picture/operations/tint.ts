// A colour in place of the table of an image.
import { groupedOperation } from './operation.ts';

/** Names of CSS. `green` is the primary colour of light, which CSS calls lime, so that red, green and blue are the channels of a composite. */
const NAMES: Readonly<Record<string, string>> = {
  red: 'ff0000',
  green: '00ff00',
  blue: '0000ff',
  cyan: '00ffff',
  magenta: 'ff00ff',
  yellow: 'ffff00',
  orange: 'ffa500',
  white: 'ffffff',
  silver: 'c0c0c0',
  gray: '808080',
  black: '000000',
  maroon: '800000',
  olive: '808000',
  navy: '000080',
  purple: '800080',
  teal: '008080',
  lime: '00ff00',
  aqua: '00ffff',
  fuchsia: 'ff00ff',
  grey: '808080',
};

export const TINT_NAMES = Object.keys(NAMES);

/** A name, or red, green and blue as six hexadecimal digits. */
const nameOf = (digits: string): string => TINT_NAMES.find((name) => NAMES[name] === digits) ?? digits;

/** The digits of a colour; null for what is none. */
export function tintOf(text: string): string | null {
  const lower = text.toLowerCase().replace(/^(?:#|%23)/, '');
  if (/^[0-9a-f]{3}$/.test(lower)) return lower.replace(/./g, '$&$&');
  return /^[0-9a-f]{6}$/.test(lower) ? lower : (NAMES[lower] ?? null);
}

/** Red, green and blue of a colour, from 0 to 255. */
const channelsOf = (digits: string): number[] => [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));

export const TINT = groupedOperation({
  name: 'tint',
  all: 'tints',
  description: `A colour in place of the table of the image: ${TINT_NAMES.join(', ')}, or red, green and blue as six hexadecimal digits. A channel is floor(colour * level / 255 + 1/2).`,
  what: 'a colour like red or 33aaff',
  example: 'red',
  words: TINT_NAMES,
  parse: ([text = '', ...more]) => (more.length > 0 ? null : tintOf(text)),
  print: (digits: string) => [nameOf(digits)],
  colours: (digits) => {
    const channels = channelsOf(digits);
    return Uint8Array.from({ length: 768 }, (_, i) => Math.floor((channels[i % 3]! * Math.floor(i / 3)) / 255 + 0.5));
  },
  mark: (digits) => ` ${nameOf(digits)}`,
  suffix: (digits) => ` [${nameOf(digits)}]`,
});
