// The exports of the decoder core. The callers are in src/imaging/jp2.
import { mqBuildStates } from './mqc';
import { buildContextTables } from './t1tables';

mqBuildStates();
buildContextTables();

export { alloc, allocZeroed, mark, release, reset } from './arena';
export { addBand, openPrecinct } from './precinct';
export { packetBodyLength, readPacket } from './t2';
export { setRanges } from './codeblock';
export { decodeBand, listBandRanges } from './quant';
export { openSynthesis, setResult, setStripe } from './synthesis';
export { firstStep97, lastStep97, synthesise97 } from './dwt97';
export { firstStep53, lastStep53, synthesise53 } from './dwt53';
export { finishBytes, finishIntegers, inverseIct, inverseRct } from './mct';
export { clearPlane, copyPlane } from './planes';
