// The order of packets in a tile (ISO/IEC 15444-1 B.12), all five progressions and POC.
import type { ImageSize, ProgressionVolume, TileParameters } from './markers.ts';
import { type Rect, type TileComponent, tileRect } from './structure.ts';
import type { WorkBudget } from './work-budget.ts';

/** One packet: component, resolution level, precinct of that level in raster order, layer. */
export interface Packet {
  component: number;
  resolution: number;
  precinct: number;
  layer: number;
}

interface Position {
  readonly x: number;
  readonly y: number;
  readonly component: number;
  readonly resolution: number;
  readonly precinct: number;
}

const LRCP = 0;
const RLCP = 1;

/** Every precinct with its point on the reference grid in the position progressions. */
function positions(size: ImageSize, tile: Rect, components: readonly TileComponent[], volume: ProgressionVolume): Position[] {
  const list: Position[] = [];
  for (let component = volume.component0; component < Math.min(volume.component1, components.length); component++) {
    const tc = components[component] as TileComponent;
    const { dx, dy } = size.components[component] as { dx: number; dy: number };
    for (const r of tc.resolutions.slice(volume.resolution0, volume.resolution1)) {
      const decompositions = tc.coding.levels - r.level;
      for (let j = 0, precinct = 0; j < r.precinctsDown; j++) {
        const y = Math.max(tile.y0, (r.precinctY0 + j) * 2 ** (r.log2PrecinctHeight + decompositions) * dy);
        for (let i = 0; i < r.precinctsAcross; i++, precinct++) {
          const x = Math.max(tile.x0, (r.precinctX0 + i) * 2 ** (r.log2PrecinctWidth + decompositions) * dx);
          list.push({ x, y, component, resolution: r.level, precinct });
        }
      }
    }
  }
  return list;
}

/** Sort keys of RPCL, PCRL and CPRL: the loops of B.12.1.3 to B.12.1.5, outermost first. */
const POSITION_KEYS: Record<number, readonly (keyof Position)[]> = {
  2: ['resolution', 'y', 'x', 'component', 'precinct'],
  3: ['y', 'x', 'component', 'resolution', 'precinct'],
  4: ['component', 'y', 'x', 'resolution', 'precinct'],
};

function* layerFirst(components: readonly TileComponent[], volume: ProgressionVolume): Generator<Packet> {
  const last = Math.min(volume.resolution1, Math.max(...components.map((tc) => tc.resolutions.length)));
  const layers: [number, number] = [0, volume.layer1];
  const resolutions: [number, number] = [volume.resolution0, last];
  const [outer, inner] = volume.order === LRCP ? [layers, resolutions] : [resolutions, layers];
  for (let a = outer[0]; a < outer[1]; a++) {
    for (let b = inner[0]; b < inner[1]; b++) {
      const [layer, resolution] = volume.order === LRCP ? [a, b] : [b, a];
      for (let component = volume.component0; component < Math.min(volume.component1, components.length); component++) {
        const r = components[component]?.resolutions[resolution];
        if (!r) continue;
        for (let precinct = 0; precinct < r.precinctsAcross * r.precinctsDown; precinct++)
          yield { component, resolution, precinct, layer };
      }
    }
  }
}

function* positionFirst(
  size: ImageSize,
  tile: Rect,
  components: readonly TileComponent[],
  volume: ProgressionVolume,
): Generator<Packet> {
  const keys = POSITION_KEYS[volume.order] as readonly (keyof Position)[];
  const list = positions(size, tile, components, volume).sort((a, b) => {
    for (const key of keys) if (a[key] !== b[key]) return a[key] - b[key];
    return 0;
  });
  for (const { component, resolution, precinct } of list) {
    for (let layer = 0; layer < volume.layer1; layer++) yield { component, resolution, precinct, layer };
  }
}

/** All packets of tile `number` in codestream order. With POC, packets of an earlier progression are skipped. */
export function* packetOrder(
  size: ImageSize,
  number: number,
  parameters: TileParameters,
  components: readonly TileComponent[],
  budget: WorkBudget,
): Generator<Packet> {
  const tile = tileRect(size, number);
  const whole: ProgressionVolume = {
    order: parameters.order,
    resolution0: 0,
    resolution1: 33,
    component0: 0,
    component1: components.length,
    layer1: parameters.layers,
  };
  const volumes = parameters.progressions.length ? parameters.progressions : [whole];
  const first: number[] = [];
  let precincts = 0;
  for (const tc of components) {
    first.push(precincts);
    precincts += tc.precinctCount;
  }
  const given = volumes.length > 1 ? new Uint8Array(precincts * parameters.layers) : null;
  for (const volume of volumes) {
    const bounded = { ...volume, layer1: Math.min(volume.layer1, parameters.layers) };
    budget.openProgression(components, bounded);
    const packets =
      volume.order === LRCP || volume.order === RLCP
        ? layerFirst(components, bounded)
        : positionFirst(size, tile, components, bounded);
    for (const packet of packets) {
      if (given) {
        const r = components[packet.component]?.resolutions[packet.resolution];
        const at =
          ((first[packet.component] ?? 0) + (r?.firstPrecinct ?? 0) + packet.precinct) * parameters.layers + packet.layer;
        if (given[at]) continue;
        given[at] = 1;
      }
      yield packet;
    }
  }
}
