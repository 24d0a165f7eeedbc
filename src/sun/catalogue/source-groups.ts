/** Ids of groups begin here. */
const GROUPS_FROM = 10_000;

export const isSourceGroup = ({ id }: { readonly id: number }): boolean => id >= GROUPS_FROM;
