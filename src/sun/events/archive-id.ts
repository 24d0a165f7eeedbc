const HEK_ARCHIVE = /^ivo:\/\/helio-informatics\.org\//;

/** The id of a flare of RHESSI as it was before it had letters, and is in stored selections; of another event its id. */
export const legacyId = (id: string): string => id.replace(/^RHESSI-(?=\d+$)/, '');

/** The id of an event without the address of the HEK; the web client and the explorer find the pin of an event by it. */
export const archiveId = (id: string): string => id.replace(HEK_ARCHIVE, '');
