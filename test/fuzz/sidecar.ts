// Fuzzes the sidecar reader with damaged sidecars, and the decoder with those that are accepted.
import { decodeSidecar, encodeSidecar, indexJp2 } from '../../src/jp2/sidecar.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { mutate } from './mutate.ts';
import { decodeRandomWindows, rejectable, validImageCheck } from './rules.ts';
import { validStreams } from './streams.ts';

export const sidecarReplay: FuzzReplay = () => (input) => void rejectable(() => decodeSidecar(input));

export const sidecarTarget: FuzzTarget = () => {
  const streams = validStreams();
  const sidecars = streams.map((stream) => encodeSidecar(indexJp2(stream)));
  const checkValidImage = validImageCheck();
  return (random, onInput) => {
    const pick = Math.floor(random() * streams.length);
    const other = sidecars[Math.floor(random() * sidecars.length)] as Uint8Array;
    const damaged = mutate(sidecars[pick] as Uint8Array, other, random);
    onInput(damaged);
    const index = rejectable(() => decodeSidecar(damaged));
    if (index) decodeRandomWindows(streams[pick] as Uint8Array, index, random);
    checkValidImage();
  };
};
