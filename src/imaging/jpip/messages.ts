// The messages of a JPP-stream (ISO/IEC 15444-9, Annex A).

/** Data-bin classes of a JPP-stream (table A.2). */
export const PRECINCT = 0;
export const TILE_HEADER = 2;
export const MAIN_HEADER = 6;
export const METADATA = 8;

/** Why a response ends (table D.2). */
export const END = { imageDone: 1, windowDone: 2, byteLimit: 4, responseLimit: 7 } as const;

/** What the end-of-response message takes. */
export const END_BYTES = 3;

/** Class and codestream of the message before: both are left out of the next one where they are the same (A.2.2). */
export interface MessageContext {
  binClass: number;
  codestream: number;
}

export const startOfResponse = (): MessageContext => ({ binClass: PRECINCT, codestream: 0 });

export interface MessageHead {
  readonly binClass: number;
  readonly codestream: number;
  /** In-class identifier. */
  readonly id: number;
  /** First byte of the bin that is in the message, and how many follow. */
  readonly offset: number;
  readonly length: number;
  /** The last byte of the bin is in this message. */
  readonly isLast: boolean;
}

/** A number in 7-bit groups, the high ones first, bit 7 set in all but the last (A.2.1). */
export function vbas(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 128);
  return bytes;
}

/** Bin-ID VBAS (A.2.3): 4 bits of the identifier beside the flags in the first byte, 7 in each further one. */
function binId(id: number, indicator: number, isLast: boolean): number[] {
  const groups = vbas(id);
  const fits = (groups[0] as number) % 128 < 16;
  const [high, rest] = fits ? [(groups[0] as number) % 128, groups.slice(1)] : [0, groups];
  return [(rest.length ? 128 : 0) | (indicator << 5) | (isLast ? 16 : 0) | high, ...rest];
}

/** Header of a message, which its `length` bytes follow; `context` becomes that of the next. */
export function messageHead(
  { binClass, codestream, id, offset, length, isLast }: MessageHead,
  context: MessageContext,
): Uint8Array {
  const indicator = codestream !== context.codestream ? 3 : binClass !== context.binClass ? 2 : 1;
  context.binClass = binClass;
  context.codestream = codestream;
  return Uint8Array.from([
    ...binId(id, indicator, isLast),
    ...(indicator > 1 ? vbas(binClass) : []),
    ...(indicator > 2 ? vbas(codestream) : []),
    ...vbas(offset),
    ...vbas(length),
  ]);
}

/** The end-of-response message (D.3): no identifier, a reason, an empty body. */
export const endOfResponse = (reason: number): Uint8Array => Uint8Array.of(0, reason, 0);
