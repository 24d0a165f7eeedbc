// The mirror of another archive, which the clock and commands run.
import { JOB_BYTES, MEMORY_WAIT_MS } from '../config/limits/memory.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../config/limits/mirror.ts';
import { readMirrorSettings } from '../config/settings/mirror.ts';
import type { CommandedUpstream, MirrorCommands } from '../routes/internal/admin-mirror.ts';
import type { MirrorTarget } from '../services/mirror/mirror-file.ts';
import { commandedStep, mirrorStep } from '../services/mirror/mirror-step.ts';
import { D1MirrorState } from '../storage/mirror/d1-mirror-state.ts';
import { mirrorUpstream } from '../upstreams/mirror/mirror-upstream.ts';
import { DAY_MS } from '../util/durations.ts';
import type { Archive } from './archive.ts';
import type { Platform } from './platform.ts';

/** An upstream for each step: what belongs to one invocation cannot be awaited in another. */
function upstreamOf({ kind, address, perSecond, parallel }: CommandedUpstream, attempts: number) {
  const { attemptMs, waitMs: longestWaitMs } = MIRROR_STEP;
  return mirrorUpstream(kind, address, { ...MIRROR_REQUESTS, perSecond, parallel, attempts, attemptMs, longestWaitMs });
}

export function mirrorServices(platform: Platform, { register, ingest }: Pick<Archive, 'register' | 'ingest'>) {
  const { databases, memory, clock, log } = platform;
  const archive: MirrorTarget = {
    known: (names) => register.known(names),
    add(fileName, jp2) {
      const add = () => ingest({ fileName, jp2, replace: false });
      return memory.run(JOB_BYTES.perFileByte * jp2.length + JOB_BYTES.survey, MEMORY_WAIT_MS.background, add);
    },
  };
  const mirrorCommands: MirrorCommands = {
    sources: (upstream) => upstreamOf(upstream, MIRROR_STEP.commandAttempts).sources(),
    step: (upstream, step) => {
      const state = new D1MirrorState(databases, `${upstream.address} from ${step.scope.fromMs}`, clock);
      return commandedStep({ upstream: upstreamOf(upstream, MIRROR_STEP.commandAttempts), archive, state, clock, log }, step);
    },
  };
  const settings = readMirrorSettings(platform.variables);
  /** Without settings there is no heartbeat, and nothing to do. */
  if (!settings) return { mirror: async () => 0, mirrorHeartbeat: null, mirrorCommands };
  const { parallel, attempts } = MIRROR_STEP;
  const state = new D1MirrorState(databases, settings.address, clock);
  const mirror = () => {
    const fromMs = settings.fromMs ?? clock() - DAY_MS;
    const scopes = settings.sources.map((source) => ({ ...source, fromMs }));
    const upstream = upstreamOf({ ...settings, parallel }, attempts);
    return mirrorStep({ upstream, archive, state, clock, log }, { scopes, parallel, everyMs: settings.everyMs });
  };
  return { mirror, mirrorHeartbeat: () => state.heartbeat(), mirrorCommands };
}
