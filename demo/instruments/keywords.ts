// Keywords and file names shared by several missions.
import type { LookName } from '../sun/looks.ts';
import { isoMs } from './header.ts';
import type { Exposure, Keywords } from './instrument.ts';

type Fraction = 'milliseconds' | 'none';
const LENGTH_TO_SECONDS = '2024_05_10__12_00_09'.length;

const archiveTime = (timeMs: number, fraction: Fraction) => {
  const text = isoMs(timeMs).replace('T', '__').replace(/[-:.]/g, '_');
  return fraction === 'none' ? text.slice(0, LENGTH_TO_SECONDS) : text;
};

/** File names such as `2024_05_10__12_00_09_350__SDO_AIA_AIA_171.jp2`, with the fraction of the second or without. */
export const archiveName =
  (rest: string, fraction: Fraction = 'milliseconds') =>
  (timeMs: number) =>
    `${archiveTime(timeMs, fraction)}__${rest}.jp2`;

/** `20240510T120009350` */
export const compactTime = (timeMs: number) => isoMs(timeMs).replace(/[-:.]/g, '');

/** DATE-OBS in the form of most missions. */
export const dated = ({ shot }: Exposure): Keywords => ({ 'DATE-OBS': isoMs(shot.timeMs), DATE_OBS: isoMs(shot.timeMs) });

/** Distance in metres and the point below the observer, in degrees. */
export const distance = ({ observer }: Exposure): Keywords => ({
  DSUN_OBS: Math.round(observer.distanceM),
  CRLN_OBS: Number(observer.longitudeDeg.toFixed(5)),
  CRLT_OBS: Number(observer.latitudeDeg.toFixed(5)),
});

/** Radius of the limb in pixels. */
export const radiusPixels =
  (keyword: string) =>
  ({ limbPixels }: Exposure): Keywords => ({ [keyword]: Number(limbPixels.toFixed(4)) });

/** Radius of the limb in arcseconds. */
export const radiusArcsec =
  (keyword: string) =>
  ({ limbArcsec }: Exposure): Keywords => ({ [keyword]: Number(limbArcsec.toFixed(5)) });

/** The keywords of an exposure: observatory, instrument and `own`, then those of each part in turn. */
export const keywords =
  (TELESCOP: string, INSTRUME: string, own: Keywords, ...parts: readonly ((exposure: Exposure) => Keywords)[]) =>
  (exposure: Exposure): Keywords =>
    Object.assign({ TELESCOP, INSTRUME, ...own }, ...parts.map((part) => part(exposure)));

/** Looks of EUV channels by wavelength in angstrom. */
export const EUV_LOOKS: Readonly<Record<string, LookName>> = {
  '94': 'euv94',
  '131': 'euv131',
  '171': 'euv171',
  '174': 'euv171',
  '195': 'euv193',
  '284': 'euv284',
  '304': 'euv304',
};
