/** The files generated from the settings are up to date. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settingsFiles } from '../../server/src/settings/generated-files';
import { SETTINGS } from '../../server/src/settings/schema';
import { repositoryRoot } from '../support/paths';

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

describe('the settings', () => {
  it('stand in the manifest and docs/settings.md as the schema has them (node server/scripts/generate-rule-pages.mjs)', () => {
    const wanted = settingsFiles(read);
    assert.deepEqual(Object.keys(wanted), [
      'package.json',
      'package.nls.json',
      'docs/settings.md',
      'syntaxes/httpd-upgrade.schema.json',
    ]);
    for (const [file, text] of Object.entries(wanted)) assert.ok(text === read(file), `stale: ${file}`);
  });

  it('change nothing else in the manifest', () => {
    const [before, after] = [read('package.json'), settingsFiles(read)['package.json']].map((text) => JSON.parse(text));
    for (const { contributes } of [before, after]) contributes.configuration = [];
    assert.deepEqual(after, before);
  });

  it('have a place and a name of their own', () => {
    for (const of of [SETTINGS.map(({ name }) => name), SETTINGS.map(({ manifest }) => manifest.order)])
      assert.equal(new Set<unknown>(of).size, SETTINGS.length);
  });

  it('are read: by the language server, or by the extension', () => {
    const readers = ['server/src/lsp', 'client/src']
      .flatMap((place) => sourcesOf(place))
      .map(read)
      .join('\n');
    // The engine gets the others through the schema (settings/engine-options.ts).
    for (const { name } of SETTINGS.filter((setting) => setting.name !== 'trace.server' && !('engine' in setting))) {
      const last = name.split('.').at(-1)!;
      assert.match(readers, new RegExp(`\\b${last}\\b`), name);
    }
  });
});

function sourcesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(path.join(repositoryRoot, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${place}/${name}`);
}
