// Fuzzes indexer and decoder with damaged streams, and the decoder with valid indexes of streams damaged afterwards.
import { decodeSidecar, encodeSidecar, indexJp2 } from '../../src/jp2/sidecar.ts';
import { randomNumbers } from '../support/imaging/rasters.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { mutate, openTilePart, pick } from './mutate.ts';
import { decodeRandomWindows, rejectable, validImageCheck } from './rules.ts';
import { validStreams } from './streams.ts';

/** Indexes a stream, and decodes windows of it by its index and by the index that a sidecar keeps. */
function decodeDamaged(damaged: Uint8Array, random: () => number): void {
  const index = rejectable(() => indexJp2(damaged));
  if (!index) return;
  decodeRandomWindows(damaged, index, random);
  decodeRandomWindows(damaged, decodeSidecar(encodeSidecar(index)), random, 1);
}

export const decodeReplay: FuzzReplay = () => {
  const checkValidImage = validImageCheck();
  return (input) => {
    decodeDamaged(input, randomNumbers(input.length));
    checkValidImage();
  };
};

export const decodeTarget: FuzzTarget = () => {
  const streams = validStreams();
  const indexes = streams.map((file) => indexJp2(file));
  const checkValidImage = validImageCheck();
  return (random, onInput) => {
    const at = Math.floor(random() * streams.length);
    const stream = streams[at] as Uint8Array;
    const other = pick(random, streams);
    const damaged = random() < 0.5 ? mutate(stream, other, random) : openTilePart(mutate(stream, other, random));
    onInput(damaged);
    decodeDamaged(damaged, random);
    decodeRandomWindows(damaged, indexes[at] as (typeof indexes)[number], random, 1);
    checkValidImage();
  };
};
