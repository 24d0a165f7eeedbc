// Derives the configuration of a deployment, in build/, from wrangler.toml.

/** Ids of the local databases in wrangler.toml, in the order of their blocks: the main one and that of the images. */
const LOCAL_DATABASE_IDS = /(?<=^database_id = ")0[0-]*[01](?="$)/gm;
/** Paths, which wrangler resolves from the folder of the configuration. */
const RELATIVE_PATHS = /(?<=^(?:main|migrations_dir|directory|image|image_build_context) = ")(?!\/)/gm;
/** The block of the containers, up to the next block. */
const CONTAINERS = /^\[\[containers\]\]\n(?:(?!\[).*\n)*/m;
const MOVIE_CONTAINERS = /(?<=^MOVIE_CONTAINERS = ")\d+(?="$)/m;

export interface DeployedConfigOptions {
  /** Ids of the main database and of the image database. */
  readonly databaseIds: readonly [main: string, images: string];
  /** Leaves out the containers. Their class stays, because the Worker exports it and earlier deployments may use it. */
  readonly withoutMovies: boolean;
}

/** wrangler.toml for the folder build/, with the real databases. */
export function deployedConfig(toml: string, { databaseIds, withoutMovies }: DeployedConfigOptions): string {
  const ids = databaseIds.values();
  const text = toml.replace(LOCAL_DATABASE_IDS, () => ids.next().value!).replace(RELATIVE_PATHS, '../');
  return withoutMovies ? text.replace(CONTAINERS, '').replace(MOVIE_CONTAINERS, '0') : text;
}
