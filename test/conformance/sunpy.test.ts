// World coordinates of getImageHeader against the maps of SunPy, which reads the same files. Titles of skipped tests name what is
// missing: python3-sunpy with python3-glymur, or the real files in SAMPLES_DIR.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findInstrument } from '../../demo/instruments/instruments.ts';
import { inspectJp2 } from '../../src/archive/ingest/inspect-jp2.ts';
import { parseXmlHeader } from '../../src/jp2/xml-header.ts';
import { imageSources } from '../../src/sun/catalogue/sources.ts';
import { imagePlane } from '../../src/sun/coordinates/image-plane.ts';
import { imageObserver } from '../../src/sun/coordinates/observer.ts';
import { wcsOf } from '../../src/sun/wcs.ts';
import { hasSunpy } from '../support/browser/snippets.ts';
import { outputOf, PYTHON } from '../support/programs.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';
import { sampleFile } from '../support/sample-files.ts';
import { inFolder } from '../support/system/in-folder.ts';

const NOON = Date.parse('2024-05-10T12:00:00Z');
const AU_M = 149_597_870_700;
/** SOHO is upside down then. */
const TURNED = Date.parse('2024-02-10T12:00:00Z');
const SIZE = 128;

const SHOTS = [
  ...imageSources.filter(({ id }) => findInstrument(id)).map((source) => ({ ...source, timeMs: NOON })),
  ...imageSources.filter(({ id }) => id === 4 || id === 5).map((source) => ({ ...source, timeMs: TURNED })),
];
const CASES = [
  ...SHOTS.map(({ id, nickname, timeMs }) => ({
    name: `source ${id}, ${nickname}, ${timeMs === NOON ? 'upright' : 'upside down'}`,
    read: () => sampleFile({ sourceId: id, timeMs, size: SIZE }),
  })),
  ...archiveFiles.map((name) => ({ name, read: () => readArchiveFile(name) })),
];

/** Pixels along a side of an image, 1,024 in all, from corner to corner. */
const POINTS = 32;

/** Prints how far SunPy's map has our world coordinates from their pixels, and from the pixels that our keywords have at its own. */
const SCRIPT = `
import json, sys, warnings
warnings.simplefilter('ignore')
import numpy as np
import astropy.units as u
from astropy.wcs import WCS
import sunpy.map
from sunpy.io import jp2
sunpy.log.setLevel('ERROR')

def compared(path, ours, seen):
    width, height = ours['naxis']
    data, header = np.broadcast_to(np.float32(0), (height, width)), jp2.get_header(path)[0]
    refusal = None
    try:
        map = sunpy.map.Map(data, header)
        map.coordinate_frame
    except ValueError as error:
        map, refusal = sunpy.map.GenericMap(data, header), str(error)
    except KeyError as error:
        # SunPy looks for the comments of FITS, by which TIMESYS of RHESSI is a time, and which JP2 files have not.
        times = [key for key in header if key.lower() == 'timesys']
        map, refusal = sunpy.map.Map(data, {key: header[key] for key in header if key not in times}), str(error)
    wcs = WCS(naxis=2)
    for name in ['ctype', 'cunit', 'crpix', 'cdelt', 'crval', 'pc', 'lonpole', 'latpole']:
        setattr(wcs.wcs, name, ours[name])
    # From here on in degrees.
    wcs.wcs.set()
    across, down = np.meshgrid(np.linspace(0, width - 1, ${POINTS}), np.linspace(0, height - 1, ${POINTS}))
    pixels = np.array([across.ravel(), down.ravel()])
    world = map.pixel_to_world(*(pixels * u.pix))
    keywords = wcs.wcs_world2pix(np.array([world.Tx.to_value('deg'), world.Ty.to_value('deg')]).T, 0).T
    back = np.array(map.wcs.wcs_world2pix(np.array(seen) / 3600, 0)).T
    off = max(float(np.max(np.hypot(*(found - pixels)))) for found in (keywords, back))
    return {'map': type(map).__name__, 'refusal': refusal, 'pixels': off}

print(json.dumps([compared(*entry) for entry in json.load(open(sys.argv[1]))]))
`;

interface Compared {
  readonly map: string;
  /** Why SunPy makes no map of the file by itself. */
  readonly refusal: string | null;
  /** Largest distance between the pixels of one world coordinate. */
  readonly pixels: number;
}

const headerOf = async (jp2: Uint8Array) => parseXmlHeader((await inspectJp2(jp2)).xml)!.fits;

/** Our world coordinates of the pixels, of which each leads back to its pixel. */
function seenIn(fits: ReadonlyMap<string, string>): [number, number][] {
  const plane = imagePlane(wcsOf(fits)!, imageObserver(NOON, AU_M, fits))!;
  let worst = 0;
  const places = Array.from({ length: POINTS ** 2 }, (_, i): [number, number] => {
    const along = (k: number, side: number) => 1 + (k * (side - 1)) / (POINTS - 1);
    const pixel = { x: along(i % POINTS, plane.width), y: along(Math.floor(i / POINTS), plane.height) };
    const seen = plane.seenAt(pixel);
    const back = plane.pixelAt(seen)!;
    worst = Math.max(worst, Math.hypot(back.x - pixel.x, back.y - pixel.y));
    return [seen.x, seen.y];
  });
  expect(worst).toBeLessThan(1e-5);
  return places;
}

async function comparedInSunpy(): Promise<Compared[]> {
  return inFolder(async (folder) => {
    const entries: unknown[] = [];
    for (const [i, { read }] of CASES.entries()) {
      const jp2 = await read();
      const path = join(folder, `${i}.jp2`);
      writeFileSync(path, jp2);
      const fits = await headerOf(jp2);
      entries.push([path, wcsOf(fits), seenIn(fits)]);
    }
    const list = join(folder, 'entries.json');
    writeFileSync(list, JSON.stringify(entries));
    return JSON.parse(outputOf(PYTHON, ['-c', SCRIPT, list]).toString());
  });
}

describe(`SunPy${hasSunpy ? '' : ' without python3-sunpy, python3-matplotlib and python3-glymur'}`, () => {
  let compared: readonly Compared[] = [];
  beforeAll(async () => {
    if (hasSunpy) compared = await comparedInSunpy();
  }, 300_000);

  it.skipIf(!hasSunpy).each(CASES.map(({ name }, i) => ({ name, i })))(
    'finds the coordinates of $name within 0.05 pixel at 1,024 places',
    ({ i }) => {
      expect(compared[i]!.pixels).toBeLessThan(0.05);
    },
  );

  it.skipIf(!hasSunpy)(
    'makes maps of their own for instruments, but refuses a mispositioned filter and the time system of RHESSI',
    () => {
      const own = new Set(compared.map(({ map }) => map));
      const known = ['LASCOMap', 'EITMap', 'MDIMap', 'AIAMap', 'HMIMap', 'EUVIMap', 'CORMap', 'SWAPMap', 'XRTMap', 'EUIMap'];
      expect([...own]).toEqual(expect.arrayContaining(known));
      const refused = compared.flatMap(({ refusal }, i) => (refusal === null ? [] : [`${CASES[i]!.name}: ${refusal}`]));
      const hasRhessi = archiveFiles.some((name) => name.includes('RHESSI'));
      expect(refused).toEqual([
        'source 68, XRT Mispositioned/Mispositioned, upright: Unexpected filter wheel 1 Mispositioned in header.',
        ...(hasRhessi ? [expect.stringMatching(/^\d{4}_.*RHESSI.*: 'keycomments'$/)] : []),
      ]);
    },
  );
});

if (archiveFiles.length === 0)
  it.skip('SunPy has the coordinates of the real files, without those of SAMPLES_DIR', () => undefined);

it('The pixels of the sample images of LASCO are turned to solar north, though their headers state a roll, as in the archive.', async () => {
  for (const [timeMs, degrees] of [
    [NOON, 7],
    [TURNED, 177],
  ] as const) {
    const header = await headerOf(await sampleFile({ sourceId: 5, timeMs, size: SIZE }));
    const rolls = ['CROTA', 'CROTA1', 'CROTA2'].map((keyword) => Math.round(Number(header.get(keyword))));
    expect(rolls).toEqual([degrees, degrees, degrees]);
    expect(wcsOf(header)!.pc.flat()).toEqual([1, 0, 0, 1]);
  }
});
