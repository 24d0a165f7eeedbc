import { describe, expect, it } from 'vitest';
import { openjpegDecode } from '../../support/jp2/openjpeg.ts';
import { jpipArchive } from '../../support/jpx/jpip-archive.ts';
import { rebuildCodestream } from '../../support/jpx/jpip-rebuild.ts';
import { BinCache } from '../../support/jpx/jpip-stream.ts';
import { archiveFiles, readArchiveFile } from '../../support/real-files.ts';

describe.skipIf(archiveFiles.length === 0)('a real archive file of SAMPLES_DIR', () => {
  it.each(archiveFiles)(
    '%s decodes identically from its data-bins at an eighth and in full, and no byte is sent twice',
    async (name) => {
      const jp2 = readArchiveFile(name);
      const { bytes, index } = await jpipArchive(jp2);
      const codestream = jp2.subarray(index.codestreamOffset, index.codestreamOffset + index.codestreamLength);
      const { x1, y1 } = index.size;
      const cache = new BinCache();
      for (const reduce of [3, 0]) {
        const size = `${Math.ceil(x1 / 2 ** reduce)},${Math.ceil(y1 / 2 ** reduce)}`;
        cache.take(await bytes(`cid=a&stream=0&fsiz=${size},closest&rsiz=${size}&roff=0,0`));
        const [ours, theirs] = [rebuildCodestream(cache, 0), codestream].map((stream) => openjpegDecode(stream, reduce));
        expect(ours?.samples.length).toBeGreaterThan(0);
        expect(Buffer.from(ours?.samples ?? []).equals(theirs?.samples ?? new Uint8Array(0))).toBe(true);
      }
      expect([cache.repeatedBytes, cache.repeatedBins]).toEqual([0, 0]);
    },
  );
});
