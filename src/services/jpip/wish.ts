// Which data-bins a JPIP request wants of its target, in the order of sending.
import { JPIP } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import type { WantedBins } from '../../domain/jpip/ledger.ts';
import type { JpipRequest, StreamRange } from '../../domain/jpip/request.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import {
  binCount,
  binPieces,
  type DataBin,
  headerBins,
  type PrecinctPlace,
  packedPrefix,
  precinctBins,
} from '../../imaging/jpip/bins.ts';
import { layerLengths } from '../../imaging/jpip/layer-lengths.ts';
import { METADATA } from '../../imaging/jpip/messages.ts';
import { resolveWindow } from '../../imaging/jpip/view-window.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { lengthOf, type Piece, readPieces } from './pieces.ts';
import type { JpipTarget } from './target.ts';

/** One bin of a wish: its message head, and where its bytes are. */
export interface WishedBin {
  readonly binClass: number;
  readonly codestream: number;
  readonly id: number;
  readonly length: number;
  pieces(): Piece[];
}

/** Wanted bins as the ledger counts them, and the bins themselves at the same places. */
export interface WishedGroup {
  readonly wanted: WantedBins;
  readonly bins: readonly WishedBin[];
}

export interface WishPorts {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly openIndex: (key: string) => Promise<Jp2Index>;
}

/** Codestreams of the target that are named, each once, in the order of the request. */
export function namedCodestreams(ranges: readonly StreamRange[], inAll: number): number[] {
  const found = new Set<number>();
  for (const { from, to, step } of ranges) {
    for (let n = from; n <= Math.min(to ?? inAll, inAll - 1); n += step) {
      found.add(n);
      if (found.size > JPIP.codestreamsPerRequest) {
        const sentence = `Expected at most ${JPIP.codestreamsPerRequest} codestreams for stream, got more.`;
        throw new Failure('bad-parameter', sentence, { parameter: 'stream' });
      }
    }
  }
  if (ranges.length > 0 && found.size === 0) {
    const sentence = `Expected codestreams from 0 to ${inAll - 1} for stream, got others.`;
    throw new Failure('bad-parameter', sentence, { parameter: 'stream' });
  }
  return [...found];
}

async function metadataGroup(target: JpipTarget): Promise<WishedGroup> {
  const pieces = await target.metadata();
  const length = lengthOf(pieces);
  const lengths = Uint32Array.of(length);
  return {
    wanted: { group: 0, binsInAll: 1, bins: Uint32Array.of(0), lengths, wanted: lengths },
    bins: [{ binClass: METADATA, codestream: 0, id: 0, length, pieces: () => pieces }],
  };
}

class CodestreamWish {
  readonly #ports: WishPorts;
  readonly #key: string;
  readonly #codestream: number;
  readonly #index: Jp2Index;

  constructor(ports: WishPorts, key: string, codestream: number, index: Jp2Index) {
    this.#ports = ports;
    this.#key = key;
    this.#codestream = codestream;
    this.#index = index;
  }

  #pieces(bin: DataBin): Piece[] {
    const { codestreamOffset } = this.#index;
    return binPieces(this.#index, bin).map((piece) =>
      piece instanceof Uint8Array ? piece : { key: this.#key, offset: codestreamOffset + piece.offset, length: piece.length },
    );
  }

  /** How much of each precinct the first `layers` layers are; of some the packet headers have to be read for it. */
  async #prefixes(bins: readonly (DataBin & { source: PrecinctPlace })[], layers: number): Promise<number[]> {
    const layersInAll = ({ source: { tile } }: { source: PrecinctPlace }) => this.#index.tiles[tile]?.parameters.layers as number;
    const known = bins.map((bin) => (layers >= layersInAll(bin) ? bin.length : packedPrefix(this.#index, bin.source, layers)));
    const unknown = bins.filter((_, i) => known[i] === null);
    if (unknown.length === 0) return known as number[];
    const read = await readPieces(
      this.#ports.objects,
      unknown.map((bin) => this.#pieces(bin)),
    );
    const precincts = unknown.map(({ source }, i) => ({ place: source, bytes: read[i]?.[0] ?? new Uint8Array(0) }));
    const measured = layerLengths(this.#index, precincts, layers);
    return known.map((length) => length ?? (measured.shift() as number));
  }

  async group({ frameSize, regionOffset, regionSize, layers }: JpipRequest): Promise<WishedGroup> {
    const view = frameSize && resolveWindow(this.#index, { frameSize, regionOffset, regionSize });
    const headers = headerBins(this.#index, view?.window ?? null);
    const precincts = view && layers !== 0 ? precinctBins(this.#index, view) : [];
    const prefixes = layers === null ? precincts.map(({ length }) => length) : await this.#prefixes(precincts, layers);
    const bins = [...headers, ...precincts];
    return {
      wanted: {
        group: 1 + this.#codestream,
        binsInAll: binCount(this.#index),
        bins: Uint32Array.from(bins, ({ number }) => number),
        lengths: Uint32Array.from(bins, ({ length }) => length),
        wanted: Uint32Array.from([...headers.map(({ length }) => length), ...prefixes]),
      },
      bins: bins.map((bin) => ({ ...bin, codestream: this.#codestream, pieces: () => this.#pieces(bin) })),
    };
  }
}

/** Metadata with a new channel or where it is asked for; else, or besides, the codestreams of the view window. */
export async function wishOf(ports: WishPorts, target: JpipTarget, request: JpipRequest): Promise<WishedGroup[]> {
  const { cnew, metadata, frameSize, streams } = request;
  const named = namedCodestreams(streams, target.keys.length);
  const codestreams = metadata === 'only' ? [] : named.length === 0 && frameSize ? [0] : named;
  const groups = cnew || metadata !== 'unsaid' ? [await metadataGroup(target)] : [];
  for (const codestream of codestreams) {
    const key = target.keys[codestream] as string;
    groups.push(await new CodestreamWish(ports, key, codestream, await ports.openIndex(key)).group(request));
  }
  return groups;
}
