// Global setup of every project: brings build/ up to date.
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';

export default (): Promise<void> => buildStaleArtefacts((line) => console.log(line));
