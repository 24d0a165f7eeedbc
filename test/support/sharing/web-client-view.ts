/** A view of the web client of helioviewer.org before getSolarBodies has answered, so that the bodies of the observers are null. */
export const VIEW = {
  date: 1704067200000,
  imageScale: 4.8408817,
  centerX: -12.5,
  centerY: 0,
  imageLayers: [
    {
      uiLabels: [
        { label: 'Observatory', name: 'SDO' },
        { label: 'Instrument', name: 'AIA' },
        { label: 'Measurement', name: '171' },
      ],
      Observatory: 'SDO',
      Instrument: 'AIA',
      Measurement: '171',
      sourceId: 10,
      nickname: 'AIA 171',
      start: '2010-06-02 00:05:34',
      end: '2024-01-01 00:00:09',
      visible: 'true',
      opacity: 100,
      layeringOrder: 1,
      difference: 0,
      diffCount: 60,
      diffTime: 1,
      baseDiffTime: '2024-01-01T00:00:00.000Z',
    },
  ],
  eventLayers: { tree_HEK: { id: 'HEK', markers_visible: true, layers: [], layers_v2: [] }, tree_CCMC: {} },
  celestialBodies: { soho: null, stereo_a: ['stereo_a-psp-tree-label'], stereo_b: null },
  enable3d: false,
};
