import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docsPage } from '../../../src/cli/build/docs-page.ts';
import { projectRoot } from '../../../src/cli/settings.ts';
import { operations } from '../../../src/routes/operations.ts';
import { DOCUMENT } from '../../support/described-responses.ts';

const guides = await readFile(join(projectRoot, 'src', 'web', 'docs', 'guides.html'), 'utf8');
const page = docsPage(DOCUMENT, guides);

const matches = (pattern: RegExp) => [...page.matchAll(pattern)].map((match) => match[1]!);

describe('the page of the API', () => {
  it('has a section with an example for every operation, and for every schema', () => {
    const ids = matches(/<section id="([^"]+)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...operations.keys()]));
    expect(ids).toEqual(expect.arrayContaining(Object.keys(DOCUMENT.components.schemas).map((name) => `schema-${name}`)));
    expect(page).toContain('<code>GET /v2/getClosestImage/?date=2024-05-10T12:00:00Z&amp;sourceId=10</code>');
  });

  it('has the guides', () => {
    const guideIds = matches(/<section id="guide-([^"]+)"/g);
    expect(guideIds).toEqual(['curl', 'hvpy', 'sunpy', 'jhelioviewer', 'openlayers']);
  });

  it('links to places that exist', () => {
    const places = new Set(matches(/ id="([^"]+)"/g));
    expect(matches(/href="#([^"]+)"/g).filter((place) => !places.has(place))).toEqual([]);
  });

  it('runs under a policy without inline scripts and styles, and loads nothing of other sites', () => {
    expect(page).not.toMatch(/<script(?! type="module" src="\/docs\/docs\.js">)|<style|\sstyle=|\son\w+=/);
    expect(matches(/(?:src|href)="(https?:[^"]*)"/g)).toEqual([]);
  });

  it('gives the form of an operation its path, method, example and parameters', () => {
    const facts = matches(/data-try="([^"]+)"/g).map((text) =>
      JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')),
    );
    expect(facts).toHaveLength(operations.size);
    expect(facts).toContainEqual({
      path: '/v2/downloadImage/',
      method: 'GET',
      example: { id: 26, width: 512, type: 'webp' },
      names: ['id', 'width', 'scale', 'type'],
    });
  });
});
