// Builds the page /docs/ into build/web, beside the other pages.
import { join } from 'node:path';
import { projectRoot } from '../settings.ts';
import { writeDocs } from './docs-page.ts';

await writeDocs(join(projectRoot, 'src', 'web'), join(projectRoot, 'build', 'web'));
