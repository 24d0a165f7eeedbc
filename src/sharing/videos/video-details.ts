// Title, description and tags of a shared movie, within the limits of the host.
import { DETAIL_LIMITS } from '../../platform/limits/sharing.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';

export interface VideoDetails {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isShared: boolean;
}

interface DetailParameters {
  readonly title: string;
  readonly description: string;
  /** Comma-separated. */
  readonly tags: string;
  readonly share: boolean;
}

/** The host rejects `<` and `>`; control characters are rejected here. */
const NOT_IN_A_LINE = /[<>\p{Cc}\u2028\u2029]/u;
const NOT_IN_TEXT = /[<>]|(?![\n\r\t])\p{Cc}/u;

const isWellFormed = (text: string) => !/\p{Cs}/u.test(text);

function title(text: string): string {
  const trimmed = text.trim();
  const { titleCharacters } = DETAIL_LIMITS;
  if (trimmed !== '' && trimmed.length <= titleCharacters && !NOT_IN_A_LINE.test(trimmed) && isWellFormed(trimmed))
    return trimmed;
  throw badParameter('title', `1 to ${titleCharacters} characters in one line without < and >`, text);
}

function description(text: string): string {
  const { descriptionBytes } = DETAIL_LIMITS;
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes <= descriptionBytes && !NOT_IN_TEXT.test(text) && isWellFormed(text)) return text.trim();
  throw badParameter('description', `at most ${descriptionBytes} bytes of text without < and >`, text);
}

/** Length of a tag list as the host counts it, in characters. */
export function countedCharacters(tags: readonly string[]): number {
  const quoted = tags.map((tag) => (tag.includes(' ') ? tag.length + 2 : tag.length));
  return quoted.reduce((sum, length) => sum + length, Math.max(0, tags.length - 1));
}

function tagList(text: string): string[] {
  const given = text.split(',').map((tag) => tag.trim());
  const tags = [...new Set(given.filter((tag) => tag !== ''))];
  const { tagCharacters, tagsCharacters } = DETAIL_LIMITS;
  const isGood = (tag: string) => tag.length <= tagCharacters && !NOT_IN_A_LINE.test(tag) && isWellFormed(tag);
  if (!tags.every(isGood))
    throw badParameter('tags', `words of 1 to ${tagCharacters} characters without < and >, separated by commas,`, text);
  if (countedCharacters(tags) > tagsCharacters) {
    const message = `Expected at most ${tagsCharacters} characters for tags, got ${countedCharacters(tags)}.`;
    throw new Failure('bad-parameter', message, { parameter: 'tags' });
  }
  return tags;
}

/** Trimmed parameters without empty and repeated tags. @throws Failure `bad-parameter` for the first that the host would reject */
export const videoDetails = (parameters: DetailParameters): VideoDetails => ({
  title: title(parameters.title),
  description: description(parameters.description),
  tags: tagList(parameters.tags),
  isShared: parameters.share,
});
