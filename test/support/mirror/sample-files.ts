import { seriesShots } from '../../../demo/archive.ts';
import { archivePath } from '../../../demo/image-file.ts';
import { sampleFile } from '../sample-files.ts';

/** Small images of these sources by their paths in the archive. */
export async function sampleFiles(
  sources: readonly number[],
  { fromMs, toMs, cadenceMs }: { readonly fromMs: number; readonly toMs: number; readonly cadenceMs: number },
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const shot of seriesShots({ sources: [...sources], fromMs, toMs, cadenceMs, size: 64 }))
    files.set(archivePath(shot), await sampleFile(shot));
  return files;
}
