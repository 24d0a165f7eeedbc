// Status of a share, as JSON and as a page.
import type { Share } from '../../domain/sharing/share.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { asFailure, statusOf } from '../../http/errors.ts';
import { htmlReply, type SmallPage } from '../../http/html.ts';
import type { JsonBody } from '../../http/openapi/json-bodies.ts';
import { jsonReply, type Representation } from '../../http/response.ts';
import { escapeHtml } from '../../util/markup.ts';
import type { shareStatus } from './sharing-schemas.ts';

const REFRESH_SECONDS = 5;

/** Status texts; clients compare the first one. */
const STATUSES: Readonly<Record<Share['status'], string>> = {
  pending: 'upload in progress.',
  uploading: 'upload in progress.',
  done: 'uploaded.',
  failed: 'upload failed.',
  gone: 'removed from the video host.',
};

const hasEnded = ({ status }: Share) => status !== 'pending' && status !== 'uploading';

/** Fraction of the bytes sent, 0 to 1. */
function progressOf({ status, sentBytes, totalBytes }: Share): number {
  if (status === 'done') return 1;
  return totalBytes === 0 ? 0 : Math.round((sentBytes / totalBytes) * 1000) / 1000;
}

/** @param watchUrl Address of the published video, null before it is published */
export function shareJson(share: Share, watchUrl: string | null): Promise<Representation> {
  const { status, reason } = share;
  const extra = { ...(watchUrl === null ? {} : { url: watchUrl }), ...(status === 'failed' && reason ? { error: reason } : {}) };
  return jsonReply<JsonBody<typeof shareStatus>>(
    { status: STATUSES[status], progress: progressOf(share), ...extra },
    { policy: NO_STORE },
  );
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function sharePageOf(share: Share, { watchUrl, action }: { watchUrl: string | null; action: string }): SmallPage {
  const { title } = share.details;
  if (watchUrl !== null) {
    const link = `<p><a href="${escapeHtml(watchUrl)}" rel="noreferrer">${escapeHtml(watchUrl)}</a></p>`;
    return { title, body: `${paragraph('The movie has been uploaded. The video host may need a minute to show it.')}\n${link}` };
  }
  if (share.status === 'failed') {
    const fields = `<input type="hidden" name="id" value="${escapeHtml(share.movieId)}"><input type="hidden" name="html" value="true">`;
    const form = `<form method="post" action="${escapeHtml(action)}">${fields}<button>Try again</button></form>`;
    return { title, body: `${paragraph(`The upload failed. ${share.reason ?? ''}`)}\n${form}` };
  }
  const percent = Math.round(progressOf(share) * 100);
  const bar = `<progress max="100" value="${percent}">${percent} %</progress>`;
  const body = `${paragraph('The upload is in progress. This page may be closed: it goes on by itself.')}\n<p>${bar}</p>`;
  return { title, body };
}

/** @param links.action Address to which the retry form of a failed upload is posted */
export function sharePage(share: Share, links: { watchUrl: string | null; action: string }): Promise<Representation> {
  const page = sharePageOf(share, links);
  return htmlReply(hasEnded(share) ? page : { ...page, refreshSeconds: REFRESH_SECONDS }, { policy: NO_STORE });
}

/**
 * A failure as a page with its status.
 * @throws The error itself when it is internal
 */
export function failurePage(error: unknown): Promise<Representation> {
  const failure = asFailure(error);
  const status = statusOf(failure);
  if (status === 500) throw error;
  return htmlReply({ title: 'The movie was not shared', body: paragraph(failure.message) }, { policy: NO_STORE, status });
}
