/** The descriptions of directives and modules: complete, short, and in our own words. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { directives, displayName, modules, type Directive } from '../../server/src/directives';
import {
  descriptionOfDirective,
  descriptionOfModule,
  type Description,
} from '../../server/src/directives/descriptions';
import { ruleById } from '../../server/src/rules/all';
import { lacks } from '../support/lacks';

const INPUTS = 'server/src/directives/descriptions';
const PACKED = 'server/src/directives/generated/descriptions.json';
const MANUALS = ['/usr/share/doc/apache2-doc/manual/en', '/usr/share/httpd/manual', '/usr/local/apache2/manual'];

/** Every description, by the name of what it is about. */
function everything(): [name: string, description: Description][] {
  const ofDirectives = directives().map((one): [string, Description] => [
    displayName(one),
    descriptionOfDirective(one.name, { section: one.section }) ??
      assert.fail(`nothing is said about ${displayName(one)}`),
  ]);
  const ofModules = modules().map(({ name }): [string, Description] => [
    name,
    { text: descriptionOfModule(name) ?? assert.fail(`nothing is said about ${name}`) },
  ]);
  return [...ofDirectives, ...ofModules];
}

describe('descriptions', () => {
  it('are what the generator makes of its inputs', () => {
    const { status, stderr } = spawnSync(process.execPath, ['server/scripts/generate-descriptions.mjs', '--check'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('speak of every directive and module, and of nothing else', () => {
    const files = readdirSync(INPUTS).map((file) => file.replace('.json', ''));
    const known = new Set(directives().map(keyOf));
    assert.deepEqual(
      files.flatMap((file) => keysOf(`${file}.json`)).filter((key) => !known.has(key)),
      [],
    );
    const pages = new Set([
      ...modules().map(({ name }) => name),
      ...directives().map((one) => (one['2.4'] ?? one['2.2'])?.page),
    ]);
    assert.deepEqual(
      files.filter((file) => !pages.has(file)),
      [],
    );
    assert.equal(everything().length, directives().length + modules().length);
  });

  it('stand in the file of the page that the manual has them on', () => {
    const keys = new Map(readdirSync(INPUTS).map((file) => [file.replace('.json', ''), keysOf(file)]));
    const wrong = directives().flatMap((one) => {
      const page = (one['2.4'] ?? one['2.2'])?.page;
      return !page || keys.get(page)?.includes(keyOf(one)) ? [] : [`${keyOf(one)} is not in ${page}.json`];
    });
    assert.deepEqual(wrong, []);
  });

  it('are short, and neither empty nor said twice', () => {
    const seen = new Map<string, string>();
    const problems: string[] = [];
    for (const [name, { text, arguments: values = {}, example = '', changed }] of everything()) {
      const complain = (what: string) => problems.push(`${name}: ${what}`);
      if (text.length < 40 || text.length > 400) complain(`${text.length} characters`);
      if (!/^[A-Z`0-9][^]*[.)]$/.test(text)) complain('not a sentence');
      if (seen.has(text)) complain(`what ${seen.get(text)} says`);
      seen.set(text, name);
      for (const [value, line] of Object.entries(values)) {
        if (line.length < 4 || line.length > 140 || /\.$/.test(line)) complain(`${value}: ${line}`);
      }
      // Each value has its own line: lines about several values were hard to read.
      if (Object.keys(values).length > 16) complain('too many values for a hover');
      if (example.length > 300 || example.split('\n').length > 6) complain('too long an example for a hover');
      if (changed !== undefined && (changed.length < 15 || changed.length > 240)) complain(changed);
    }
    assert.deepEqual(problems, []);
  });

  it('are plain Markdown: code spans and nothing else', () => {
    const problems: string[] = [];
    for (const [name, description] of everything()) {
      for (const line of prose(description)) {
        const outside = line.replace(/`[^`]*`/g, '');
        if (/[`<*|[\]]|(?<!\w)_|_(?!\w)/.test(outside)) problems.push(`${name}: ${outside}`);
      }
      for (const value of Object.keys(description.arguments ?? {}))
        if (/[`\n]/.test(value)) problems.push(`${name}: ${value}`);
    }
    assert.deepEqual(problems, []);
  });

  it('show an example of the directive itself', () => {
    const odd = everything().filter(
      ([name, { example }]) => example && !example.toLowerCase().includes(name.replace('>', '').toLowerCase()),
    );
    assert.deepEqual(
      odd.map(([name]) => name),
      [],
    );
  });

  it('name rules that look at the directive', () => {
    const listens = (rule: string, name: string) =>
      ruleById(rule)?.names.includes(name.toLowerCase().replace(/[<>]/g, ''));
    const wrong = everything().filter(([name, { rule }]) => rule && !listens(rule, name));
    assert.deepEqual(
      wrong.map(([name, { rule }]) => `${name}: ${rule}`),
      [],
    );
  });

  it('take nothing from the manual: no eight words in a row', function () {
    const folder = MANUALS.find((candidate) => existsSync(path.join(candidate, 'mod')));
    if (!folder) {
      lacks(this, 'no httpd manual here: install apache2-doc (Debian, Ubuntu) or httpd-manual (Fedora, RHEL)');
    }
    this.timeout(300_000);
    const ours = new Map<string, string>();
    for (const [name, description] of everything()) {
      for (const line of prose(description)) for (const run of runs(words(line))) ours.set(run, name);
    }
    const taken = new Set<string>();
    for (const page of pages(folder)) {
      for (const run of runs(words(plainText(readFileSync(page, 'utf8'))))) {
        if (ours.has(run)) taken.add(`${ours.get(run)}: ${run} (${path.relative(folder, page)})`);
      }
    }
    assert.deepEqual([...taken], []);
  });

  it('are small', () => {
    assert.ok(statSync(PACKED).size < 320_000, `${statSync(PACKED).size} bytes`);
    assert.ok(gzipSync(readFileSync(PACKED)).length < 110_000, `${gzipSync(readFileSync(PACKED)).length} bytes`);
  });

  it('are read at the first question', async () => {
    const { outputFiles } = await build({
      entryPoints: ['server/src/directives/descriptions.ts'],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'texts',
      plugins: [marked],
    });
    const world = vm.createContext({});
    vm.runInContext(outputFiles[0].text, world);
    assert.equal(vm.runInContext('globalThis.isLoaded', world), undefined);
    assert.match(vm.runInContext('texts.descriptionOfDirective("<directory").text', world), /director/);
    assert.equal(vm.runInContext('globalThis.isLoaded', world), true);
  });

  /** Makes the JSON tell that it was evaluated. */
  const marked: Plugin = {
    name: 'marked',
    setup(options) {
      options.onLoad({ filter: /descriptions\.json$/ }, ({ path: file }) => ({
        contents: `globalThis.isLoaded = true; module.exports = ${readFileSync(file, 'utf8')}`,
        loader: 'js',
      }));
    },
  };

  it('find names as directive() does', () => {
    assert.deepEqual(descriptionOfDirective('keepalive'), descriptionOfDirective('KEEPALIVE'));
    assert.notDeepEqual(descriptionOfDirective('MDomain'), descriptionOfDirective('<MDomain>'));
    assert.equal(descriptionOfModule('alias_module'), descriptionOfModule('mod_alias.c'));
    for (const name of ['', 'constructor', '__proto__', 'NoSuchThing'])
      assert.equal(descriptionOfDirective(name), undefined);
    assert.equal(descriptionOfModule('constructor'), undefined);
  });
});

function keyOf({ name, section }: Directive): string {
  return section ? `<${name}` : name;
}

/** What an input describes. */
function keysOf(file: string): string[] {
  return Object.keys(
    (JSON.parse(readFileSync(path.join(INPUTS, file), 'utf8')) as { directives?: object }).directives ?? {},
  );
}

/** All its sentences. An example is configuration, of which there is only one spelling. */
function prose({ text, arguments: values = {}, changed = '' }: Description): string[] {
  return [text, changed, ...Object.values(values)];
}

/**
 * The pages in English; other languages stand beside them as `core.html.fr.utf8` or in folders of
 * their own.
 */
function* pages(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* pages(full);
    else if (/\.html(\.en)?$/.test(entry.name)) yield full;
  }
}

function plainText(html: string): string {
  const text = html.replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ').replace(/<[^>]+>/g, '');
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&nbsp;|&#160;/g, ' ')
    .replace(/&amp;/g, '&');
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const RUN = 8;

function* runs(list: readonly string[]): Iterable<string> {
  for (let index = 0; index + RUN <= list.length; index++) yield list.slice(index, index + RUN).join(' ');
}
