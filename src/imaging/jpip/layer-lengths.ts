// How many bytes the first quality layers of a precinct take, where the index knows only the whole precinct.
import { checked, withCore } from '../core/core.ts';
import { openPrecinct, put } from '../jp2/packet-index.ts';
import type { Jp2Index } from '../jp2/sidecar.ts';
import type { Resolution, TileComponent } from '../jp2/structure.ts';
import type { PrecinctPlace } from './bins.ts';

/**
 * Bytes of the first `layers` packets of each precinct, from the headers among its bytes.
 * Throws Jp2Error when they cannot be read.
 */
export function layerLengths(
  index: Jp2Index,
  precincts: readonly { readonly place: PrecinctPlace; readonly bytes: Uint8Array }[],
  layers: number,
): number[] {
  return withCore((core) =>
    precincts.map(({ place, bytes }) => {
      const before = core.mark();
      const tc = index.tiles[place.tile]?.components[place.component] as TileComponent;
      const precinct = openPrecinct(core, tc, tc.resolutions[place.level] as Resolution, place.precinct);
      const start = put(core, bytes);
      let at = 0;
      for (let layer = 0; layer < layers; layer++) {
        const from = start + at;
        const header = checked(core.readPacket(precinct, layer, tc.coding.blockStyle, from, start + bytes.length, at, 0));
        at += header + ((core.packetBodyLength.value as number) >>> 0);
      }
      core.release(before);
      return Math.min(at, bytes.length);
    }),
  );
}
