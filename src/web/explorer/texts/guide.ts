// The texts of tour and glossary, which load with those of panels.
import { more } from './more.ts';

export interface Guide {
  /** `{step}`, `{steps}` */
  readonly step: string;
  readonly back: string;
  readonly next: string;
  readonly end: string;
  /** Title of the first step; the others have those of what they point at. */
  readonly picture: string;
  readonly steps: Readonly<Record<string, string>>;
  /** Terms and their explanations, by the English term. */
  readonly glossary: Readonly<Record<string, readonly string[]>>;
}

export const guide: Guide = more.guide;
