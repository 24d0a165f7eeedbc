// Resolves a JPIP request to data-bins of its target: the bins of the view window in the order of delivery, and the ones that the client states.
import { type ByteSource, type ObjectRange, SourceSequence } from '../../jp2/byte-source.ts';
import type { Chunk } from '../../jp2/codestream-blocks.ts';
import type { DataBin, PrecinctBin } from '../../jp2/jpip/bins.ts';
import {
  binCount,
  binSources,
  headerBins,
  layerLengths,
  packedPrefix,
  precinctBins,
  resolveWindow,
} from '../../jp2/jpip/bins.ts';
import type { GroupLayout, ModelStatement, RequestedBins } from '../../jp2/jpip/cache-model.ts';
import { existingCodestreams, MAX_NAMED_BINS, type StreamRange, statementOf } from '../../jp2/jpip/cache-model.ts';
import { METADATA, type MessageHeader } from '../../jp2/jpip/messages.ts';
import type { JpipRequest } from '../../jp2/jpip/request.ts';
import { RANGE_GAP_BYTES } from '../../jp2/limits.ts';
import type { Jp2Index } from '../../jp2/sidecar.ts';
import { coalesce } from '../../jp2/window.ts';
import { JPIP, JPX } from '../../platform/limits/jpx.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { badParameter, Failure, present } from '../../platform/util/errors.ts';
import type { JpipTarget, TargetPorts } from './target.ts';

/** Reads per call and object. */
const MAX_READS = 24;

const NOTHING = new Uint8Array(0);

async function readChunk(objects: Pick<ObjectStore, 'read'>, key: string, offset: number, length: number): Promise<Chunk> {
  return { offset, bytes: present(await objects.read(key, offset, length), key) };
}

/** The bytes of every source, list by list. Nearby ranges of an object are read as one. @throws Failure (missing-file) */
export async function readSources(objects: Pick<ObjectStore, 'read'>, lists: readonly (readonly ByteSource[])[]) {
  const stored = lists.flat().filter((source): source is ObjectRange => !(source instanceof Uint8Array));
  const chunks = new Map<string, Chunk[]>();
  const reads = [...Map.groupBy(stored, ({ key }) => key)].map(async ([key, sources]) => {
    const ranges = coalesce(sources, RANGE_GAP_BYTES, MAX_READS);
    chunks.set(key, await Promise.all(ranges.map(({ offset, length }) => readChunk(objects, key, offset, length))));
  });
  await Promise.all(reads);
  const bytesOf = (source: ByteSource): Uint8Array => {
    if (source instanceof Uint8Array) return source;
    const { key, offset, length } = source;
    if (length === 0) return NOTHING;
    const chunk = chunks.get(key)?.find((c) => c.offset <= offset && offset + length <= c.offset + c.bytes.length) as Chunk;
    return chunk.bytes.subarray(offset - chunk.offset, offset - chunk.offset + length);
  };
  return lists.map((sources) => sources.map(bytesOf));
}

/** A requested data-bin: the fields of its message header, and where its bytes are. */
export interface RequestedBin extends Omit<MessageHeader, 'offset' | 'isLast'> {
  sources(): SourceSequence;
}

/** Requested bins as the cache model counts them, and the bins themselves at the same indexes. */
export type RequestedGroup = { readonly requested: RequestedBins; readonly bins: readonly RequestedBin[] };

async function metadataGroup(target: JpipTarget, ports: TargetPorts): Promise<RequestedGroup> {
  const sources = await target.metadata(ports);
  const { length } = sources;
  const lengths = Uint32Array.of(length);
  return {
    requested: { group: 0, binsInGroup: 1, bins: Uint32Array.of(0), lengths, requestedBytes: lengths },
    bins: [{ binClass: METADATA, codestream: 0, id: 0, length, sources: () => sources }],
  };
}

/** A codestream of a target: its number, its object, and the sidecar of that. */
interface Codestream {
  readonly codestream: number;
  readonly key: string;
  readonly jp2: Jp2Index;
}

const sourcesOf = ({ key, jp2 }: Codestream, bin: DataBin): ByteSource[] =>
  binSources(jp2, bin).map((source) =>
    source instanceof Uint8Array ? source : { key, offset: jp2.codestreamOffset + source.offset, length: source.length },
  );

/** Bytes of the first `layers` layers of each precinct. Where the sidecar lacks them, the packet headers are read. */
async function layerPrefixes(
  { objects }: TargetPorts,
  stream: Codestream,
  bins: readonly PrecinctBin[],
  layers: number,
): Promise<number[]> {
  const { jp2 } = stream;
  const layersOf = ({ source: { tile } }: PrecinctBin) => jp2.tiles[tile]?.parameters.layers as number;
  const known = bins.map((bin) => (layers >= layersOf(bin) ? bin.length : packedPrefix(jp2, bin.source, layers)));
  const unknown = bins.filter((_, i) => known[i] === null);
  if (unknown.length === 0) return known as number[];
  const read = await readSources(
    objects,
    unknown.map((bin) => sourcesOf(stream, bin)),
  );
  const precincts = unknown.map(({ source }, i) => ({ address: source, bytes: read[i]?.[0] ?? NOTHING }));
  const measured = layerLengths(jp2, precincts, layers);
  return known.map((length) => length ?? (measured.shift() as number));
}

async function codestreamGroup(
  ports: TargetPorts,
  stream: Codestream,
  { frameSize, regionOffset, regionSize, layers }: JpipRequest,
): Promise<RequestedGroup> {
  const { codestream, jp2 } = stream;
  const view = frameSize && resolveWindow(jp2, { frameSize, regionOffset, regionSize });
  const headers = headerBins(jp2, view?.window ?? null);
  const precincts = view && layers !== 0 ? precinctBins(jp2, view) : [];
  const prefixes =
    layers === null ? precincts.map(({ length }) => length) : await layerPrefixes(ports, stream, precincts, layers);
  const bins = [...headers, ...precincts];
  return {
    requested: {
      group: 1 + codestream,
      binsInGroup: binCount(jp2),
      bins: Uint32Array.from(bins, ({ number }) => number),
      lengths: Uint32Array.from(bins, ({ length }) => length),
      requestedBytes: Uint32Array.from([...headers.map(({ length }) => length), ...prefixes]),
    },
    bins: bins.map((bin) => ({ ...bin, codestream, sources: () => new SourceSequence(sourcesOf(stream, bin)) })),
  };
}

/** The codestreams of the view window: those that the request names, or the first one. */
function windowCodestreams({ metadata, streams, frameSize }: JpipRequest, { keys }: JpipTarget): number[] {
  if (metadata === 'only') return [];
  if (streams.length === 0) return frameSize ? [0] : [];
  const codestreams = existingCodestreams(streams, keys.length);
  if (codestreams.length <= JPIP.requestCodestreams) return codestreams;
  throw badParameter('stream', `at most ${JPIP.requestCodestreams} codestreams`, codestreams.length);
}

/**
 * The data-bins of a request: metadata on a new channel or where `metareq` requests it, then the existing codestreams of the view window.
 * Each step opens as many codestreams as have about `JPIP.stepBins` bins, so that the memory does not grow with the number of frames.
 *
 * @throws Failure (missing-file, bad-parameter)
 */
export async function* requestedSteps(
  ports: TargetPorts,
  target: JpipTarget,
  request: JpipRequest,
): AsyncGenerator<{ readonly groups: readonly RequestedGroup[]; readonly isLast: boolean }> {
  const codestreams = windowCodestreams(request, target);
  const groups = request.cnew || request.metadata !== 'unspecified' ? [await metadataGroup(target, ports)] : [];
  let size = 1;
  for (let from = 0, to = 0; from === 0 || from < codestreams.length; from = to) {
    to = from + size;
    const opened = await mapConcurrently(codestreams.slice(from, to), JPX.parallelReads, async (codestream) => {
      const key = target.keys[codestream]!;
      const jp2 = await ports.openIndex(key, ports.objects);
      return codestreamGroup(ports, { key, codestream, jp2 }, request);
    });
    yield { groups: [...groups.splice(0), ...opened], isLast: to >= codestreams.length };
    const bins = Math.max(0, ...opened.map((group) => group.bins.length));
    size = Math.max(1, Math.min(JPIP.stepCodestreams, Math.floor(JPIP.stepBins / Math.max(1, bins))));
  }
}

const FIRST_CODESTREAM: StreamRange = { from: 0, to: 0, step: 1 };
const METADATA_LAYOUT: GroupLayout = { group: 0, binsInGroup: 1, tiles: 0 };

const tooMany = (what: string) =>
  new Failure('bad-parameter', `The value of model has more than ${what}.`, { parameter: 'model' });

/** The statements about the cache of the client, without a qualifier on the codestreams of the request. @throws Failure for too many */
export async function modelStatements(ports: TargetPorts, target: JpipTarget, { model, streams }: JpipRequest) {
  const total = target.keys.length;
  const unqualified = streams.length > 0 ? streams : [FIRST_CODESTREAM];
  // Codestreams of each qualifier, which many elements share.
  const existing = new Map<readonly StreamRange[], number[]>();
  let left = JPIP.statements;
  const about = model.map((element) => {
    if (element.kind === 'metadata') return { element, codestreams: [] };
    const ranges = element.codestreams ?? unqualified;
    const codestreams = existing.get(ranges) ?? existingCodestreams(ranges, total);
    existing.set(ranges, codestreams);
    left -= codestreams.length;
    if (left < 0) throw tooMany(`${JPIP.statements} statements about codestreams`);
    return { element, codestreams };
  });
  const named = new Set(about.flatMap(({ codestreams }) => codestreams));
  if (named.size > JPIP.requestCodestreams) throw tooMany(`${JPIP.requestCodestreams} codestreams`);
  const found = await mapConcurrently(named, JPX.parallelReads, async (codestream) => {
    const index = await ports.openIndex(target.keys[codestream]!, ports.objects);
    return [codestream, { group: 1 + codestream, binsInGroup: binCount(index), tiles: index.tiles.length }] as const;
  });
  const layouts = new Map<number, GroupLayout>(found);
  const statements: ModelStatement[] = [];
  let bins = 0;
  for (const { element, codestreams } of about) {
    const meant = element.kind === 'metadata' ? [METADATA_LAYOUT] : codestreams.map((n) => layouts.get(n)!);
    for (const layout of meant) {
      const statement = statementOf(element, layout);
      if (statement) statements.push(statement);
      bins += statement ? statement.to - statement.from : 0;
      if (bins > MAX_NAMED_BINS) throw tooMany(`${MAX_NAMED_BINS} data-bins`);
    }
  }
  return statements;
}
