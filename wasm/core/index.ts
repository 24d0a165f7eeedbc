// The exports of the decoder core. The caller is src/imaging/jp2/decode.ts.
import { mqBuildStates } from './mqc';
import { buildContextTables } from './t1tables';

mqBuildStates();
buildContextTables();

export { alloc, allocZeroed, mark, release, reset } from './arena';
export { addBand, openPrecinct } from './precinct';
export { packetBodyLength, readPacket } from './t2';
export { setRanges } from './codeblock';
export { decodeBand, listBandRanges } from './quant';
export { horizontal97, vertical97 } from './dwt97';
export { horizontal53, vertical53 } from './dwt53';
export { finishBytes, finishIntegers, inverseIct, inverseRct } from './mct';
export { copyPlane, halvePlane } from './planes';
