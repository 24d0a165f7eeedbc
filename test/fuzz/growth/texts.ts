// Hostile texts of any length: a start, a piece that is repeated, and an end which makes a match fail late.

import { pick, type Random } from '../mutate.ts';

export interface HostileText {
  readonly start: string;
  readonly piece: string;
  readonly end: string;
}

/** Pieces that every field gets. */
const COMMON: readonly string[] = [' ', '-', ',', '0', 'a', '[', '"'];
/** Pieces of which a field gets some. */
const PIECES: readonly string[] = [
  ...['\t', '\n', '1 ', ', ', '; ', 'a '],
  ...'0. ; = & / // . : :: >> + [] [[ ],[ ( < > {'.split(' '),
  ...'"" "a", W/" \' \\ _ * ! % %20 %25 %2525 %5B %5D a, a- a=b; A1 é 𝕊'.split(' '),
];
const DRAWN_PIECES = 2;

/** Ends that fail most matches: a line break for `.` and words, a letter behind it for blanks. */
const LATE_FAILURE = '\nx';
const ENDS: readonly string[] = ['', '!', '\n', ' ', '-', ',', ']', '"', '\u0000'];
const LATE_FAILURES = 0.6;

/** Places of a valid text between letters or digits and other characters, and its ends. */
function boundaries(text: string): number[] {
  const isWord = (i: number) => /\w/.test(text.charAt(i));
  const inside = Array.from(text, (_, i) => i).filter((i) => i > 0 && isWord(i - 1) !== isWord(i));
  return [0, ...inside, text.length];
}

/** The marks of a valid text, whose repetitions are what its notation is most likely to stumble over. */
const marksOf = (text: string): string[] => text.match(/[^\w\s]+/g) ?? [];

/** Texts around a valid one: a part of it, then a common piece, one of its marks, itself or a near miss, again and again. */
export function drawTexts(random: Random, good: string): HostileText[] {
  const own = [good, `${good},`, `[${good}],`, good.slice(0, -1)].filter((piece) => piece !== '');
  const drawn = [
    pick(random, own.length > 0 ? own : PIECES),
    ...Array.from({ length: DRAWN_PIECES }, () => pick(random, PIECES)),
  ];
  return [...new Set([...COMMON, ...marksOf(good), ...drawn])].map((piece) => {
    const at = pick(random, boundaries(good));
    return {
      start: good.slice(0, at),
      piece,
      end: random() < LATE_FAILURES ? LATE_FAILURE : pick(random, [...ENDS, good.slice(at)]),
    };
  });
}

/** The text with as many pieces as `length` has room for. */
export function textOfLength({ start, piece, end }: HostileText, length: number): string {
  return start + piece.repeat(Math.ceil(length / piece.length)) + end;
}

/** A text for a report: `"FL--" + "-" × n + "\n"`. */
export function describeText({ start, piece, end }: HostileText): string {
  const [shownStart, shownPiece, shownEnd] = [start, piece, end].map((part) => JSON.stringify(part));
  return `${shownStart} + ${shownPiece} × n + ${shownEnd}`;
}
