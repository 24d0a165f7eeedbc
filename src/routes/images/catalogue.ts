// getDataSources and getStatus.
import { catalogueTree, verboseCatalogueTree } from '../../domain/catalogue/tree.ts';
import { ingestionStatus } from '../../domain/ingestion-status.ts';
import { CATALOGUE } from '../../http/cache-policy.ts';
import { boolean, nameList } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { operation } from '../services.ts';

export const getDataSources = operation({
  name: 'getDataSources',
  summary: 'The datasources that have images, as a tree from observatory to measurement.',
  tag: 'Catalogue',
  responses: { 'application/json': 'The tree.', 'text/javascript': 'The same as JSONP.' },
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
  key: (canonical) => canonical,
  handle: async ({ verbose, enable }, { services, stopwatch, version }) => {
    const extents = await stopwatch.measure('index', () => services.index.extents());
    const form = version === 'v1' ? 1 : 2;
    const tree = verbose ? verboseCatalogueTree(extents, form, enable) : catalogueTree(extents, form);
    return jsonReply(tree, { policy: CATALOGUE });
  },
});

export const getStatus = operation({
  name: 'getStatus',
  summary: 'Age of the newest image of each instrument.',
  tag: 'Catalogue',
  responses: { 'application/json': 'By instrument: time of the newest image, level, secondsBehind and measurement.' },
  parameters: {},
  jsonp: false,
  edge: 'shared',
  canonical: () => ({}),
  key: (canonical) => canonical,
  handle: async (_values, { services, stopwatch }) => {
    const extents = await stopwatch.measure('index', () => services.index.extents());
    return jsonReply(ingestionStatus(extents, services.clock()), { policy: CATALOGUE });
  },
});
