// Index pages of the folders of the archive, for programs that read the links of such pages: hvpull, wget, scrapers and mirrors.
import { archiveFolder } from '../../archive/archive-folders.ts';
import { timelineTag } from '../../archive/keys.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { pageReply } from '../../platform/http/html.ts';
import { type Representation, redirectReply } from '../../platform/http/response.ts';
import { SETTLED_AFTER_MS } from '../../platform/limits/images.ts';
import { Failure } from '../../platform/util/errors.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import { formatDateTime } from '../../sun/time.ts';
import { type Context, settledPolicy } from '../services.ts';

/** A link in a line of its own. No other tag of the page has an address, and no other text ends as the name of a file. */
function link(path: string, facts: readonly (string | number)[] = []): string {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  const address = path.split('/').map(encodeURIComponent).join('/');
  return [`<a href="${address}">${escapeHtml(name)}</a>`, ...facts].join('  ');
}

/** The page of a folder: a line for each folder, or for each image with its time and size. @throws Failure `unknown-path` without images */
export async function archiveFolderPage(path: string, context: Context): Promise<Representation> {
  const { services, admission, stopwatch, url } = context;
  const charge = (images: number) => admission.admitAll('lists', images);
  const folder = await stopwatch.measure('index', () => archiveFolder(services.index, path, charge));
  if (!folder) throw new Failure('unknown-path', 'The archive has no images in this folder.');
  const address = `/jp2/${path === '' ? '' : `${path}/`}`;
  if (!url.pathname.endsWith('/')) return redirectReply(address, { policy: RECENT }, 301);
  const lines = [
    ...(path === '' ? [] : [link('../')]),
    ...folder.folders.map((name) => link(`${name}/`)),
    ...folder.files.map(([file, { takenAtMs, byteLength }]) => link(file, [formatDateTime(takenAtMs), byteLength])),
  ];
  const isSettled = folder.range !== null && folder.range.endMs < services.clock() - SETTLED_AFTER_MS;
  const title = `Index of ${address}`;
  const page = {
    title,
    style: 'pre{line-height:1.5}',
    body: `<h1>${escapeHtml(title)}</h1>\n<pre>\n${lines.join('\n')}\n</pre>`,
    policy: { loads: [], formAction: "'none'", frameAncestors: "'none'" },
  } as const;
  return pageReply(page, { policy: isSettled ? settledPolicy(services) : RECENT, tags: folder.instruments.map(timelineTag) });
}
