import { describe, expect, it } from 'vitest';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { LOOKS } from '../../../demo/sun/looks.ts';
import { allSources, findSource } from '../../../src/sun/catalogue/sources.ts';
import { SOLAR_RADIUS_AT_1AU_ARCSEC } from '../../../src/sun/geometry.ts';
import type { ArchivedImage, ImageGeometry } from '../../../src/sun/image.ts';
import { fitLimb, type LimbSign } from '../../support/imaging/limb.ts';
import { type RgbFrame, renderFrame } from '../../support/imaging/rgb-frame.ts';
import { archiveFiles, readArchiveFile } from '../../support/real-files.ts';
import { archiveOfFiles, type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';

/** Gives a radius of 220 pixels for every observatory, because scales are normalised to 1 au. */
const SCALE = SOLAR_RADIUS_AT_1AU_ARCSEC / 220;
/** Off-centre, so that the Sun's centre differs from that of the picture. */
const FIELD = { imageScale: SCALE, x0: 130, y0: -70, width: 512, height: 512 };
/** The Sun's centre in the picture: x to the right, y downward. */
const SUN = { x: 256 - FIELD.x0 / SCALE, y: 256 - FIELD.y0 / SCALE };

/** Height of the crest of limb brightening above the photosphere, arcseconds as seen from 1 au. */
const CREST_ARCSEC = { sample: 3, real: 10 };

/** Expects the limb within a pixel of centre and radius according to the header. */
function expectRoundLimb(frame: RgbFrame, geometry: ImageGeometry, sign: LimbSign, crestArcsec: number) {
  const radius = (geometry.rsunPixels * geometry.scaleArcsecPerPixel) / SCALE;
  const height = sign === 'bend' ? crestArcsec / SCALE : 0;
  const expected = { ...SUN, radius };
  const fitted = fitLimb(frame, expected, sign);
  expect(Math.abs(fitted.x - expected.x), `centre ${fitted.x} for ${expected.x}`).toBeLessThan(1);
  expect(Math.abs(fitted.y - expected.y), `centre ${fitted.y} for ${expected.y}`).toBeLessThan(1);
  expect(Math.abs(fitted.radius - radius - height), `radius ${fitted.radius} for ${radius}`).toBeLessThan(1);
  expect(fitted.rms).toBeLessThan(1);
  expect(fitted.kept).toBeGreaterThan(0.75);
}

function drawGrey(archive: SampleArchive, image: ArchivedImage): Promise<RgbFrame> {
  const parameters = { date: image.takenAtMs, layers: `[${image.sourceId},1,100]`, ...FIELD, watermark: false };
  return renderFrame(archive, { ...parameters, colour: 'false' });
}

const SOLAR_MINIMUM = Date.parse('2009-06-10T12:00:00Z');
/** Solar Orbiter at half of the Earth's distance; nearer, the Sun exceeds the field of view. */
const FAR_ENOUGH = Date.parse('2024-05-10T12:00:00Z');

/** One full-disk source for each instrument and look of the sample. */
const diskImagers = (() => {
  const seen = new Set<string>();
  return allSources.flatMap(({ id, nickname, levels }) => {
    const instrument = findInstrument(id);
    if (!instrument || instrument.target === 'region' || LOOKS[instrument.look].kind === 'coronagraph') return [];
    const key = `${levels[0]?.name} ${levels[1]?.name} ${instrument.look}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const sign: LimbSign = LOOKS[instrument.look].kind === 'corona' ? 'bend' : 'fall';
    return [{ id, nickname, sign, timeMs: instrument.viewpoint === 'solarOrbiter' ? FAR_ENOUGH : SOLAR_MINIMUM }];
  });
})();

describe('the limb in a picture of a sample image', () => {
  it.each(diskImagers)('draws a circle at the position in the header: $nickname', async ({ id, sign, timeMs }) => {
    const archive = await sampleArchive([{ sourceId: id, timeMs, size: 512 }]);
    const image = archive.images[0]!;
    expectRoundLimb(await drawGrey(archive, image), image.geometry, sign, CREST_ARCSEC.sample);
  });

  it('the limb tests cover every observatory with full-disk images', () => {
    const observatories = new Set(diskImagers.map(({ id }) => findSource(id)?.levels[0]?.name));
    expect(observatories).toEqual(
      new Set(['SDO', 'SOHO', 'STEREO_A', 'STEREO_B', 'PROBA2', 'Yohkoh', 'Hinode', 'SOLO', 'GOES', 'GONG']),
    );
  });
});

describe.skipIf(archiveFiles.length === 0)('the limb in a picture of a real image', () => {
  const wholeDisks = /AIA_(171|193|304)|HMI_HMI|MDI_MDI|EIT_EIT|SWAP_SWAP|EUI_FSI/;
  const files = archiveFiles.filter((name) => wholeDisks.test(name));

  it.each(files)('draws a circle at the position in the header: %s', async (name) => {
    const archive = await archiveOfFiles([{ path: `jp2/${name}`, jp2: readArchiveFile(name) }]);
    const image = archive.images[0]!;
    const sign = /HMI|MDI/.test(name) ? 'fall' : 'bend';
    expectRoundLimb(await drawGrey(archive, image), image.geometry, sign, CREST_ARCSEC.real);
  });
});
