// Escaping of text for markup, in elements and in quoted attributes.

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text for XML 1.0 (section 2.4), SVG included. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => XML[character]!);
}

/** Text for HTML. The apostrophe is numeric, because HTML 4 has no `&apos;`. */
export function escapeHtml(text: string): string {
  return escapeXml(text).replaceAll('&apos;', '&#39;');
}
