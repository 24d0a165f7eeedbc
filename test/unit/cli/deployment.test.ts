import { describe, expect, it } from 'vitest';
import { deploy } from '../../../src/cli/deploy/deployment.ts';
import { ProgramError, run, WRANGLER } from '../../../src/cli/run.ts';

/** An account in memory, as wrangler shows it. */
class MemoryAccount {
  readonly commands: string[] = [];
  readonly resources = new Set<string>();
  readonly secrets = new Map<string, string>();
  readonly rules = new Map<string, string>();
  deployments = 0;
  loggedIn = true;

  wrangler = async (args: readonly string[], input?: string): Promise<string> => {
    const command = args.filter((arg) => !arg.startsWith('--') && arg !== 'json' && !arg.endsWith('.toml')).join(' ');
    this.commands.push(command);
    const [kind, verb, ...rest] = command.split(' ');
    const name = rest.at(-1)!;
    if (command === 'whoami') return this.#check(this.loggedIn);
    if (command === 'd1 list') {
      const list = [...this.resources].map((name) => ({ uuid: `id of ${name}`, name }));
      return `a notice\n${JSON.stringify(list)}\n`;
    }
    if (verb === 'info' || rest[0] === 'info') return this.#check(this.resources.has(name));
    if (verb === 'create' || rest[0] === 'create') {
      this.#check(!this.resources.has(name));
      this.resources.add(name);
    }
    if (kind === 'deploy') this.deployments += 1;
    if (command.startsWith('r2 bucket lifecycle list')) return [...this.rules].join('\n');
    if (command.startsWith('r2 bucket lifecycle add')) this.rules.set(args[5]!, args.slice(6, -1).join(' '));
    if (command === 'secret list') return JSON.stringify([...this.secrets.keys()].map((secret) => ({ name: secret })));
    if (command.startsWith('secret put')) this.secrets.set(name, input!.trim());
    return '';
  };

  #check(good: boolean): string {
    if (!good) throw new ProgramError('no');
    return '';
  }
}

function deployTo(account: MemoryAccount, { docker = true, withoutMovies = false } = {}) {
  const said: string[] = [];
  const configs: (readonly string[])[] = [];
  const options = {
    wrangler: account.wrangler,
    writeConfig: async (databaseIds: readonly string[]) => {
      configs.push(databaseIds);
      return 'build/wrangler.toml';
    },
    newToken: () => 'fresh-token',
    hasDocker: async () => docker,
    withoutMovies,
    say: (line: string) => said.push(line),
  };
  return deploy(options).then(() => ({ said: said.join('\n'), configs }));
}

describe('a deployment', () => {
  it('creates every resource of an empty account, migrates before deploying, and shows the new token once', async () => {
    const account = new MemoryAccount();
    const { said, configs } = await deployTo(account);
    expect([...account.resources].sort()).toEqual([
      'helioedge',
      'helioedge-archive',
      'helioedge-images',
      'helioedge-jobs',
      'helioedge-jobs-dead',
    ]);
    expect(configs).toEqual([['id of helioedge', 'id of helioedge-images']]);
    const steps = [
      'd1 create helioedge-images',
      'd1 migrations apply DB',
      'd1 migrations apply IMAGES',
      'd1 execute IMAGES',
      'deploy',
    ];
    const places = steps.map((step) => account.commands.findIndex((command) => command.startsWith(step)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(account.secrets.get('ADMIN_TOKEN')).toBe('fresh-token');
    expect(said).toContain('ADMIN_TOKEN is now fresh-token');
    expect([...account.secrets.keys()]).toEqual(['ADMIN_TOKEN', 'MOVIE_TOKEN', 'SESSION_KEY']);
    expect(said.match(/fresh-token/g)).toHaveLength(1);
  });

  it('adds expiry rules for files that can be rebuilt, and keeps existing rules', async () => {
    const account = new MemoryAccount();
    account.rules.set('helioedge-movies', 'derived/movies/ 7');
    await deployTo(account);
    expect(Object.fromEntries(account.rules)).toEqual({
      'helioedge-movies': 'derived/movies/ 7',
      'helioedge-screenshots': 'derived/screenshots/ --expire-days 180',
      'helioedge-tiles': 'derived/v --expire-days 90',
      'helioedge-derived-plans': 'derived/plans/ --expire-days 365',
      'helioedge-jpx': 'jpx/ --expire-days 365',
      'helioedge-events': 'events/ --expire-days 400',
      'helioedge-multipart': '--abort-multipart-days 1',
    });
  });

  it('changes nothing without Docker, unless movies are left out', async () => {
    const account = new MemoryAccount();
    await expect(deployTo(account, { docker: false })).rejects.toThrow(/^Expected a running Docker.*--without-movies/);
    expect(account.commands).toEqual(['whoami']);
    await deployTo(account, { docker: false, withoutMovies: true });
    expect(account.deployments).toBe(1);
  });

  it('creates nothing and keeps the token when it is repeated', async () => {
    const account = new MemoryAccount();
    await deployTo(account);
    account.commands.length = 0;
    const { said } = await deployTo(account);
    expect(account.commands.filter((command) => /create|put/.test(command))).toEqual([]);
    expect(account.deployments).toBe(2);
    expect(said).not.toContain('fresh-token');
  });

  it('changes nothing without a login', async () => {
    const account = new MemoryAccount();
    account.loggedIn = false;
    await expect(deployTo(account)).rejects.toThrow(
      'Expected CLOUDFLARE_API_TOKEN or a login by `npx wrangler login`, got neither.',
    );
    expect(account.commands).toEqual(['whoami']);
  });
});

describe('a program that is run', () => {
  it('fails with its output', async () => {
    await expect(run(WRANGLER, ['no-such-command'])).rejects.toThrow(/no-such-command failed\.\n.*Unknown/s);
  });
});
