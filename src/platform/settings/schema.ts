// The schema of all environment variables, by the program that reads them.
import { CLIENT_VARIABLES } from './clients.ts';
import { EVENT_VARIABLES } from './events.ts';
import { LAUNCHER_VARIABLES } from './launcher.ts';
import { LINK_VARIABLES } from './links.ts';
import { MIRROR_VARIABLES } from './mirror.ts';
import { MOVIE_WORKER_VARIABLES } from './movie-worker.ts';
import { MOVIE_QUEUE_VARIABLES, MOVIE_VARIABLES } from './movies.ts';
import { SERVICE_VARIABLES, STORAGE_VARIABLES } from './service.ts';
import { SHARING_VARIABLES } from './sharing.ts';
import type { Variable, Variables } from './variable.ts';
import { WEBHOOK_VARIABLES } from './webhooks.ts';

const WORKER = {
  ...SERVICE_VARIABLES,
  ...STORAGE_VARIABLES,
  ...CLIENT_VARIABLES,
  ...MOVIE_QUEUE_VARIABLES,
  ...MOVIE_VARIABLES,
  ...EVENT_VARIABLES,
  ...LINK_VARIABLES,
  ...MIRROR_VARIABLES,
  ...SHARING_VARIABLES,
  ...WEBHOOK_VARIABLES,
} as const;

export type NamedVariable = Variable & { readonly name: string };

const named = (group: Variables): NamedVariable[] => Object.entries(group).map(([name, variable]) => ({ name, ...variable }));

export const SCHEMA: Readonly<Record<'worker' | 'launcher' | 'movieWorker', readonly NamedVariable[]>> = {
  worker: named(WORKER),
  launcher: named(LAUNCHER_VARIABLES),
  movieWorker: named(MOVIE_WORKER_VARIABLES),
};

export type WorkerVariables = { readonly [Name in keyof typeof WORKER]?: string };
