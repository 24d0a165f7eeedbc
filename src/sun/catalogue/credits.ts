// The credit of each mission: the line that its rules ask for, the rules in short, and the publication to cite. Without spreads, so that the
// pages, which use none of it, leave it out.

export interface Credit {
  readonly line: string;
  readonly rules: string;
  /** Null where the mission names none. */
  readonly citation: string | null;
}

const NASA = 'Free use with the credit; no endorsement by NASA implied.';
const ESA_NASA = 'Free non-commercial and educational use with the credit; others ask the mission.';
const FREE = 'Public data; free use with the credit.';

const SDO = 'Courtesy of NASA/SDO and the AIA, EVE, and HMI science teams.';

export const CREDITS = {
  aia: { line: SDO, rules: NASA, citation: 'Lemen et al. 2012, doi:10.1007/s11207-011-9776-8' },
  hmi: { line: SDO, rules: NASA, citation: 'Scherrer et al. 2012, doi:10.1007/s11207-011-9834-2' },
  eit: { line: 'SOHO/EIT (ESA & NASA)', rules: ESA_NASA, citation: 'Delaboudiniere et al. 1995, doi:10.1007/BF00733432' },
  lasco: { line: 'SOHO/LASCO (ESA & NASA)', rules: ESA_NASA, citation: 'Brueckner et al. 1995, doi:10.1007/BF00733434' },
  mdi: { line: 'SOHO/MDI (ESA & NASA)', rules: ESA_NASA, citation: 'Scherrer et al. 1995, doi:10.1007/BF00733429' },
  stereo: { line: 'NASA/STEREO/SECCHI', rules: NASA, citation: 'Howard et al. 2008, doi:10.1007/s11214-008-9341-4' },
  proba2: {
    line: 'ESA/Royal Observatory of Belgium',
    rules: 'Free use with the credit to ESA and the PROBA2 Science Centre.',
    citation: 'Seaton et al. 2013, doi:10.1007/s11207-012-0114-6',
  },
  yohkoh: {
    line: 'Yohkoh/SXT: ISAS, LMSAL, NAOJ, University of Tokyo, NASA',
    rules: FREE,
    citation: 'Tsuneta et al. 1991, doi:10.1007/BF00151694',
  },
  hinode: {
    line: 'Hinode/XRT: JAXA/NAOJ, NASA, STFC, ESA, NSC (Norway)',
    rules: 'Free use with the credit to JAXA and its partners.',
    citation: 'Golub et al. 2007, doi:10.1007/s11207-007-0182-1',
  },
  trace: { line: 'NASA/LMSAL TRACE', rules: NASA, citation: 'Handy et al. 1999, doi:10.1023/A:1005166902804' },
  mlso: {
    line: 'Courtesy of the Mauna Loa Solar Observatory, operated by HAO/NCAR with support of NSF',
    rules: 'Free use with the credit; publications name the data by its DOI.',
    citation: 'doi:10.5065/D69G5JV8',
  },
  eui: {
    line: 'ESA & NASA/Solar Orbiter/EUI team',
    rules: ESA_NASA,
    citation: 'Rochus et al. 2020, doi:10.1051/0004-6361/201936663',
  },
  suvi: { line: 'NOAA/NESDIS GOES-R SUVI', rules: FREE, citation: 'Darnel et al. 2022, doi:10.1029/2022SW003044' },
  ccor: { line: 'NOAA/NRL Compact Coronagraph', rules: FREE, citation: null },
  iris: { line: 'NASA/LMSAL IRIS', rules: NASA, citation: 'De Pontieu et al. 2014, doi:10.1007/s11207-014-0485-y' },
  gong: {
    line: 'NSO/GONG, operated by AURA with funds of NSF',
    rules: 'Free use with the credit to GONG and the National Solar Observatory.',
    citation: 'Harvey et al. 1996, doi:10.1126/science.272.5266.1284',
  },
  rhessi: { line: 'NASA/RHESSI', rules: NASA, citation: 'Lin et al. 2002, doi:10.1023/A:1022428818870' },
  punch: { line: 'NASA/SwRI PUNCH', rules: NASA, citation: null },
} as const satisfies Readonly<Record<string, Credit>>;
