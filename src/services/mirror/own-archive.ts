// The archive of this service as the target of a mirror.
import type { BulkRegister } from '../../ports/bulk.ts';
import { type MirrorArchive, MirrorError } from '../../ports/mirror.ts';
import type { IngestedFile, IngestResult } from '../images/ingest.ts';
import { knownNames } from './known-names.ts';

export function ownArchive(
  register: Pick<BulkRegister, 'lookUp'>,
  ingest: (file: IngestedFile) => Promise<IngestResult>,
): MirrorArchive {
  return {
    known: (fileNames) => knownNames(register, fileNames),
    async add(fileName, jp2) {
      const result = await ingest({ fileName, jp2, replace: false });
      if ('image' in result) return { outcome: result.outcome };
      if (result.outcome === 'busy') throw new MirrorError('failing', result.sentence);
      const reason = result.outcome === 'refused' ? result.reason : 'conflict';
      return { outcome: 'refused', reason, sentence: result.sentence };
    },
  };
}
