// The mirror of another archive, which the clock and commands run.
import { MIRROR_FILE } from '../background.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../config/limits/memory.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../config/limits/mirror.ts';
import { readMirrorSettings } from '../config/settings/mirror.ts';
import type { PlannedFile } from '../domain/mirror/mirror-state.ts';
import type { CommandedUpstream, MirrorCommands } from '../routes/internal/admin-mirror.ts';
import type { MirrorTarget } from '../services/mirror/mirror-file.ts';
import { commandedStep, copyPlannedFile, mirrorStep } from '../services/mirror/mirror-step.ts';
import { D1MirrorState } from '../storage/mirror/d1-mirror-state.ts';
import { mirrorUpstream } from '../upstreams/mirror/mirror-upstream.ts';
import { DAY_MS } from '../util/durations.ts';
import type { Archive } from './archive.ts';
import type { Platform } from './platform.ts';

const nothing = async () => 0;

/** An upstream for each step: what belongs to one invocation cannot be awaited in another. */
function upstreamOf({ kind, address, perSecond, parallel }: CommandedUpstream, attempts: number) {
  const { attemptMs, waitMs: longestWaitMs } = MIRROR_STEP;
  return mirrorUpstream(kind, address, { ...MIRROR_REQUESTS, perSecond, parallel, attempts, attemptMs, longestWaitMs });
}

export function mirrorServices(platform: Platform, { register, ingest }: Pick<Archive, 'register' | 'ingest'>) {
  const { databases, memory, send, clock, log } = platform;
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
  if (!settings) return { mirror: nothing, copyMirrorFile: nothing, mirrorHeartbeat: null, mirrorCommands };
  const { parallel, attempts } = MIRROR_STEP;
  const state = new D1MirrorState(databases, settings.address, clock);
  const ports = () => ({ upstream: upstreamOf({ ...settings, parallel }, attempts), archive, state, clock, log });
  return {
    mirror() {
      const fromMs = settings.fromMs ?? clock() - DAY_MS;
      const scopes = settings.sources.map((source) => ({ ...source, fromMs }));
      // One request of each file, and as many again for the lists.
      const sent = Math.min(MIRROR_STEP.sent, 30 * settings.perSecond);
      const sendFiles = (files: readonly PlannedFile[]) =>
        send(
          'LONG_JOBS',
          files.map((file) => ({ kind: MIRROR_FILE, ...file })),
        );
      return mirrorStep(ports(), { scopes, everyMs: settings.everyMs, sent, send: sendFiles });
    },
    copyMirrorFile: (file: PlannedFile) => copyPlannedFile(ports(), file),
    mirrorHeartbeat: () => state.heartbeat(),
    mirrorCommands,
  };
}
