// Resolves a JPIP request to data-bins of its target: the bins of the view window in the order of delivery, and the ones that the client states.
import { JPIP } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import type { RequestedBins } from '../../domain/jpip/cache-model.ts';
import type { StreamRange } from '../../domain/jpip/codestreams.ts';
import { type GroupLayout, MAX_NAMED_BINS, type ModelStatement, statementOf } from '../../domain/jpip/model-statements.ts';
import type { JpipRequest } from '../../domain/jpip/request.ts';
import { type ByteSource, totalLength } from '../../imaging/byte-source.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import {
  binCount,
  binSources,
  type DataBin,
  headerBins,
  layerLengths,
  type PrecinctBin,
  packedPrefix,
  precinctBins,
} from '../../imaging/jpip/bins.ts';
import { METADATA } from '../../imaging/jpip/messages.ts';
import { resolveWindow } from '../../imaging/jpip/view-window.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { readSources } from './read-sources.ts';
import type { JpipTarget } from './target.ts';

/** A requested data-bin: the fields of its message header, and where its bytes are. */
export interface RequestedBin {
  readonly binClass: number;
  readonly codestream: number;
  readonly id: number;
  readonly length: number;
  sources(): ByteSource[];
}

/** Requested bins as the cache model counts them, and the bins themselves at the same indexes. */
export interface RequestedGroup {
  readonly requested: RequestedBins;
  readonly bins: readonly RequestedBin[];
}

export interface RequestedBinsPorts {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly openIndex: (key: string) => Promise<Jp2Index>;
}

/** The codestreams of `ranges` in parameter `name`, each once, in the order of the request. `total`: codestreams of the target. */
function requestedCodestreams(ranges: readonly StreamRange[], total: number, name = 'stream'): number[] {
  const found = new Set<number>();
  for (const { from, to, step } of ranges) {
    for (let n = from; n <= Math.min(to ?? total, total - 1); n += step) {
      found.add(n);
      if (found.size > JPIP.codestreamsPerRequest) {
        const sentence = `Expected at most ${JPIP.codestreamsPerRequest} codestreams for ${name}, got more.`;
        throw new Failure('bad-parameter', sentence, { parameter: name });
      }
    }
  }
  if (ranges.length > 0 && found.size === 0) {
    const sentence = `Expected codestreams from 0 to ${total - 1} for ${name}, got others.`;
    throw new Failure('bad-parameter', sentence, { parameter: name });
  }
  return [...found];
}

async function metadataGroup(target: JpipTarget): Promise<RequestedGroup> {
  const sources = await target.metadata();
  const length = totalLength(sources);
  const lengths = Uint32Array.of(length);
  return {
    requested: { group: 0, binsInGroup: 1, bins: Uint32Array.of(0), lengths, requestedBytes: lengths },
    bins: [{ binClass: METADATA, codestream: 0, id: 0, length, sources: () => sources }],
  };
}

/** Resolves view windows to the data-bins of one codestream. */
class CodestreamBins {
  readonly #ports: RequestedBinsPorts;
  readonly #key: string;
  readonly #codestream: number;
  readonly #index: Jp2Index;

  constructor(ports: RequestedBinsPorts, key: string, codestream: number, index: Jp2Index) {
    this.#ports = ports;
    this.#key = key;
    this.#codestream = codestream;
    this.#index = index;
  }

  #sources(bin: DataBin): ByteSource[] {
    const { codestreamOffset } = this.#index;
    return binSources(this.#index, bin).map((source) =>
      source instanceof Uint8Array ? source : { key: this.#key, offset: codestreamOffset + source.offset, length: source.length },
    );
  }

  /** Bytes of the first `layers` layers of each precinct. Where the sidecar lacks them, the packet headers are read. */
  async #layerPrefixes(bins: readonly PrecinctBin[], layers: number): Promise<number[]> {
    const layersOf = ({ source: { tile } }: PrecinctBin) => this.#index.tiles[tile]?.parameters.layers as number;
    const known = bins.map((bin) => (layers >= layersOf(bin) ? bin.length : packedPrefix(this.#index, bin.source, layers)));
    const unknown = bins.filter((_, i) => known[i] === null);
    if (unknown.length === 0) return known as number[];
    const read = await readSources(
      this.#ports.objects,
      unknown.map((bin) => this.#sources(bin)),
    );
    const precincts = unknown.map(({ source }, i) => ({ address: source, bytes: read[i]?.[0] ?? new Uint8Array(0) }));
    const measured = layerLengths(this.#index, precincts, layers);
    return known.map((length) => length ?? (measured.shift() as number));
  }

  async requested({ frameSize, regionOffset, regionSize, layers }: JpipRequest): Promise<RequestedGroup> {
    const view = frameSize && resolveWindow(this.#index, { frameSize, regionOffset, regionSize });
    const headers = headerBins(this.#index, view?.window ?? null);
    const precincts = view && layers !== 0 ? precinctBins(this.#index, view) : [];
    const prefixes = layers === null ? precincts.map(({ length }) => length) : await this.#layerPrefixes(precincts, layers);
    const bins = [...headers, ...precincts];
    return {
      requested: {
        group: 1 + this.#codestream,
        binsInGroup: binCount(this.#index),
        bins: Uint32Array.from(bins, ({ number }) => number),
        lengths: Uint32Array.from(bins, ({ length }) => length),
        requestedBytes: Uint32Array.from([...headers.map(({ length }) => length), ...prefixes]),
      },
      bins: bins.map((bin) => ({ ...bin, codestream: this.#codestream, sources: () => this.#sources(bin) })),
    };
  }
}

/**
 * The data-bins of a request: metadata on a new channel or where `metareq` requests it, then the codestreams of the view window.
 *
 * @throws Failure (bad-parameter) for codestreams that the target does not have, and for too many
 */
export async function requestedBins(
  ports: RequestedBinsPorts,
  target: JpipTarget,
  request: JpipRequest,
): Promise<RequestedGroup[]> {
  const { cnew, metadata, frameSize, streams } = request;
  const named = requestedCodestreams(streams, target.keys.length);
  const codestreams = metadata === 'only' ? [] : named.length === 0 && frameSize ? [0] : named;
  const groups = cnew || metadata !== 'unspecified' ? [await metadataGroup(target)] : [];
  for (const codestream of codestreams) {
    const key = target.keys[codestream] as string;
    groups.push(await new CodestreamBins(ports, key, codestream, await ports.openIndex(key)).requested(request));
  }
  return groups;
}

const METADATA_LAYOUT: GroupLayout = { group: 0, binsInGroup: 1, tiles: 0 };

const tooMany = (what: string) =>
  new Failure('bad-parameter', `Expected at most ${what} for model, got more.`, { parameter: 'model' });

async function layoutOf({ openIndex }: RequestedBinsPorts, { keys }: JpipTarget, codestream: number): Promise<GroupLayout> {
  const index = await openIndex(keys[codestream] as string);
  return { group: 1 + codestream, binsInGroup: binCount(index), tiles: index.tiles.length };
}

/**
 * The statements of a request about the cache of its client. Without a qualifier, they are about the codestreams of the request.
 *
 * @throws Failure (bad-parameter) for codestreams that the target does not have, and for too many codestreams or bins
 */
export async function modelStatements(
  ports: RequestedBinsPorts,
  target: JpipTarget,
  { model, streams }: JpipRequest,
): Promise<ModelStatement[]> {
  const total = target.keys.length;
  const named = requestedCodestreams(streams, total);
  const layouts = new Map<number, GroupLayout>();
  const statements: ModelStatement[] = [];
  let bins = 0;
  for (const element of model) {
    const own = element.codestreams && requestedCodestreams(element.codestreams, total, 'model');
    const codestreams = own ?? (named.length > 0 ? named : [0]);
    for (const codestream of element.kind === 'metadata' ? [null] : codestreams) {
      const layout =
        codestream === null ? METADATA_LAYOUT : (layouts.get(codestream) ?? (await layoutOf(ports, target, codestream)));
      if (codestream !== null) layouts.set(codestream, layout);
      if (layouts.size > JPIP.codestreamsPerRequest) throw tooMany(`${JPIP.codestreamsPerRequest} codestreams`);
      const statement = statementOf(element, layout);
      if (statement) statements.push(statement);
      bins += statement ? statement.to - statement.from : 0;
      if (bins > MAX_NAMED_BINS) throw tooMany(`${MAX_NAMED_BINS} data-bins`);
    }
  }
  return statements;
}
