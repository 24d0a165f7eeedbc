// Times, which are the same in every language: ISO 8601 in UTC.
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { formatDateTime } from '../../sun/time.ts';
import type { ImageRecord } from '../api/image-record.ts';

export const utc = (ms: number) => `${formatDateTime(ms)} UTC`;
export const imageTime = ({ takenAt }: Pick<ImageRecord, 'takenAt'>) => utc(Date.parse(takenAt));
export const titleOf = (image: ImageRecord) => `${image.name} · ${imageTime(image)} · ${SERVICE_NAME}`;
