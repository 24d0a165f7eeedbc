// Response schemas of the operations on celestial bodies.
import { z } from '@hono/zod-openapi';

const au = (description: string) => z.number().describe(`${description}, astronomical units.`);

const position = () =>
  z
    .object({
      x: z.number().describe('Arcseconds to the west of the centre of the Sun.'),
      y: z.number().describe('Arcseconds to the north of the centre of the Sun.'),
      distance_observer_to_body_au: au('Observer to body'),
      distance_sun_to_observer_au: au('Sun to observer'),
      distance_sun_to_body_au: au('Sun to body'),
      behind_plane_of_sun: z.enum(['True', 'False']).describe('Whether the body is further away than the Sun.'),
      speedkms: z.number().optional().describe('Spacecraft: speed about the Sun, km/s.'),
    })
    .openapi('BodyPosition', { description: 'A body as its observer sees it.' });

const byObserverAndBody = <T extends z.ZodType>(value: T) => z.record(z.string(), z.record(z.string(), value));

/** getSolarBodies. */
export const solarBodies = () =>
  z
    .object({
      labels: byObserverAndBody(z.union([position(), z.null()])).describe(
        'By observer and body; null for a body that is not near the Sun.',
      ),
      trajectories: byObserverAndBody(z.union([z.record(z.string(), position()), z.array(position()).max(0)])).describe(
        'By observer, body and milliseconds since 1970; an empty list for a body that is not near the Sun.',
      ),
    })
    .openapi('SolarBodies');

const mod = () =>
  z
    .object({
      name: z.string(),
      url: z.string(),
      arrow: z.boolean(),
      metrics: z.record(z.string(), z.object({ title: z.string(), unit: z.string() })),
      cadence: z.number().describe('Step of the trajectory, milliseconds.'),
    })
    .openapi('SpacecraftFacts');

/** getSolarBodiesGlossary. */
export const glossary = () =>
  z
    .object({
      version: z.int(),
      observers: z.record(z.string(), z.array(z.string())).describe('The bodies that each observer can see.'),
      enabledTrajectories: z.array(z.string()),
      mods: z.record(z.string(), mod()).describe('Spacecraft by name.'),
    })
    .openapi('SolarBodiesGlossary');

/** getTrajectoryTime. */
export const trajectoryTime = () =>
  z.object({ time: z.number().nullable().describe('Milliseconds since 1970, or null.') }).openapi('TrajectoryTime');
