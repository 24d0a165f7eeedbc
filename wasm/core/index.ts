// The exports of the core. src/jp2/core/core.ts has their types.
import { mqBuildStates } from './mqc';
import { buildContextTables } from './t1tables';

mqBuildStates();
buildContextTables();

export { alloc, mark, release, reset } from './arena';
export { addBand, openPrecinct } from './precinct';
export { packetBodyLength, readPacket } from './t2';
export { decodedBytes, setRanges } from './codeblock';
export { decodeBand, listBandRanges } from './quant';
export { openSynthesis, setResult, setStripe } from './synthesis';
export { firstStep, lastStep, synthesise } from './dwt';
export { finishBytes, finishIntegers, inverseIct, inverseRct } from './mct';
export { clearPlane, scalePlane } from './planes';
export { addChanges, applyAnnuli, countAnnuli, makeTable, squareDistances } from '../draw/annuli';
export { colourPixels } from '../draw/colours';
export { drawAdded, drawOver } from '../draw/compose';
export { deflate } from '../draw/deflate';
export { compare } from '../draw/difference';
export { gather, gatherTable } from '../draw/gather';
export { jpegBits, jpegSimilarity, jpegTokens } from '../draw/jpeg';
export { addScale, halveBytes, halvePlane, mgnLevels, widenPlane } from '../draw/mgn';
export { adler32, filterRows } from '../draw/png-rows';
export { prefixCode } from '../draw/prefix';
export { resample, resampleScratch } from '../draw/resample';
export { shareAlphas } from '../draw/share';
export { toYuv420 } from '../draw/yuv';
export { decodeQuads } from './quads/decode';
export { quadBytes, quadFlags } from './quads/encode';
export { transcodeBlock } from './quads/transcode';
