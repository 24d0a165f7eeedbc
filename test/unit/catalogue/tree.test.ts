import { expect, it } from 'vitest';
import { allSources } from '../../../src/sun/catalogue/sources.ts';
import type { CatalogueBranch, Extent, VerboseBranch, VerboseNode } from '../../../src/sun/catalogue/tree.ts';
import { catalogueTree, verboseCatalogueTree } from '../../../src/sun/catalogue/tree.ts';

const START = Date.parse('2010-06-02T00:00:00.500Z');
const END = Date.parse('2021-06-01T12:34:56.999Z');
const dates = { start: '2010-06-02 00:00:00', end: '2021-06-01 12:34:56' };

const extentsOf = (...ids: number[]) => new Map<number, Extent>(ids.map((id) => [id, { startMs: START, endMs: END }]));
const everything = extentsOf(...allSources.map((source) => source.id).filter((id) => id < 10000));

function leavesOf(branch: CatalogueBranch): unknown[] {
  return Object.values(branch).flatMap((node) => ('sourceId' in node ? [node] : leavesOf(node as CatalogueBranch)));
}

function verboseNodes(branch: VerboseBranch): VerboseNode[] {
  return Object.values(branch).flatMap((node) => [node, ...verboseNodes(node.children ?? {})]);
}

it('the default catalogue nests sources by observatory, detector and measurement, with dates and labels', () => {
  expect(catalogueTree(extentsOf(10, 5), 2)).toEqual({
    SDO: { AIA: { '171': expect.objectContaining({ sourceId: 10 }) } },
    SOHO: {
      LASCO: {
        C3: {
          'white-light': {
            sourceId: 5,
            nickname: 'LASCO C3',
            layeringOrder: 3,
            ...dates,
            credit: 'SOHO/LASCO (ESA & NASA)',
            uiLabels: [
              { label: 'Observatory', name: 'SOHO' },
              { label: 'Instrument', name: 'LASCO' },
              { label: 'Detector', name: 'C3' },
              { label: 'Measurement', name: 'white-light' },
            ],
          },
        },
      },
    },
  });
});

it('the default catalogue lists observatories by display order, then by name', () => {
  expect(Object.keys(catalogueTree(extentsOf(32, 20, 10, 7, 24, 33), 2))).toEqual([
    'SDO',
    'SOHO',
    'STEREO_A',
    'STEREO_B',
    'PROBA2',
    'Yohkoh',
  ]);
});

it('the default catalogue lists every source with images and the XRT groups, and nothing without images', () => {
  expect(catalogueTree(new Map(), 2)).toEqual({});
  expect(catalogueTree(extentsOf(36, 999), 2)).toEqual({});
  const credited = { credit: expect.stringMatching(/\w{3}/) };
  expect(leavesOf(catalogueTree(everything, 2))).toEqual(Array(152).fill(expect.objectContaining(credited)));
  expect(leavesOf(catalogueTree(everything, 1))).toHaveLength(152);
});

it('the default catalogue repeats the instrument as detector in v1, without labels', () => {
  const leaf = { sourceId: 10, nickname: 'AIA 171', layeringOrder: 1, ...dates };
  expect(catalogueTree(extentsOf(10), 1)).toEqual({ SDO: { AIA: { AIA: { '171': leaf } } } });
  expect(Object.keys(catalogueTree(extentsOf(5), 1).SOHO!)).toEqual(['LASCO']);
  expect(leavesOf(catalogueTree(extentsOf(5), 1))).toEqual([{ sourceId: 5, nickname: 'LASCO C3', layeringOrder: 3, ...dates }]);
});

it('XRT groups in the catalogue span the images of their members, and are absent without images', () => {
  const extents = new Map([
    [38, { startMs: START, endMs: START + 1000 }],
    [69, { startMs: END - 1000, endMs: END }],
    [74, { startMs: START + 5000, endMs: START + 6000 }],
  ]);
  const xrt = (catalogueTree(extents, 2).Hinode as CatalogueBranch).XRT as CatalogueBranch;
  expect(Object.keys(xrt)).toEqual(['Any', 'Al_med', 'Open']);
  expect(Object.keys(xrt.Any!)).toEqual(['Any', 'Al_mesh', 'Ti_poly']);
  expect((xrt.Any as CatalogueBranch).Al_mesh).toMatchObject({ sourceId: 10002, ...dates });
  expect((xrt.Open as CatalogueBranch).Any).toMatchObject({ sourceId: 10013, start: '2010-06-02 00:00:05', end: dates.end });
  expect(catalogueTree(extentsOf(10), 2).Hinode).toBeUndefined();
});

it('the verbose catalogue describes every node and marks the path to AIA 171 as default', () => {
  expect(verboseCatalogueTree(extentsOf(10), 2)).toEqual({
    SDO: {
      name: 'SDO',
      description: 'Solar Dynamics Observatory',
      label: 'Observatory',
      default: true,
      children: {
        AIA: {
          name: 'AIA',
          description: 'Atmospheric Imaging Assembly',
          label: 'Instrument',
          default: true,
          children: {
            '171': {
              name: '171\u205f\u00c5',
              description: '171 Ångström extreme ultraviolet',
              label: 'Measurement',
              sourceId: 10,
              nickname: 'AIA 171',
              layeringOrder: 1,
              ...dates,
              credit: 'Courtesy of NASA/SDO and the AIA, EVE, and HMI science teams.',
              default: true,
            },
          },
        },
      },
    },
  });
});

it('the verbose catalogue marks no default and adds no empty nodes if AIA 171 has no images', () => {
  const tree = verboseCatalogueTree(extentsOf(11, 7), 2);
  expect(Object.keys(tree)).toEqual(['SOHO', 'SDO']);
  expect(verboseNodes(tree).filter((node) => 'default' in node)).toEqual([]);
  expect(verboseCatalogueTree(extentsOf(7), 2).SDO).toBeUndefined();
});

it('the verbose catalogue prints leaf names with units and capitals', () => {
  const nodes = verboseNodes(verboseCatalogueTree(everything, 2, ['Yohkoh', 'TRACE', 'SOLO', 'Hinode']));
  const nameOf = (id: number) => nodes.find((node) => node.sourceId === id)?.name;
  expect([5, 19, 34, 75, 84, 38].map(nameOf)).toEqual([
    'White Light',
    'Magnetogram',
    'Thin Al',
    '171\u205f\u00c5',
    '174\u205f',
    'Al_mesh',
  ]);
});

it('the verbose catalogue lists SOHO, SDO and the enabled observatories in descending order', () => {
  expect(Object.keys(verboseCatalogueTree(everything, 2))).toEqual(['SOHO', 'SDO']);
  expect(Object.keys(verboseCatalogueTree(everything, 2, ['STEREO_A', 'PROBA2', 'GOES-R', 'nonsense']))).toEqual([
    'STEREO_A',
    'SOHO',
    'SDO',
    'PROBA2',
  ]);
  const desktop =
    'MLSO,TRACE,Hinode,Yohkoh,STEREO_A,STEREO_B,PROBA2,SOLO,GOES-R,IRIS,GONG,ROB,Kanzelhoehe,RHESSI,GOES,PUNCH'.split(',');
  expect(Object.keys(verboseCatalogueTree(everything, 2, desktop))).toHaveLength(15);
});

it('the verbose catalogue gives every node a name, a description, and either children or dates, as the desktop client requires', () => {
  for (const version of [1, 2] as const) {
    for (const node of verboseNodes(
      verboseCatalogueTree(everything, version, ['Hinode', 'PUNCH', 'RHESSI', 'GOES', 'IRIS', 'SWFO-L1']),
    )) {
      expect(typeof node.name).toBe('string');
      expect(typeof node.description).toBe('string');
      expect('label' in node).toBe(version === 2);
      if (node.children) {
        expect(Object.keys(node.children).length).toBeGreaterThan(0);
        expect('sourceId' in node || 'start' in node).toBe(false);
      } else {
        expect(node.sourceId).toBeTypeOf('number');
        expect([node.start, node.end]).toEqual([dates.start, dates.end]);
      }
    }
  }
});

it('the verbose catalogue repeats the instrument in v1, with its name as description', () => {
  const tree = verboseCatalogueTree(extentsOf(0, 10), 1);
  expect(tree.SOHO!.children!.EIT!.children!.EIT).toMatchObject({ name: 'EIT', description: 'EIT' });
  expect(tree.SOHO!.children!.EIT!.description).toBe('Extreme ultraviolet Imaging Telescope');
  expect(tree.SDO!.children!.AIA!.children!.AIA!.default).toBe(true);
  expect(tree.SDO!.children!.AIA!.children!.AIA!.children!['171']!.default).toBe(true);
});
