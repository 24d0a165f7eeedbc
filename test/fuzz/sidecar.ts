// Damaged sidecars, and windows decoded with those that are still taken for sound.
import { indexJp2 } from '../../src/imaging/jp2/index-jp2.ts';
import { decodeSidecar, encodeSidecar } from '../../src/imaging/jp2/sidecar.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate } from './mutate.ts';
import { decodeRandomWindows, refusable, soundImageCheck } from './rules.ts';
import { soundStreams } from './streams.ts';

export const sidecarTarget: FuzzTarget = () => {
  const streams = soundStreams();
  const sidecars = streams.map((stream) => encodeSidecar(indexJp2(stream)));
  const checkSoundImage = soundImageCheck();
  return (random) => {
    const pick = Math.floor(random() * streams.length);
    const other = sidecars[Math.floor(random() * sidecars.length)] as Uint8Array;
    const index = refusable(() => decodeSidecar(mutate(sidecars[pick] as Uint8Array, other, random)));
    if (index) decodeRandomWindows(streams[pick] as Uint8Array, index, random);
    checkSoundImage();
  };
};
