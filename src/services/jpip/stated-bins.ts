// Resolves the cache model statements of a JPIP request to data-bins of its target.
import { JPIP } from '../../config/limits/jpx.ts';
import { Failure } from '../../domain/errors.ts';
import { type GroupLayout, MAX_NAMED_BINS, type ModelStatement, statementOf } from '../../domain/jpip/model-statements.ts';
import type { JpipRequest } from '../../domain/jpip/request.ts';
import { binCount } from '../../imaging/jpip/bins.ts';
import { type RequestedBinsPorts, requestedCodestreams } from './requested-bins.ts';
import type { JpipTarget } from './target.ts';

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
