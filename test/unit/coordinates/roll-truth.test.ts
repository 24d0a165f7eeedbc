// Which way up the pixels of the real files are, by what they show: the evidence of `rollOf`. For EUI it is the limb, far off the middle (limb.test.ts).
// Nothing in AIA, HMI and RHESSI tells it: no other instrument has an image of their time.
import { expect, it } from 'vitest';
import { indexJp2 } from '../../../src/jp2/sidecar.ts';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import { planeOf } from '../../../src/sun/coordinates/image-plane.ts';
import { vectorOf } from '../../../src/sun/coordinates/sphere.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { archiveFiles, readArchiveFile, xmlOfSample } from '../../support/real-files.ts';
import { describeFile } from '../../support/sample-archive.ts';

async function fileOf(part: string) {
  const name = archiveFiles.find((each) => each.includes(part))!;
  const [jp2, header] = [readArchiveFile(name), parseXmlHeader(xmlOfSample(name))!];
  const plane = planeOf((await describeFile(jp2, 1, `X/1/${name}`)).image, header)!;
  const number = (keyword: string) => Number(header.fits.get(keyword));
  return { ...decodeFrom(jp2, indexJp2(jp2), 0)[0]!, plane, sun: plane.pixelTowards(0, 0, 1)!, number };
}
type File = Awaited<ReturnType<typeof fileOf>>;
type Place = Readonly<Record<'x' | 'y', number>>;

/** Mean place of the FITS pixels, or of one in so many, in which something is true, and their mean level, and the share that is lit. */
function meanOf({ width, height, samples }: File, isIn: (x: number, y: number, level: number) => boolean, every = 1) {
  const sums = [0, 0, 0, 0, 0];
  for (let i = 0; i < samples.length; i += every) {
    const [x, y, level] = [(i % width) + 1, height - Math.floor(i / width), samples[i]!];
    if (isIn(x, y, level)) for (const [k, part] of [1, x, y, level, Number(level > 1)].entries()) sums[k]! += part;
  }
  const [, x, y, level, lit] = sums.map((sum) => sum / sums[0]!) as [number, number, number, number, number];
  return { x, y, level, lit };
}

/** Whether light ends at the edges of a detector, but for dark pixels, that was turned to the left about the Sun at a place of its pixels. */
function isFramed(file: File, degrees: number, from: Place = file.sun, dark = 0): boolean {
  const depth = (at: number) => file.width / 2 - dark - Math.abs(at - 0.5 - file.width / 2);
  const contrast = (off: number) => {
    const [sine, cosine] = [Math.sin, Math.cos].map((of) => of(((degrees + off) * Math.PI) / 180)) as [number, number];
    const strip = (sign: number) => (x: number, y: number) => {
      const across = depth(from.x + (x - file.sun.x) * cosine + (y - file.sun.y) * sine);
      const up = depth(from.y + (y - file.sun.y) * cosine - (x - file.sun.x) * sine);
      return Math.max(across, up) > 200 && Math.abs(sign * Math.min(across, up) - 3.5) < 2.5;
    };
    return meanOf(file, strip(1), 3).lit - meanOf(file, strip(-1), 3).lit;
  };
  return contrast(0) > Math.max(0.7, ...[-1, 1, 90, 180].map(contrast));
}

/** Stars of Scorpius around the Sun, which is at 246.43, -21.672, and its pole. SOHO sees them 9 and 2 pixels aside. */
function hasStars(file: File): boolean {
  const sky = { pole: [286.13, 63.87], antares: [247.35, -26.43], delta: [240.08, -22.62], tau: [248.97, -28.22] } as const;
  const [pole, ...stars] = Object.values(sky).map(([ra, latitude]) =>
    vectorOf({ latitude, longitude: ra }, { b0Degrees: -21.672, longitudeDegrees: 246.43 }),
  );
  const angle = Math.atan2(pole!.x, pole!.y);
  return stars.every(({ x: east, y: north, z }) => {
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    const { x, y } = file.plane.pixelTowards(north * sine - east * cosine, north * cosine + east * sine, z)!;
    const star = meanOf(file, (across, up, level) => level > 220 && Math.hypot(across - x, up - y) < 20);
    return Math.hypot(star.x - x - 9, star.y - y - 2) < 3;
  });
}

/** NOAA 10720, four days before it crossed the meridian. */
function hasRegion(file: File): boolean {
  const { x, y } = file.plane.pixelAt(file.plane.directionOf({ latitude: 13, longitude: -50 })!)!;
  return meanOf(file, (across, up, level) => level < 150 && Math.hypot(across - x, up - y) < 20).level > 0;
}

const slit = (file: File, off: number) => meanOf(file, (x) => Math.abs(x - file.number('SLTPX1IX') - off) < 1).level;
const swap = (file: File) =>
  isFramed(file, 90 * file.number('LANG_ROT') + file.number('SOLAR_EP'), { x: file.number('SWXCEN'), y: file.number('SWYCEN') });

it.skipIf(archiveFiles.length === 0).each<[what: string, part: string, isFound: (file: File) => boolean]>([
  ['edges and stars', 'LASCO_C3', (file) => isFramed(file, file.number('CROTA')) && hasStars(file)],
  // The edges are about the middle: its limb alone, which is beside it, tells that the file is turned (limb.test.ts).
  ['edges', 'EIT_EIT', (file) => isFramed(file, -file.number('SC_ROLL'), file.sun, 5)],
  ['edges', '00_01_34_351__PROBA2', swap],
  ['edges', '00_03_44_352__PROBA2', swap],
  ['the slit', 'iris', (file) => slit(file, 0) < 0.7 * Math.min(slit(file, -8), slit(file, 8))],
  ['a region', 'MDI_MDI', hasRegion],
])('%s of %s are where its coordinates say, and not where it is turned by 180 degrees', async (_, part, isFound) => {
  const file = await fileOf(part);
  const found = [file, { ...file, samples: file.samples.toReversed() }].map(isFound);
  expect(found).toEqual([true, part === 'EIT_EIT']);
});
