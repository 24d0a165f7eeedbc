// Members of records that the service alone reads, without which the pages are bundled.

/** How operations are read, and their texts about parameters, costs, and what a source cannot have; orbits of spacecraft. */
export const MEMBERS_OF_SERVICE =
  'parameters read parse what example words description refusal cost suffix naifId distanceAu url cadenceMs'.split(' ');

/** These members, which end before the next line that is not indented further, as the formatter leaves them, and comments, also of shaders. */
const LEFT_OUT = new RegExp(
  `^( *)(?:(?:${MEMBERS_OF_SERVICE.join('|')}):.*\\n(?:\\1(?: +.*|[}\\])].*)\\n)*|(?:/\\*\\*.*\\*/|//.*)\\n)`,
  'gm',
);

export const withoutServiceMembers = (source: string): string => source.replace(LEFT_OUT, '');
