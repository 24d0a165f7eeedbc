// What draws other projections than the plane, which loads with the first one that is asked for.
export { PROJECTIONS, shownSides, sidesOf } from '../../picture/projections/projections.ts';
export { sharedBelow, WEIGHT_STEP, weightBeside, weightShader } from '../../picture/projections/sharing.ts';
export { SPACE_SHADER } from '../../picture/projections/sphere.ts';
