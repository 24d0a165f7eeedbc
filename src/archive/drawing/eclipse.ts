// The eclipse image: the newest LASCO C2 image in grey, with a moon in front of the Sun.
import { plainLayer } from '../../picture/layers.ts';
import { parseOverlays } from '../../picture/overlays/overlays.ts';
import { fieldOfView } from '../../picture/picture.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { Service } from '../../platform/util/service.ts';
import { requestAddress } from '../../sun/provenance.ts';
import { noImages } from '../find-image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import { type FramePlan, type FrameRenderer, planOfImages } from './frame-renderer.ts';
import { drawn } from './picture-cost.ts';

const LASCO_C2 = 4;
const HALF_SIDE_ARCSEC = 6000;
const ARCSEC_PER_PIXEL = 15;

const REGION = { left: -HALF_SIDE_ARCSEC, top: -HALF_SIDE_ARCSEC, right: HALF_SIDE_ARCSEC, bottom: HALF_SIDE_ARCSEC };
const LAYER = { ...plainLayer(LASCO_C2), grey: true } as const;

/** Plans the newest image of LASCO C2 in 800x800 pixels. @throws Failure `no-image` when there is none */
async function eclipsePlan(index: Pick<ImageIndex, 'neighbours'>, nowMs: number): Promise<FramePlan> {
  const { before, after } = await index.neighbours(LASCO_C2, nowMs);
  const image = after?.takenAtMs === nowMs ? after : before;
  if (!image) throw noImages(LASCO_C2);
  const recipe = {
    atMs: nowMs,
    layers: [LAYER],
    ...fieldOfView(REGION, ARCSEC_PER_PIXEL),
    events: [],
    overlays: parseOverlays({}),
    switchSources: false,
  };
  return planOfImages(recipe, [{ image, reference: null }])!;
}

export class EclipseService extends Service<{
  readonly index: Pick<ImageIndex, 'neighbours'>;
  readonly pictures: Pick<FrameRenderer, 'file'>;
  readonly clock: Clock;
}> {
  /** @throws Failure `no-image`, `missing-file`, `damaged-image`, or `busy` */
  async now(moon: boolean, call: RenderCall): Promise<{ plan: FramePlan; png: Uint8Array }> {
    const { index, pictures, clock } = this.ports;
    const plan = await call.stopwatch.measure('index', () => eclipsePlan(index, clock()));
    const markers = { moon, timeSuffix: 'UTC' };
    return {
      plan,
      png: await drawn(plan.recipe, call, (pace) =>
        pictures.file(plan, markers, { type: 'png' }, pace, requestAddress('getEclipseImage', { moon })),
      ),
    };
  }
}
