// Debian's Firefox over WebDriver BiDi, because Playwright drives only builds of Firefox of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../commands.ts';
import { isInstalled } from '../programs.ts';

const PROGRAM = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
/** Longest wait for the program to listen, and for an expression to become true. */
const START_MS = 60_000;
const PATIENCE_MS = 60_000;
/** Duration of each move of a drag. */
const MOVE_MS = 50;

export const hasFirefox = isInstalled(PROGRAM);

interface Reply {
  readonly id?: number;
  readonly type: 'success' | 'error' | 'event';
  readonly message?: string;
  readonly result?: unknown;
  readonly method?: string;
  readonly params?: unknown;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

async function connected(address: string): Promise<WebSocket> {
  for (const end = Date.now() + START_MS; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const socket = new WebSocket(address);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true));
      socket.addEventListener('error', () => resolve(false));
    });
    if (isOpen) return socket;
    if (Date.now() > end) throw new Error(`Firefox does not listen on ${address}`);
  }
}

/** One tab of a Firefox. */
export class Firefox {
  /** Console errors and uncaught exceptions. */
  readonly troubles: string[] = [];
  readonly #program: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;
  #context = '';

  private constructor(program: ChildProcess, profile: string, socket: WebSocket) {
    this.#program = program;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
      else if (reply.method === 'log.entryAdded') this.#note(reply.params as { level: string; text: string });
    });
  }

  static async start(viewport: { readonly width: number; readonly height: number }): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'helioedge-firefox-'));
    const port = await freePort();
    const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)];
    const program = spawn(PROGRAM, options, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
    const firefox = new Firefox(program, profile, await connected(`ws://127.0.0.1:${port}/session`));
    await firefox.#send('session.new', { capabilities: {} });
    await firefox.#send('session.subscribe', { events: ['log.entryAdded'] });
    firefox.#context = (await firefox.#send<{ context: string }>('browsingContext.create', { type: 'tab' })).context;
    await firefox.#send('browsingContext.setViewport', { context: firefox.#context, viewport });
    return firefox;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#program.once('close', resolve));
    this.#program.kill();
    await ended;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async open(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The value of an expression in the page. */
  async evaluate<T = string>(expression: string): Promise<T> {
    const target = { context: this.#context };
    const text = `(async () => JSON.stringify(await (${expression})))()`;
    const { result } = await this.#send<{ result?: { value?: string } }>('script.evaluate', {
      expression: text,
      target,
      awaitPromise: true,
    });
    return JSON.parse(result?.value ?? 'null') as T;
  }

  async textOf(selector: string): Promise<string> {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
  }

  /** Waits until an expression is true. */
  async until(expression: string): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await this.evaluate<boolean>(`Boolean(${expression})`)); ) {
      if (Date.now() > end) throw new Error(`Firefox: ${expression} does not become true`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Clicks the middle of an element once it exists, in view. */
  async click(selector: string): Promise<void> {
    const element = `document.querySelector(${JSON.stringify(selector)})`;
    await this.until(element);
    await this.evaluate(`${element}.scrollIntoView({ block: 'nearest' })`);
    const middle = `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(${element}.getBoundingClientRect())`;
    await this.drag([await this.evaluate<Point>(middle)]);
  }

  /** Presses at the first point, moves to the others, and releases. */
  async drag([from, ...others]: readonly Point[]): Promise<void> {
    const moveTo = ({ x, y }: Point) => ({ type: 'pointerMove', x: Math.round(x), y: Math.round(y) });
    const moves = others.map((at) => ({ ...moveTo(at), duration: MOVE_MS }));
    const actions = [moveTo(from!), { type: 'pointerDown', button: 0 }, ...moves, { type: 'pointerUp', button: 0 }];
    const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
    await this.#send('input.performActions', { context: this.#context, actions: [mouse] });
  }

  #note({ level, text }: { readonly level: string; readonly text: string }): void {
    if (level === 'error') this.troubles.push(text);
  }

  async #send<T>(method: string, params: object): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { type, message, result } = await reply;
    this.#waiting.delete(id);
    if (type === 'error') throw new Error(`${method}: ${message}`);
    return result as T;
  }
}
