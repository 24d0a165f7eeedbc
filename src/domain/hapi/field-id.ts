// Ids of datasources at the public HAPI server of Helioviewer, which are the names of hvpy.
import type { DataSource } from '../catalogue/datasource.ts';

/** Names that do not follow from nicknames; the server has no datasets of CCOR and PUNCH, whose ids continue its scheme. */
const NAMES: Readonly<Record<number, string>> = {
  44: 'XRT_AL_POLY_AL_mesh',
  131: 'PUNCH_CAM',
  132: 'CCOR1',
  133: 'CCOR2',
  134: 'PUNCH_PAM',
};

/** `AIA_304`, `LASCO_C2`, `EUVI_A_171`; of RHESSI with the band and the method. */
export function fieldId({ id, nickname, levels }: Pick<DataSource, 'id' | 'nickname' | 'levels'>): string {
  const text = nickname === 'RHESSI' ? levels.map(({ name }) => name).join(' ') : nickname;
  return NAMES[id] ?? text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}
