// Files for programs that visit the site: robots.txt and sitemap.xml.
import { CATALOGUE } from '../../http/cache-policy.ts';
import { type Representation, TEXT_TYPE, textReply, XML_TYPE } from '../../http/response.ts';
import { escapeXml } from '../../util/markup.ts';
import { type Context, serviceOrigin } from '../services.ts';

/** Layers of the pages that the sitemap lists: one for each preset of the explorer. */
const PAGES = ['', '[10,1,100]', '[9,1,100]', '[13,1,100]', '[19,1,100]', '[18,1,100]', '[13,1,100],[4,1,100],[5,1,100]'];

/** Crawlers may read the page and the pictures that it names, and leave out the other operations. */
export function robotsFile(context: Context): Promise<Representation> {
  const lines = [
    'User-agent: *',
    'Allow: /',
    'Allow: /v2/downloadImage/',
    'Allow: /v2/takeScreenshot/',
    'Allow: /v2/openapi.json',
    'Disallow: /v1/',
    'Disallow: /v2/',
    'Disallow: /admin/',
    'Disallow: /internal/',
    'Disallow: /tiles/',
    'Disallow: /hapi/',
    'Disallow: /stac/',
    'Disallow: /iiif/',
    'Disallow: /zarr/',
    '',
    `Sitemap: ${serviceOrigin(context)}/sitemap.xml`,
  ];
  return textReply(TEXT_TYPE, `${lines.join('\n')}\n`, { policy: CATALOGUE });
}

export function sitemapFile(context: Context): Promise<Representation> {
  const origin = serviceOrigin(context);
  const urls = PAGES.map((layers) => `<url><loc>${escapeXml(`${origin}/${layers ? `?imageLayers=${layers}` : ''}`)}</loc></url>`);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
  return textReply(XML_TYPE, text, { policy: CATALOGUE });
}
