/** The extension's package.json and syntaxes/, as far as they can be tested without an editor. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { PATHS } from '../directives/paths';
import { manifestTexts, shownManifest } from '../support/manifest';
import { repositoryRoot } from '../support/paths';

const ROOT = repositoryRoot;
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = shownManifest<any>();
const { languages, grammars, commands, menus, configuration, jsonValidation, viewsContainers, walkthroughs } =
  manifest.contributes;
const language = languages[0];
const settings: Record<string, Record<string, unknown>> = Object.assign(
  {},
  ...configuration.map(({ properties }: { properties: object }) => properties),
);

describe('manifest', () => {
  it('names files that are there', () => {
    const files = [
      manifest.icon,
      language.configuration,
      language.icon.light,
      language.icon.dark,
      ...grammars.map((each: { path: string }) => each.path),
      jsonValidation[0].url,
      viewsContainers.activitybar[0].icon,
    ];
    files.push(...walkthroughs[0].steps.map((step: { media: { image: string } }) => step.media.image));
    for (const file of files) assert.ok(existsSync(path.join(ROOT, file)), file);
    assert.ok(readFileSync(path.join(ROOT, manifest.icon)).readUInt32BE(16) >= 128, 'the width of the icon');
  });

  it('declares the commands that the client registers, and no others', () => {
    const client = readdirSync(path.join(ROOT, 'client/src'))
      .map((file) => read(`client/src/${file}`))
      .join('\n');
    const named = [...client.matchAll(/registerCommand\((?:'([^']+)'|`\$\{NAME_PREFIX\}\.(\w+)`)/g)].map(
      (match) => match[1] ?? `httpdUpgrade.${match[2]}`,
    );
    // Commands that only quick fixes run.
    const registered = named
      .filter((command) => !['httpdUpgrade.applyFix', 'httpdUpgrade.ignoreAt'].includes(command))
      .sort();
    assert.deepEqual(commands.map((each: { command: string }) => each.command).sort(), registered);
    for (const entries of Object.values<{ command: string }[]>(menus))
      for (const entry of entries) assert.ok(registered.includes(entry.command), entry.command);
    for (const { description } of walkthroughs[0].steps)
      for (const [, command] of description.matchAll(/\(command:(httpdUpgrade\.\w+)\)/g))
        assert.ok(registered.includes(command), command);
    for (const each of commands) assert.equal(each.category, 'httpd-upgrade');
    const actions = ['lsp', 'features']
      .flatMap((folder) =>
        readdirSync(path.join(ROOT, 'server/src', folder))
          .filter((file) => file.endsWith('.ts'))
          .map((file) => read(`server/src/${folder}/${file}`)),
      )
      .flatMap((text) => [...text.matchAll(/_COMMAND = '(httpdUpgrade\.\w+)'/g)].map(([, command]) => command));
    assert.ok(actions.length >= 5, 'those of the lightbulb');
    for (const command of actions) assert.ok(named.includes(command), `${command} of an action`);
  });

  it('has each text in package.nls.json, and no text that nothing shows', () => {
    const contributed = ['title', 'category', 'contents', 'description', 'markdownDescription', 'altText'];
    contributed.push('name', 'contextualTitle', 'enumDescriptions', 'patternErrorMessage');
    const keys = new Set<string>();
    const walk = (value: unknown, name: string): void => {
      if (typeof value === 'object' && value !== null)
        for (const [part, each] of Object.entries(value)) walk(each, Array.isArray(value) ? name : part);
      if (typeof value !== 'string') return;
      const key = /^%(.+)%$/.exec(value)?.[1];
      if (key !== undefined) keys.add(key);
      else assert.ok(!contributed.includes(name), `a text without a key: ${value}`);
    };
    const { contributes, capabilities } = JSON.parse(read('package.json'));
    walk([contributes, capabilities], '');
    assert.deepEqual([...keys].sort(), Object.keys(manifestTexts()).sort());
    for (const [key, text] of Object.entries(manifestTexts())) assert.ok(text.trim() !== '', key);
  });

  it('has titles of commands in title case', () => {
    const small = new Set([
      'a',
      'an',
      'and',
      'as',
      'at',
      'by',
      'for',
      'in',
      'of',
      'on',
      'or',
      'the',
      'to',
      'with',
      'httpd',
    ]);
    for (const { title } of commands)
      for (const [index, word] of title.split(' ').entries())
        if (/^[a-z]/.test(word)) assert.ok(index > 0 && small.has(word), `${title}: ${word}`);
  });

  it('says in the view what to do where there is nothing to plan', () => {
    const { viewsWelcome } = manifest.contributes;
    assert.deepEqual(
      viewsWelcome.map(({ when }: { when: string }) => when),
      [
        '!isWorkspaceTrusted',
        'isWorkspaceTrusted && workspaceFolderCount == 0',
        'isWorkspaceTrusted && workspaceFolderCount != 0 && !httpdUpgrade.hasConfiguration',
      ],
    );
    for (const { contents } of viewsWelcome) {
      assert.match(contents, /\n\[[^\]]+\]\(command:[\w.]+/, 'a button');
      for (const [, command] of contents.matchAll(/\(command:(httpdUpgrade\.\w+)/g))
        assert.ok(
          commands.some((each: { command: string }) => each.command === command),
          command,
        );
    }
  });

  it('has one name and one tagline everywhere', () => {
    assert.equal(manifest.displayName, 'Apache httpd 2.2 → 2.4 Upgrade');
    assert.deepEqual(manifest.categories, ['Programming Languages', 'Linters', 'Formatters']);
    for (const file of [
      'README.md',
      '.github/docker/Dockerfile',
      'action.yml',
      'docs/README.md',
      'client/site/pages.ts',
    ])
      assert.ok(read(file).includes(manifest.description.replace(/\.$/, '')), file);
  });

  it('is found in the palette by what people call it', () => {
    for (const word of ['apache', 'httpd', 'upgrade', 'migrate'])
      assert.ok(
        commands.some(({ title }: { title: string }) => title.toLowerCase().includes(word)),
        word,
      );
  });

  it('describes every setting, in an order, with a default of its type', () => {
    const orders = new Set<number>();
    for (const [name, setting] of Object.entries(settings)) {
      assert.match(name, /^httpdUpgrade\./);
      assert.ok(String(setting.markdownDescription).length > 20, name);
      assert.equal(
        Array.isArray(setting.default) ? 'array' : typeof setting.default,
        setting.type === 'integer' ? 'number' : setting.type,
        name,
      );
      orders.add(setting.order as number);
    }
    assert.equal(orders.size, Object.keys(settings).length);
    for (const { title, order } of configuration) assert.ok(title.length > 3 && order > 0, title);
    assert.ok(configuration.length > 3);
    for (const name of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations)
      assert.ok(name in settings, name);
  });

  it('offers targets that the setting allows', () => {
    const pattern = new RegExp(settings['httpdUpgrade.target']!.pattern as string);
    const offered = [...read('client/src/target.ts').matchAll(/label: '([\d.]+)'/g)].map((match) => match[1]);
    assert.ok(offered.length > 3);
    for (const name of ['Enterprise Linux 9', 'Enterprise Linux 10', 'Debian 11', 'Debian 13', 'Ubuntu 24.04'])
      assert.ok(read('client/src/target.ts').includes(name), name);
    for (const version of [...offered, settings['httpdUpgrade.target']!.default as string])
      assert.match(version, pattern);
  });
});

describe('manifest: the language of a file', () => {
  // A pattern cannot except README there: the client decides when the file is opened.
  const leftToClient = ['/etc/apache2/conf.d/charset'];
  for (const [verdict, paths] of Object.entries(PATHS)) {
    for (const file of paths) {
      const expected = verdict === 'true' && !leftToClient.includes(file);
      it(`${file} -> ${expected ? 'by name' : 'not by name'}`, () => assert.equal(claimed(file), expected));
    }
  }

  it('by the first line', () => {
    const firstLine = new RegExp(language.firstLine);
    const ours = [
      '<VirtualHost *:80>',
      '  <IfModule mod_ssl.c>',
      'LoadModule ssl_module modules/mod_ssl.so',
      'RewriteEngine on',
      '# -*- apache -*-',
      '# vim: set ft=apache :',
    ];
    const others = [
      '<?xml version="1.0"?>',
      '<dir>/usr/share/fonts</dir>',
      'server {',
      '[Unit]',
      '# apache',
      'Files in this folder',
    ];
    for (const line of ours) assert.match(line, firstLine);
    for (const line of others) assert.doesNotMatch(line, firstLine);
  });
});

/** As the editor does it: the file's name, then its extension, then patterns; all without case. */
function claimed(file: string): boolean {
  const whole = file.toLowerCase();
  const name = path.posix.basename(whole);
  return (
    language.filenames.some((each: string) => each.toLowerCase() === name) ||
    language.extensions.some((each: string) => name.endsWith(each)) ||
    language.filenamePatterns.some((each: string) => glob(each.toLowerCase()).test(each.includes('/') ? whole : name))
  );
}

/** The part of the editor's patterns that ours use. */
function glob(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*|[{},.]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '*') return '[^/]*';
    return { '{': '(?:', '}': ')', ',': '|', '.': '\\.' }[part]!;
  });
  return new RegExp(`^${source}$`);
}

describe('language configuration', () => {
  const config = JSON.parse(read('syntaxes/language-configuration.json'));
  const { increaseIndentPattern, decreaseIndentPattern, indentNextLinePattern } = config.indentationRules;

  it('indents the body of a section', () => {
    const increase = new RegExp(increaseIndentPattern);
    for (const line of ['<Directory "/srv">', '  <RequireAll>', '<FilesMatch "\\.php$">', '<If "%{A} == \'>\'">'])
      assert.match(line, increase);
    for (const line of ['</Directory>', '# <Directory "/srv">', 'Listen 80', '<Directory \\'])
      assert.doesNotMatch(line, increase);
    assert.match('  </VirtualHost>', new RegExp(decreaseIndentPattern));
    assert.match('RewriteRule a \\', new RegExp(indentNextLinePattern));
    assert.doesNotMatch('# a \\', new RegExp(indentNextLinePattern));
  });

  it("folds regions; sections are the server's (VS Code would show their tags in the minimap)", () => {
    const { start, end } = config.folding.markers;
    assert.match('# region Hosts', new RegExp(start));
    assert.match('#endregion', new RegExp(end));
    assert.doesNotMatch('  <VirtualHost *>', new RegExp(start));
  });

  it('splits a comment into two comments', () => {
    const rule = config.onEnterRules.find(
      (each: { action: { appendText?: string } }) => each.action.appendText === '# ',
    );
    assert.match('  # one ', new RegExp(rule.beforeText));
    assert.doesNotMatch('  Listen # one ', new RegExp(rule.beforeText));
  });

  it('takes names, modules, hosts and numbers for words', () => {
    const word = new RegExp(config.wordPattern, 'g');
    assert.deepEqual('<IfModule !mod_ssl.c> %{HTTP_HOST} 10.0.0.1:80 "/srv/www"'.match(word), [
      'IfModule',
      'mod_ssl.c',
      'HTTP_HOST',
      '10.0.0.1',
      '80',
      'srv',
      'www',
    ]);
  });
});
