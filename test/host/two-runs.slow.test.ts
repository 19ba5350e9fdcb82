/**
 * Two runs at once over one tree: `fix --write` twice, `undo` twice, or one beside the other. When
 * both have ended, all files are as they were or as they are to be, and nothing else is there.
 * 12 pairs; HTTPD_UPGRADE_PAIRS says how many instead, HTTPD_UPGRADE_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle } from '../support/built';
import { fastFolder } from '../support/paths';
import { Random, seed } from '../support/random';

const FILES = 60;
const PAIRS = Number(process.env.HTTPD_UPGRADE_PAIRS ?? 12);

type Action = 'fix' | 'undo';
type State = 'old' | 'new';

describe('two runs at once', function () {
  this.timeout(120_000 + PAIRS * 20_000);
  let top: string;
  before(() => {
    top = mkdtempSync(path.join(fastFolder(), 'httpd-upgrade-pairs-'));
    mkdirSync(path.join(top, 'tree'));
    for (let index = 0; index < FILES; index++) writeFileSync(fileOf(index), textOf('old', index));
  });
  after(() => rmSync(top, { recursive: true, force: true }));

  it('leave all or nothing', async () => {
    const given = seed();
    const random = new Random(given);
    const figures = { pairs: 0, busy: 0, refused: 0, changed: 0 };
    /** Milliseconds of the longest run: the second one starts at any moment of the first. */
    let length = 0;
    for (let state: State = 'old'; figures.pairs < PAIRS; figures.pairs++) {
      const pair: Action[] = [random.pick(['fix', 'undo']), random.pick(['fix', 'undo'])];
      const title = `HTTPD_UPGRADE_SEED=${given}, pair ${figures.pairs}: ${pair.join(' and ')}, ${state}`;
      const runs = [run(pair[0]!, 0), run(pair[1]!, random.next() * length)];
      const ended = await Promise.all(runs);
      length = Math.max(length, ...ended.map(({ took }) => took));
      for (const { code, err } of ended) {
        assert.ok(code === 0 || code === 1 || code === 2, `${title}: ${code} ${err}`);
        assert.doesNotMatch(err, /This is a defect|Error:/, title);
        if (/another run of httpd-upgrade/.test(err)) figures.busy++;
        else if (code === 2) figures.refused++;
      }
      const now = stateNow(`${title}\n${ended.map(({ err }) => err).join('\n')}`);
      if (now !== state) figures.changed++;
      state = now;
    }
    if (process.env.HTTPD_UPGRADE_PAIRS) console.log(JSON.stringify(figures));
    assert.ok(figures.changed > 0);
  });

  async function run(action: Action, delay: number): Promise<{ code: number | null; err: string; took: number }> {
    await new Promise((resolve) => setTimeout(resolve, delay));
    const start = performance.now();
    const words = action === 'fix' ? ['fix', '--write', '--fail-on', 'never', 'tree'] : ['undo'];
    const child = spawn(process.execPath, [bundle('cli.js'), ...words], {
      cwd: top,
      env: { ...process.env, HTTPD_UPGRADE_STATE: path.join(top, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve) =>
      child.once('close', (code) => resolve({ code, err, took: performance.now() - start })),
    );
  }

  /** What all files are; nothing else is in the folder. */
  function stateNow(title: string): State {
    const texts = Array.from({ length: FILES }, (_, index) => readFileSync(fileOf(index), 'utf8'));
    const states = texts.map((text, index) => (['old', 'new'] as const).find((each) => text === textOf(each, index)));
    assert.equal(new Set(states).size, 1, `${title}: ${states.join(' ')}`);
    // Before the first change there is no folder for the state.
    const hasState = existsSync(path.join(top, 'state'));
    assert.deepEqual(readdirSync(top).sort(), hasState ? ['state', 'tree'] : ['tree'], title);
    assert.equal(readdirSync(path.join(top, 'tree')).length, FILES, title);
    if (hasState) assert.deepEqual(readdirSync(path.join(top, 'state', 'httpd-upgrade', 'locks')), [], title);
    return states[0]!;
  }

  function fileOf(index: number): string {
    return path.join(top, 'tree', `part-${index}.conf`);
  }
});

function textOf(state: State, index: number): string {
  return `<VirtualHost *:${index}>\n${state === 'old' ? 'MaxClients' : 'MaxRequestWorkers'} ${index + 1}\n</VirtualHost>\n`;
}
