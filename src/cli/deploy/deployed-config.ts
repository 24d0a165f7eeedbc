// Derives the configuration of a deployment, in build/, from wrangler.toml.

/** Id of the local database in wrangler.toml. */
const LOCAL_DATABASE_ID = /(?<=^database_id = ")0[0-]*(?="$)/m;
/** Paths, which wrangler resolves from the folder of the configuration. */
const RELATIVE_PATHS = /(?<=^(?:main|migrations_dir|directory|image|image_build_context) = ")(?!\/)/gm;
/** The block of the containers, up to the next block. */
const CONTAINERS = /^\[\[containers\]\]\n(?:(?!\[).*\n)*/m;
const MOVIE_CONTAINERS = /(?<=^MOVIE_CONTAINERS = ")\d+(?="$)/m;

export interface DeployedConfigOptions {
  readonly databaseId: string;
  /** Leaves out the containers. Their class stays, because the Worker exports it and earlier deployments may use it. */
  readonly withoutMovies: boolean;
}

/** wrangler.toml for the folder build/, with the real database. */
export function deployedConfig(toml: string, { databaseId, withoutMovies }: DeployedConfigOptions): string {
  const text = toml.replace(LOCAL_DATABASE_ID, databaseId).replace(RELATIVE_PATHS, '../');
  return withoutMovies ? text.replace(CONTAINERS, '').replace(MOVIE_CONTAINERS, '0') : text;
}
