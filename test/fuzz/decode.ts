// Fuzzes indexer and decoder with damaged streams, and the decoder with valid indexes of streams damaged afterwards.
import { indexJp2 } from '../../src/imaging/jp2/index-jp2.ts';
import { decodeSidecar, encodeSidecar } from '../../src/imaging/jp2/sidecar.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate, openTilePart } from './mutate.ts';
import { decodeRandomWindows, rejectable, validImageCheck } from './rules.ts';
import { validStreams } from './streams.ts';

export const decodeTarget: FuzzTarget = () => {
  const streams = validStreams();
  const indexes = streams.map((file) => indexJp2(file));
  const checkValidImage = validImageCheck();
  return (random) => {
    const pick = Math.floor(random() * streams.length);
    const stream = streams[pick] as Uint8Array;
    const other = streams[Math.floor(random() * streams.length)] as Uint8Array;
    const damaged = random() < 0.5 ? mutate(stream, other, random) : openTilePart(mutate(stream, other, random));
    const index = rejectable(() => indexJp2(damaged));
    if (index) {
      decodeRandomWindows(damaged, index, random);
      decodeRandomWindows(damaged, decodeSidecar(encodeSidecar(index)), random, 1);
    }
    decodeRandomWindows(damaged, indexes[pick] as (typeof indexes)[number], random, 1);
    checkValidImage();
  };
};
