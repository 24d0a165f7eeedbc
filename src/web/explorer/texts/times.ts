// The name of the service and times, which are the same in every language. Times are ISO 8601 in UTC.
import { formatDateTime } from '../../../domain/time.ts';
import type { ImageRecord } from '../api/image-record.ts';

export const NAME = 'helioedge';

export const utc = (ms: number) => `${formatDateTime(ms)} UTC`;
export const utcDay = (ms: number) => formatDateTime(ms).slice(0, 10);
export const imageTime = ({ takenAt }: Pick<ImageRecord, 'takenAt'>) => utc(Date.parse(takenAt));
export const titleOf = (image: ImageRecord) => `${image.name} · ${imageTime(image)} · ${NAME}`;
