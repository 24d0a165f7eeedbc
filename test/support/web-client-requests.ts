// A valid request of every operation that only web clients send, with parameters as in a query.

export const WEB_CLIENT_REQUESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  saveWebClientState: { date: '1704067200000', centerX: '0', centerY: '0', imageScale: '2.4', imageLayers: '[{"sourceId":10}]' },
  getSolarBodiesGlossary: {},
  getSolarBodies: { time: '1704067200000' },
  getTrajectoryTime: { observer: 'soho', body: 'psp', time: '1704067200000', direction: 'next' },
  getDataCoverage: { imageLayers: '[10,1,100]', startDate: '1704067200000', endDate: '1704153600000' },
  getSciDataScript: {
    sourceIds: '[10,19]',
    startDate: '2024-01-01T00:00:00Z',
    endDate: '2024-01-02T00:00:00Z',
    lang: 'sunpy',
  },
  getEvents: { startTime: '2024-01-01T00:00:00Z' },
  getEventsByEventLayers: { startTime: '2024-01-01T00:00:00Z', eventLayers: '[FL,all,1]' },
  getEvent: { kb_archivid: 'FL_1_20240101_000000' },
  getDefaultEventTypes: {},
  getEventFRMs: { startTime: '2024-01-01T00:00:00Z' },
  getFRMs: { startTime: '2024-01-01T00:00:00Z', endTime: '2024-01-02T00:00:00Z' },
  getObservationDateVideos: { date: '2024-01-01T00:00:00Z' },
  enable3D: {},
  logNotificationStatistics: { notifications: 'granted' },
  getRandomSeed: {},
  getUsageStatistics: {},
  getWebClientState: { state_id: '0123abcd' },
};

/** Statuses of these requests other than 200. */
export const WEB_CLIENT_STATUSES: Readonly<Record<string, number>> = {
  // No statistics are collected.
  getUsageStatistics: 400,
  // No event has this id.
  getEvent: 404,
  // No view has this key.
  getWebClientState: 404,
};
