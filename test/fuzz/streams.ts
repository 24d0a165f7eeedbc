// Valid streams to damage: small ones of many kinds, and small real files if they are available.
import { type EncodeOptions, encodeSamples } from '../../demo/jp2/openjpeg.ts';
import { makeRaster, type RasterShape } from '../support/imaging/rasters.ts';
import { jp2File } from '../support/jp2/jp2-file.ts';
import { hasOpj, opjCompress } from '../support/jp2/opj.ts';
import { archiveFiles, conformanceStreams, readArchiveFile, readConformanceFile } from '../support/real-files.ts';

/** Size limit of real files, because larger ones slow the cases down without adding variety. */
const MAX_FILE_BYTES = 80_000;

const ENCODED: readonly (RasterShape & EncodeOptions)[] = [
  { width: 61, height: 47, lossless: true, levels: 4, order: 2 },
  { width: 61, height: 47, components: 3, lossless: false, levels: 3, order: 4 },
  { width: 130, height: 90, lossless: false, levels: 5, order: 2, layerRatios: [60, 20, 5] },
  { width: 40, height: 33, precision: 16, lossless: true, levels: 2, order: 3 },
  { width: 1, height: 33, lossless: true, levels: 0 },
  { width: 200, height: 150, lossless: false, levels: 6, block: [4, 4] },
];

const OPJ: readonly (readonly [RasterShape, readonly string[]])[] = [
  [{ width: 90, height: 70 }, ['-n', '4', '-t', '40,40', '-d', '13,7', '-T', '3,5', '-SOP', '-EPH']],
  [{ width: 90, height: 70 }, ['-n', '4', '-M', '37', '-p', 'RPCL', '-TP', 'R', '-PLT', '-TLM']],
  [{ width: 90, height: 70, precision: 12 }, ['-n', '3', '-M', '1', '-ROI', 'c=0,U=5', '-I']],
  [{ width: 80, height: 60, components: 3 }, ['-n', '6', '-r', '20,5,1', '-POC', 'T1=0,0,3,3,3,RLCP/T1=3,0,3,6,3,CPRL']],
];

let made: readonly Uint8Array[] | undefined;

/** Codestreams and JP2 files, made once. */
export function validStreams(): readonly Uint8Array[] {
  made ??= makeStreams();
  return made;
}

function makeStreams(): Uint8Array[] {
  const encoded = ENCODED.map((image) => encodeSamples(makeRaster(image), image));
  const opj = hasOpj ? OPJ.map(([shape, options]) => opjCompress(makeRaster(shape), options)) : [];
  const real = [...archiveFiles.map(readArchiveFile), ...conformanceStreams.map(readConformanceFile)];
  const small = real.filter(({ length }) => length <= MAX_FILE_BYTES);
  return [...encoded, ...opj, jp2File(encoded[0] as Uint8Array), ...small.map((bytes) => new Uint8Array(bytes))];
}
