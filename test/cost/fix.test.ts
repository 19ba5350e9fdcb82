/** What `fix --write` asks of the disk for each file of a large server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { oldServer } from '../bench/old-files';
import { Folder, run } from '../cli/run';

/**
 * The most calls for each file, of functions that read and write the disk. Three of four files of
 * the server are written.
 */
const MOST_CALLS: Readonly<Record<string, number>> = {
  openSync: 10.5,
  readdirSync: 1,
  // The new content. The records are one file for all directories.
  writeFileSync: 0.75,
  renameSync: 2.25,
  // The old content, the new content, and the directory of each .htaccess file.
  fsync: 1.75,
  'realpathSync.native': 2.5,
};

describe('what a fix asks of the disk', () => {
  it('checks each file once before it writes, and keeps one record for all directories', async () => {
    if (process.platform !== 'linux') return;
    const [few, many] = [await callsFor(21), await callsFor(61)];
    for (const [name, most] of Object.entries(MOST_CALLS)) {
      const calls = (many[name]! - few[name]!) / 40;
      assert.ok(calls > 0 && calls <= most, `${name}: ${calls} for each file`);
    }
  });
});

async function callsFor(files: number): Promise<Readonly<Record<string, number>>> {
  const folder = new Folder();
  try {
    for (const [file, text] of oldServer(folder.at('server'), files))
      folder.write(file.slice(folder.path.length + 1), text);
    folder.write(
      'note.cjs',
      `const fs = require('node:fs'), counts = {};
      for (const name of ${JSON.stringify(Object.keys(MOST_CALLS))}) {
        const [key, of] = name.split('.').reverse(), holder = of ? fs[of] : fs, call = holder[key];
        counts[name] = 0;
        const counted = (...words) => (counts[name]++, call(...words));
        holder[key] = Object.assign(counted, call);
      }
      process.on('exit', () => fs.appendFileSync(${JSON.stringify(folder.at('counts'))}, JSON.stringify(counts)));`,
    );
    const { code, err } = await run(
      ['fix', '--write', '--assume-standalone', '--fail-on', 'never', folder.at('server')],
      {
        env: {
          NODE_OPTIONS: `--require ${JSON.stringify(folder.at('note.cjs'))}`,
          HTTPD_UPGRADE_STATE: folder.at('state'),
        },
      },
    );
    assert.equal(code, 0, err);
    return JSON.parse(readFileSync(folder.at('counts'), 'utf8')) as Record<string, number>;
  } finally {
    folder.remove();
  }
}
