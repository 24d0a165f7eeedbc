// getDataSources and getStatus.
import { z } from '@hono/zod-openapi';
import { ingestionStatus, newestSources, sourceStatuses } from '../../archive/ingestion-status.ts';
import { statusJson } from '../../operator/index.ts';
import { boolean, dateTimeText, jsonBody, named, nameList, object, text, whole } from '../../platform/http/parameters.ts';
import { GROWING_CATALOGUE, jsonReply, STATUS } from '../../platform/http/response.ts';
import { catalogueTree, verboseCatalogueTree } from '../../sun/catalogue/tree.ts';
import { cataloguePolicy, operation } from '../services.ts';
import { gapsOfInstrument, recentGaps } from './data-coverage.ts';

const datasourceFields = () => ({
  sourceId: z.int().min(0).describe('Id of the datasource, for all operations that take one.'),
  nickname: text('Short name, instrument and measurement.'),
  layeringOrder: whole('Place in a picture: layers with higher numbers lie above.'),
  start: dateTimeText('Time of the oldest image.'),
  end: dateTimeText('Time of the newest image.'),
});

const credit = () => text('The line by which pictures name the mission; absent in v1.');

const uiLabels = () =>
  z
    .array(z.object({ label: text('Kind of level, as Observatory.'), name: z.string() }))
    .describe('The levels of the path to the datasource.');

const datasource = () =>
  named('Datasource', 'A datasource that has images.', { ...datasourceFields(), credit: credit(), uiLabels: uiLabels() });
const datasourceInV1 = () => named('DatasourceV1', 'As Datasource, without credit and uiLabels.', datasourceFields());

interface Tree<Leaf> {
  [name: string]: Tree<Leaf> | Leaf;
}

function treeOf<Leaf extends z.ZodType>(leaf: Leaf, name: string): z.ZodType<Tree<z.output<Leaf>>> {
  const tree: z.ZodType<Tree<z.output<Leaf>>> = z
    .lazy(() => z.record(z.string(), z.union([leaf, tree])))
    .openapi(name, { description: 'Branches by the name of the next level, down to the datasources.' });
  return tree;
}

const nodeFields = () => ({
  name: text('Name to show; a wavelength with its unit.'),
  description: z.string(),
  label: text('Kind of level, as Observatory; absent in v1.').optional(),
  default: z.literal(true).optional().describe('Marks the way to the datasource that a client shows first.'),
});

const verboseLeaf = () =>
  named('DatasourceLeaf', 'A datasource of the verbose form.', {
    ...nodeFields(),
    ...datasourceFields(),
    credit: credit().optional(),
  });

function verboseTree() {
  const leaf = verboseLeaf();
  const branch: z.ZodType = z
    .lazy(() => z.object({ ...nodeFields(), children: z.record(z.string(), z.union([leaf, branch])) }))
    .openapi('DatasourceBranch', { description: 'A level of the verbose form.' });
  return z.record(z.string(), branch);
}

/** getDataSources: the default form, or the verbose one. */
const dataSources = () => z.union([treeOf(datasource(), 'DatasourceTree'), verboseTree()]);

/** As above for v1, whose paths always have four levels. */
const treeInV1 = () => treeOf(datasourceInV1(), 'DatasourceTreeV1');
const dataSourcesInV1 = () => z.union([treeInV1(), verboseTree()]);

const age = () => ({
  time: text('Time of the newest image, ISO 8601 with Z.'),
  level: z.int().min(1).max(5).describe('From 1, up to date, to 5, more than a week behind.'),
  secondsBehind: z.int().min(0),
});

const sourceStatus = () =>
  named('SourceStatus', 'Age of the newest image of a datasource.', { sourceId: z.int(), nickname: z.string(), ...age() });

const instrumentStatus = () =>
  named('InstrumentStatus', null, {
    ...age(),
    measurement: text('Name of the datasource with the newest image.'),
    gaps: gapsOfInstrument().optional().describe('With `gaps`: those of this datasource in the 30 days before its newest image.'),
  });

const isoTime = () => text('ISO 8601 with Z.').nullable();

const serviceStatus = () =>
  named('ServiceStatus', 'State of the service.', {
    time: text('ISO 8601 with Z.'),
    states: z
      .array(
        z.object({
          subject: text('Instrument, upstream, mirror or movies.'),
          state: z.enum(['ok', 'late', 'failing', 'stopped']).describe('`stopped`: behind by more than a week.'),
          sentence: z.string(),
          since: isoTime(),
        }),
      )
      .describe('State of each part of the service.'),
    upstreams: z.array(
      z.object({ name: z.string(), ok: isoTime(), tried: isoTime(), isFailing: z.boolean(), sentence: z.string().nullable() }),
    ),
    mirror: object('Null without a mirror.', {
      sources: z.int(),
      added: z.int(),
      refused: z.int(),
      incomplete: z.int(),
      through: isoTime(),
    }).nullable(),
    movies: z
      .object({
        queued: z.int(),
        processing: z.int(),
        oldestWaitSeconds: z.int().nullable(),
        repeated: whole('Movies of the last day with more than one attempt.'),
        expiredLeases: whole('Attempts at movies of the last day that ended because their worker fell silent.'),
        failed: z.array(z.object({ reason: z.string(), count: z.int() })).describe('Failed movies of the last day by reason.'),
      })
      .nullable(),
  });

/** getStatus. */
const instrumentStatuses = () =>
  z
    .object({
      sources: z.array(sourceStatus()).optional().describe('With `sources`: every datasource that has images, by id.'),
      service: serviceStatus().optional().describe('With `service`.'),
    })
    .catchall(instrumentStatus())
    .describe('By instrument; `sources` and `service` where they are requested.');

export const getDataSources = operation({
  name: 'getDataSources',
  summary: 'The datasources that have images, as a tree from observatory to measurement.',
  description:
    'Begin here: every other operation on images takes a `sourceId` of this tree. Levels are observatory, instrument, detector or ' +
    'filters where there are any, and measurement. Only datasources with images are in it. In v1 every path has four levels.',
  tag: 'Catalogue',
  responses: { 'application/json': jsonBody('The tree; with `verbose`, nodes with descriptions.', dataSources) },
  bodyInV1: jsonBody('The tree, with four levels.', dataSourcesInV1),
  parameters: {
    verbose: boolean(
      'Adds a description to every node, for desktop clients. Limited to SOHO and SDO unless `enable` adds more.',
    ).default(false),
    enable: nameList('Observatories that the verbose form contains besides SOHO and SDO. Unknown names are ignored.').optional(),
  },
  jsonp: true,
  edge: 'by-version',
  canonical: ({ verbose, enable = [] }) => ({
    verbose,
    enable: verbose ? [...new Set(enable.map((observatory) => observatory.toLowerCase()))].sort() : undefined,
  }),
  handle: async ({ verbose, enable }, { services, stopwatch, version }) => {
    const extents = await stopwatch.measure('index', () => services.index.extents());
    const form = version === 'v1' ? 1 : 2;
    const policy = cataloguePolicy(services);
    if (verbose) return jsonReply(verboseCatalogueTree(extents, form, enable), { policy });
    return jsonReply<typeof treeInV1>(catalogueTree(extents, form), { policy });
  },
});

export const getStatus = operation({
  name: 'getStatus',
  summary: 'Age of the newest image of each instrument.',
  description:
    '`level` judges the age by the usual delay of the instrument. RHESSI counts as an instrument; TRACE, which has none, is absent. ' +
    'With `sources`, the age of the newest image of every datasource is there as `sources`. ' +
    'With `gaps`, the gaps of the datasource with the newest image are there too; getDataGaps has those of any. With `service`, the ' +
    'state of the service is there as `service`: what is late since when, upstreams, the mirror and movies.',
  tag: 'Catalogue',
  responses: { 'application/json': jsonBody('By instrument: the time of the newest image and its age.', instrumentStatuses) },
  parameters: {
    sources: boolean('Adds the age of the newest image of every datasource that has images of its own.').default(false),
    gaps: boolean('Adds the gaps of the 30 days before the newest image of each instrument.').default(false),
    service: boolean('Adds the state of the service.').default(false),
  },
  edge: 'shared',
  key: (canonical) => Object.fromEntries(Object.entries(canonical).filter(([, isWanted]) => isWanted)),
  handle: async ({ sources, gaps, service }, { services, stopwatch }) => {
    const extents = await stopwatch.measure('index', () => services.index.extents());
    const nowMs = services.clock();
    const status = ingestionStatus(extents, nowMs);
    const gapsOf = async () => {
      const entries = [...newestSources(extents)].map(async ([name, { source, endMs }]) => {
        return [name, { ...status[name]!, gaps: await recentGaps(services.index, source.id, endMs) }] as const;
      });
      return Object.fromEntries(await stopwatch.measure('index', () => Promise.all(entries)));
    };
    return jsonReply(
      {
        ...(gaps ? await gapsOf() : status),
        ...(sources ? { sources: sourceStatuses(extents, nowMs) } : {}),
        ...(service ? { service: statusJson(await services.status.read()) } : {}),
      },
      { policy: services.sample.isUnderWay ? GROWING_CATALOGUE : STATUS },
    );
  },
});
