// Moves of shards: GET /admin/shards lists them, POST /admin/shards/<shard>/<step>?from=<binding>&to=<binding> takes a step of a move.
// `npm run shards` takes the steps in order.
import { Hono } from 'hono';
import { badParameter } from '../../domain/errors.ts';
import { SHARD_COUNT } from '../../domain/shards.ts';
import { jsonResponse } from '../../http/response.ts';
import { SHARD_TABLES, type ShardCursor, type ShardMove, type ShardMoves } from '../../ports/shards.ts';
import { type AdminVariables, needs } from './admin-scopes.ts';

const STEPS = ['freeze', 'copy', 'enter', 'leave', 'open', 'cancel', 'delete'] as const;

type Query = (name: string) => string | undefined;

function shardOf(text: string): number {
  const shard = /^\d{1,2}$/.test(text) ? Number(text) : SHARD_COUNT;
  if (shard < SHARD_COUNT) return shard;
  throw badParameter('shard', `0 to ${SHARD_COUNT - 1}`, text);
}

function databaseOf(query: Query, name: string, databases: readonly string[]): string {
  const database = query(name);
  if (database !== undefined && databases.includes(database)) return database;
  throw badParameter(name, `one of the image databases ${databases.join(', ')}`, database);
}

function moveOf(shard: string, query: Query, databases: readonly string[]): ShardMove {
  const [from, to] = [databaseOf(query, 'from', databases), databaseOf(query, 'to', databases)];
  if (from === to) throw badParameter('to', 'another database than from', to);
  return { shard: shardOf(shard), from, to };
}

function cursorOf(query: Query): ShardCursor {
  const table = SHARD_TABLES.find((each) => each === (query('table') ?? SHARD_TABLES[0]));
  if (!table) throw badParameter('table', SHARD_TABLES.join(', '), query('table'));
  const after = query('after') ?? '';
  if (table !== 'foreign_names' && !/^\d{0,15}$/.test(after)) throw badParameter('after', 'an id', after);
  return { table, after };
}

async function take(moves: ShardMoves, step: (typeof STEPS)[number], move: ShardMove, query: Query): Promise<object> {
  switch (step) {
    case 'copy':
      return moves.copyPage(move, cursorOf(query));
    case 'delete':
      return { areLeft: await moves.deleteRows(move) };
    default:
      await moves[step](move);
      return {};
  }
}

export function shardRoutes(moves: ShardMoves): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', needs('all'), async () => {
      const held = await moves.held();
      const databases = moves.databases.map((name) => ({ name, shards: held.get(name) ?? [] }));
      return jsonResponse({ databases, serving: moves.serving });
    })
    .post('/:shard/:step', needs('all'), async (c) => {
      const query: Query = (name) => c.req.query(name);
      const step = STEPS.find((each) => each === c.req.param('step'));
      if (!step) throw badParameter('step', STEPS.join(', '), c.req.param('step'));
      const move = moveOf(c.req.param('shard'), query, moves.databases);
      const result = await take(moves, step, move, query);
      // A move is copied in many pages, between freezing and entering.
      if (step !== 'copy') c.set('change', { action: 'move-shard', subject: `${step} ${move.shard}` });
      return jsonResponse(result);
    });
}
