// Draws projections other than the plane; loads with the first of them.
export { PROJECTIONS, shownSides, sidesOf } from '../../picture/projections/projections.ts';
export { sharedBelow, WEIGHT_STEP, weightBeside, weightShader } from '../../picture/projections/sharing.ts';
export { SPACE_SHADER } from '../../picture/projections/sphere.ts';
