import type { Context } from './services.ts';

/** Where this service is for its users' browsers. */
export function serviceOrigin({ services, url }: Context): string {
  return services.sharing?.settings.publicOrigin ?? url.origin;
}
