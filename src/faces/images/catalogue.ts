// getDataSources and getStatus.
import { ingestionStatus, newestSources, sourceStatuses } from '../../archive/ingestion-status.ts';
import { statusJson } from '../../operator/index.ts';
import { boolean, type JsonBody, jsonBody, nameList } from '../../platform/http/parameters.ts';
import { GROWING_CATALOGUE, jsonReply, STATUS } from '../../platform/http/response.ts';
import { catalogueTree, verboseCatalogueTree } from '../../sun/catalogue/tree.ts';
import { cataloguePolicy, operation } from '../services.ts';
import { dataSources, dataSourcesInV1, ingestionStatus as ingestionStatusSchema } from './catalogue-schemas.ts';
import { recentGaps } from './data-coverage.ts';

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
    return jsonReply<JsonBody<typeof dataSourcesInV1>>(catalogueTree(extents, form), { policy });
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
  responses: { 'application/json': jsonBody('By instrument: the time of the newest image and its age.', ingestionStatusSchema) },
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
