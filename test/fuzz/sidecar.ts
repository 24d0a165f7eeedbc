// Fuzzes the sidecar reader with damaged sidecars, and the decoder with those that are accepted.
import { decodeSidecar, encodeSidecar, indexJp2 } from '../../src/jp2/sidecar.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { mutate, pick } from './mutate.ts';
import { decodeRandomWindows, rejectable, validImageCheck } from './rules.ts';
import { validStreams } from './streams.ts';

export const sidecarReplay: FuzzReplay = () => (input) => void rejectable(() => decodeSidecar(input));

export const sidecarTarget: FuzzTarget = () => {
  const streams = validStreams();
  const sidecars = streams.map((stream) => encodeSidecar(indexJp2(stream)));
  const checkValidImage = validImageCheck();
  return (random, onInput) => {
    const at = Math.floor(random() * streams.length);
    const other = pick(random, sidecars);
    const damaged = mutate(sidecars[at] as Uint8Array, other, random);
    onInput(damaged);
    const index = rejectable(() => decodeSidecar(damaged));
    if (index) decodeRandomWindows(streams[at] as Uint8Array, index, random);
    checkValidImage();
  };
};
