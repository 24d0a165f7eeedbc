// Whether pictures can be drawn in a projection: the surface needs to know where each image was taken from, an observer its ephemeris.
import { asDamaged } from '../../jp2/errors.ts';
import { layerLabel } from '../../picture/layers.ts';
import type { Picture, Scene } from '../../picture/picture.ts';
import { type Projection, printProjection } from '../../picture/projection.ts';
import { PROJECTIONS } from '../../picture/projections/projections.ts';
import { UNTIMED } from '../../platform/ports/timing.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import type { SolarSystem } from '../../sun/bodies/solar-system.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import type { Viewpoint } from '../../sun/coordinates/sphere.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import type { ImageReader } from '../reading/image-reader.ts';
import type { StateTables } from '../state-tables.ts';
import { planFrame } from './frame-renderer.ts';

/** The place of an observer by its name. @throws Failure with the observers that are possible */
export function viewpointOf(solarSystem: SolarSystem, body: string, atMs: number): Viewpoint {
  const place = solarSystem.viewpointOf(body, atMs);
  if (place) return place;
  const known = solarSystem.viewpoints.filter((name) => solarSystem.viewpointOf(name, atMs)).join(', ');
  throw badParameter('projection', `an observer with an ephemeris at ${new Date(atMs).toISOString()} (${known})`, body);
}

/** The notations of projections that need no place on the Sun. */
const OF_PICTURE = 'plane, unwrapped or radial,0';

export class ProjectionCheck extends Service<{
  readonly index: Pick<ImageIndex, 'neighbours'>;
  readonly reader: Pick<ImageReader, 'open' | 'origin'>;
  readonly stateTables: Pick<StateTables, 'solarSystem'>;
}> {
  /** Checks a scene at these times, by the nearest images. @throws Failure `bad-parameter` with what is possible, or as `planFrame` */
  async check(scene: Scene, ...timesMs: readonly number[]): Promise<void> {
    const { projection } = scene;
    if (!projection) return;
    for (const atMs of timesMs) {
      await this.#placed(projection, atMs);
      if (PROJECTIONS[projection.kind].finds === 'plane') continue;
      const picture: Picture = { ...scene, atMs };
      const { layers } = await planFrame(this.ports.index, picture);
      for (const { image } of layers) await this.#observer(projection, image);
    }
  }

  /** A projection of one image at its time, with the place of the observer that it names, and that of the image. @throws Failure as `check` */
  async ofImage(projection: Projection, image: ArchivedImage): Promise<{ projection: Projection; observer: Observer }> {
    const observer = await this.#observer(projection, image);
    return { projection: await this.#placed(projection, image.takenAtMs), observer };
  }

  async #placed(projection: Projection, atMs: number): Promise<Projection> {
    if (projection.kind !== 'observer') return projection;
    return { ...projection, from: viewpointOf(await this.ports.stateTables.solarSystem(), projection.body, atMs) };
  }

  async #observer(projection: Projection, image: ArchivedImage): Promise<Observer> {
    const { reader } = this.ports;
    const origin = reader.open(image, UNTIMED).then((open) => reader.origin(open, UNTIMED));
    const { hasPlace, observer } = await origin.catch(asDamaged);
    if (hasPlace || PROJECTIONS[projection.kind].finds === 'plane') return observer;
    const what = `${OF_PICTURE} for ${layerLabel({ sourceId: image.sourceId })}, whose headers do not state coordinates and the place of the observer,`;
    throw badParameter('projection', what, printProjection(projection));
  }
}
