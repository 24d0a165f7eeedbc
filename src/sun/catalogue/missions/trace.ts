// Transition Region and Coronal Explorer. It has no instrument level, so the ingestion status leaves it out.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { family, integerText, level, measurement } from '../mission-records.ts';

const headerLevels: HeaderRule = (header, telescope, instrument) => {
  if (!/\bTRACE\b/.test(telescope) && instrument !== 'TRACE') return null;
  const channel = header.fits.get('WAVE_LEN') ?? measurement(header);
  return ['TRACE', channel?.toUpperCase() === 'WL' ? 'white-light' : integerText(channel)];
};

export const TRACE_SOURCES: readonly DataSource[] = family({
  firstId: 75,
  above: [level('Observatory', 'TRACE', 'Transition Region and Coronal Explorer')],
  leaves: ['171', '195', '284', '1216', '1550', '1600', '1700', 'white-light'],
  meaning: 'TRACE {}',
  credit: CREDITS.trace,
  nickname: 'TRACE {}',
  description: 'TRACE {}',
  units: 'Å',
  displayOrder: 8,
  headerLevels,
  colourTable: 'TRACE_{}',
  archiveDirectory: 'TRACE',
  search: (leaf) => ({ source: 'TRACE', instrument: 'TRACE', wavelengthAngstrom: Number(leaf) }),
  knownGaps: [
    { reason: 'not-launched', to: '1998-04-02', sentence: 'TRACE was launched on 2 April 1998.' },
    { reason: 'mission-ended', from: '2010-06-21', sentence: 'TRACE took its last image on 21 June 2010.' },
  ],
  byLeaf: { 'white-light': { units: '', search: { source: 'TRACE', instrument: 'TRACE' } } },
});
