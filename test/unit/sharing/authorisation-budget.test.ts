import { expect, it } from 'vitest';
import { BUDGETS } from '../../../src/platform/limits/admission.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { authorisePath, ENTERED, sharingServices } from '../../support/sharing/sharing-service.ts';

const service = sharingServices();

const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'];

it('the service refuses authorisations at the video host to a client that has used up its budget, and to no other', async () => {
  const sun = await service();
  const path = authorisePath({ ...ENTERED, description: 'x'.repeat(4_000) });
  const begin = async (client: string) => (await sun.browser().get(path, { 'CF-Connecting-IP': client })).status;
  const statuses: number[] = [];
  // A browser without cookies makes a session each time.
  while (statuses.at(-1) !== 429 && statuses.length < 100) statuses.push(await begin(ONE));
  const begun = statuses.filter((status) => status === 302).length;
  expect(statuses).toEqual([...Array(begun).fill(302), 429]);
  const bytes = JSON.stringify([await sun.rows('video_authorisations'), await sun.rows('video_sessions')]).length;
  expect(begun).toBeGreaterThan(10);
  expect(bytes).toBeLessThan(2 * BUDGETS.authorisations.clientHour);
  expect([await begin(ONE), await begin(OTHER)]).toEqual([429, 302]);
  sun.pass(HOUR_MS);
  expect(await begin(ONE)).toBe(302);
});
