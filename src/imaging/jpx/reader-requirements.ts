// The reader requirements box, rreq (ISO/IEC 15444-2, M.11.1 and table M.14).
import { box, u16 } from './box.ts';

/** Numbers of standard features. */
const FEATURE = {
  noExtensions: 1,
  severalLayers: 2,
  profile1: 4,
  anyPart1Codestream: 5,
  opacity: 9,
  premultipliedOpacity: 10,
  fragmentsElsewhere: 15,
} as const;

/** Rsiz of codestreams in profile 0 and profile 1 (15444-1, table A.10). */
const PROFILE_0 = 1;
const PROFILE_1 = 2;

interface Requirements {
  readonly frames: number;
  readonly linked: boolean;
  /** Rsiz of the codestreams. */
  readonly rsiz: ReadonlySet<number>;
  /** Types of opacity channels, 1 and 2. */
  readonly opacity: ReadonlySet<number>;
}

function featuresOf({ frames, linked, rsiz, opacity }: Requirements): number[] {
  return [
    FEATURE.noExtensions,
    ...(frames > 1 ? [FEATURE.severalLayers] : []),
    ...(rsiz.has(PROFILE_1) ? [FEATURE.profile1] : []),
    ...([...rsiz].some((value) => value !== PROFILE_0 && value !== PROFILE_1) ? [FEATURE.anyPart1Codestream] : []),
    ...(opacity.has(1) ? [FEATURE.opacity] : []),
    ...(opacity.has(2) ? [FEATURE.premultipliedOpacity] : []),
    ...(linked ? [FEATURE.fragmentsElsewhere] : []),
  ];
}

/** The rreq box: one-byte masks with a bit per feature, at most 7, all required both to understand and to display the file; no vendor features. */
export function readerRequirements(requirements: Requirements): Uint8Array {
  const features = featuresOf(requirements);
  const all = features.reduce((mask, _, i) => mask | (0x80 >> i), 0);
  const entries = features.map((feature, i) => Uint8Array.of(...u16(feature), 0x80 >> i));
  return box('rreq', Uint8Array.of(1, all, all), u16(features.length), ...entries, u16(0));
}
