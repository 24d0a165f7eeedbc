// Tables of states of spacecraft: PUT /admin/ephemeris/<spacecraft> imports one, DELETE removes it, GET /admin/ephemeris lists them.
import { Hono } from 'hono';
import { STATE_TABLES } from '../../config/limits/bodies.ts';
import { parseStates } from '../../domain/bodies/parse-states.ts';
import { SPACECRAFT, type Spacecraft } from '../../domain/bodies/spacecraft.ts';
import type { StateTable } from '../../domain/bodies/state-table.ts';
import { badParameter } from '../../domain/errors.ts';
import { formatIso } from '../../domain/time.ts';
import { requestBody } from '../../http/request.ts';
import { jsonResponse } from '../../http/response.ts';
import type { StateTables } from '../../services/bodies/state-tables.ts';
import type { AdminVariables } from './admin-audit.ts';

function spacecraftOf(name: string): Spacecraft {
  const known = SPACECRAFT.find((spacecraft) => spacecraft === name);
  if (known) return known;
  throw badParameter('spacecraft', `${SPACECRAFT.slice(0, -1).join(', ')} or ${SPACECRAFT.at(-1)}`, name);
}

const tableJson = ({ count, firstMs, lastMs }: StateTable) => ({
  rows: count,
  first: formatIso(firstMs),
  last: formatIso(lastMs),
});

/** Routes to be mounted behind the token check of the admin routes. A table replaces the earlier one of its spacecraft. */
export function ephemerisRoutes(tables: Pick<StateTables, 'list' | 'put' | 'delete'>): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async () => {
      const entries = [...(await tables.list())].map(([spacecraft, table]) => [spacecraft, tableJson(table)] as const);
      return jsonResponse(Object.fromEntries(entries));
    })
    .put('/:spacecraft', async (c) => {
      const spacecraft = spacecraftOf(c.req.param('spacecraft'));
      const body = await requestBody(c.req.raw, STATE_TABLES.textBytes);
      const table = parseStates(new TextDecoder('latin1').decode(body), spacecraft, STATE_TABLES);
      await tables.put(spacecraft, table);
      c.set('change', { action: 'import-ephemeris', subject: spacecraft });
      return jsonResponse(tableJson(table));
    })
    .delete('/:spacecraft', async (c) => {
      const spacecraft = spacecraftOf(c.req.param('spacecraft'));
      await tables.delete(spacecraft);
      c.set('change', { action: 'remove-ephemeris', subject: spacecraft });
      return jsonResponse({});
    });
}
