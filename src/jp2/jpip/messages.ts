// The messages of a JPP-stream (ISO/IEC 15444-9, Annex A).

/** Data-bin classes of a JPP-stream (table A.2). */
export const PRECINCT = 0;
export const TILE_HEADER = 2;
export const MAIN_HEADER = 6;
export const METADATA = 8;

/** Why a response ends (table D.2). */
export const END = { imageDone: 1, windowDone: 2, byteLimit: 4, responseLimit: 7 } as const;

export const END_BYTES = 3;

/** Class and codestream of the previous message. A message header omits them when they are unchanged (A.2.2). */
type MessageContext = { binClass: number; codestream: number };

export const startOfResponse = (): MessageContext => ({ binClass: PRECINCT, codestream: 0 });

export interface MessageHeader {
  readonly binClass: number;
  readonly codestream: number;
  /** In-class identifier. */
  readonly id: number;
  /** Offset of the first byte in the bin, and number of bytes. */
  readonly offset: number;
  readonly length: number;
  /** True when the message holds the last byte of the bin. */
  readonly isLast: boolean;
}

/** VBAS: a number in 7-bit groups, most significant first, with bit 7 set in all but the last (A.2.1). */
function vbas(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 128);
  return bytes;
}

/** Bin-ID VBAS (A.2.3): four bits of the identifier share the first byte with the flags, seven are in each further byte. */
function binId(id: number, indicator: number, isLast: boolean): number[] {
  const groups = vbas(id);
  const fits = groups[0]! % 128 < 16;
  const [high, rest] = fits ? [groups[0]! % 128, groups.slice(1)] : [0, groups];
  return [(rest.length ? 128 : 0) | (indicator << 5) | (isLast ? 16 : 0) | high, ...rest];
}

/** Header of a message, followed in the stream by its `length` bytes. Updates `context` for the next message. */
export function messageHeader({ binClass, codestream, id, offset, length, isLast }: MessageHeader, context: MessageContext) {
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
