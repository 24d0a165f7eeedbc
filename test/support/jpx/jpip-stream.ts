// Client side of JPP-streams, written from ISO/IEC 15444-9 Annex A alone, independently of the server.
export interface ReceivedBin {
  readonly binClass: number;
  readonly codestream: number;
  readonly id: number;
  bytes: Uint8Array;
  complete: boolean;
}

const MOST_NUMBER_BYTES = 9;

export interface ReceivedMessage extends Pick<ReceivedBin, 'binClass' | 'codestream' | 'id'> {
  readonly offset: number;
  readonly data: Uint8Array;
  readonly isLast: boolean;
}

export interface EndMessage {
  readonly reason: number;
}

/** Splits a response into its messages, the end-of-response message last. @throws Error for malformed messages */
export function* messagesOf(stream: Uint8Array): Generator<ReceivedMessage | EndMessage> {
  let at = 0;
  let [binClass, codestream] = [0, 0];
  const byte = (): number => {
    if (at >= stream.length) throw new Error(`stream ends inside a message at ${at}`);
    return stream[at++] as number;
  };
  const number = (): number => {
    let value = 0;
    for (let count = 1; ; count++) {
      if (count > MOST_NUMBER_BYTES) throw new Error('number of more than nine bytes');
      const next = byte();
      value = value * 128 + (next & 127);
      if (next < 128) return value;
    }
  };
  while (at < stream.length) {
    const first = byte();
    if (first === 0) {
      const reason = byte();
      const bodyLength = number();
      at += bodyLength;
      if (at !== stream.length) throw new Error(`bytes behind the end of the response: ${stream.length - at}`);
      yield { reason };
      return;
    }
    const indicator = (first >> 5) & 3;
    if (indicator === 0) throw new Error(`class indicator 0 at ${at - 1}`);
    let id = first & 15;
    for (let more = first > 127; more; ) {
      const next = byte();
      id = id * 128 + (next & 127);
      more = next > 127;
    }
    if (indicator > 1) binClass = number();
    if (indicator > 2) codestream = number();
    const offset = number();
    const length = number();
    if (at + length > stream.length) throw new Error(`message of ${length} bytes is cut short`);
    yield { binClass, codestream, id, offset, data: stream.subarray(at, at + length), isLast: (first & 16) !== 0 };
    at += length;
  }
}

/** Cache of a client. Counts bytes that are received repeatedly. */
export class BinCache {
  /** The data-bins so far by `class/codestream/id`. */
  readonly bins = new Map<string, ReceivedBin>();
  repeatedBytes = 0;
  /** Complete bins that came once more, those without data included. */
  repeatedBins = 0;

  bin(binClass: number, codestream: number, id: number): ReceivedBin | undefined {
    return this.bins.get(`${binClass}/${codestream}/${id}`);
  }

  /** Reads one response: the reason of its end, if any, messages, and bytes without their headers. @throws Error for malformed messages, gaps in a bin, and bytes that differ from cached ones */
  take(stream: Uint8Array) {
    let [messages, dataBytes] = [0, 0];
    for (const message of messagesOf(stream)) {
      if ('reason' in message) return { reason: message.reason, messages, dataBytes };
      this.#store(message, message.offset, message.data, message.isLast);
      messages++;
      dataBytes += message.data.length;
    }
    return { reason: null, messages, dataBytes };
  }

  /** Reads the messages of a response that is cut off. */
  takeBeginning(stream: Uint8Array): void {
    try {
      this.take(stream);
    } catch (error) {
      if (/cut short|ends inside/.test((error as Error).message)) return;
      throw error;
    }
    throw new Error('The response is whole.');
  }

  #store(name: Pick<ReceivedBin, 'binClass' | 'codestream' | 'id'>, offset: number, data: Uint8Array, isLast: boolean): void {
    const key = `${name.binClass}/${name.codestream}/${name.id}`;
    const { binClass, codestream, id } = name;
    const known = this.bins.get(key) ?? { binClass, codestream, id, bytes: new Uint8Array(0), complete: false };
    const label = `bin ${key}`;
    if (offset > known.bytes.length) throw new Error(`${label}: gap from ${known.bytes.length} to ${offset}`);
    if (known.complete) this.repeatedBins++;
    const overlap = Math.min(known.bytes.length - offset, data.length);
    this.repeatedBytes += overlap;
    if (!Buffer.from(known.bytes.subarray(offset, offset + overlap)).equals(data.subarray(0, overlap)))
      throw new Error(`${label}: other bytes than before`);
    if (known.complete && offset + data.length > known.bytes.length) throw new Error(`${label}: grows after its last byte`);
    if (overlap < data.length) known.bytes = Buffer.concat([known.bytes, data.subarray(overlap)]);
    known.complete ||= isLast;
    this.bins.set(key, known);
  }
}
