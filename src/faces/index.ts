// What other rooms may import of this one.
export { ChannelIds, durableChannels } from './jpip/response.ts';
export { JpipTargets, type TargetPorts } from './jpip/target.ts';
export { type JpxParts, jpxParts } from './jpx/jpx-manifest.ts';
export { toolbox } from './mcp/tools.ts';
export { failureContext, operations } from './operations.ts';
export { failureForPeople } from './pages.ts';
export { routeOf } from './routes.ts';
export { type Context, isDeployed, type Services, serviceOrigin } from './services.ts';
export { ImageStores } from './zarr/image-stores.ts';
