// Fuzzes the JP2 box reader with damaged files: boxes that it returns lie inside the file.
import { type Box, readBoxes } from '../../src/jp2/boxes.ts';
import { box, jp2File, SAMPLE_XML } from '../support/jp2/jp2-file.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';
import type { FuzzReplay, FuzzTarget } from './fuzzer.ts';
import { damagedOf } from './mutate.ts';
import { rejectable } from './rules.ts';

/** Bytes read from each archive file: all boxes before the codestream and its start. */
const HEAD_BYTES = 12_000;

/** @throws Error for a box outside the file, or a palette of another size than 256 colours */
function readDamaged(damaged: Uint8Array): void {
  const boxes = rejectable(() => readBoxes(damaged));
  if (!boxes) return;
  for (const { type, start, end } of [boxes.codestream, boxes.xml].filter((found): found is Box => found !== null))
    if (start < 0 || end < start || end > damaged.length)
      throw new Error(`Expected box ${type} inside the file, got [${start}, ${end}).`);
  if (boxes.palette && boxes.palette.length !== 768)
    throw new Error(`Expected a palette of 768 bytes, got ${boxes.palette.length}.`);
}

export const boxesReplay: FuzzReplay = () => readDamaged;

export const boxesTarget: FuzzTarget = () => {
  const stub = Uint8Array.of(0xff, 0x4f, 0xff, 0x51, ...new Uint8Array(60));
  const nested = box('asoc', box('uuid', new Uint8Array(20)), box('xml ', new TextEncoder().encode(SAMPLE_XML)));
  const files = [
    jp2File(stub),
    jp2File(stub, ''),
    Buffer.concat([nested, jp2File(stub, '')]),
    ...archiveFiles.map((name) => readArchiveFile(name).subarray(0, HEAD_BYTES)),
  ];
  return (random, onInput) => {
    const damaged = damagedOf(random, files);
    onInput(damaged);
    readDamaged(damaged);
  };
};
