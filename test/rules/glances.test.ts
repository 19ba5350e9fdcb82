/**
 * What rules declare about being woken (`wakes`, `glances`, `asks`) is about speed alone: rules that are asked about everything find nothing that the woken ones do not. Asked of
 * their examples, of the samples, and of lines put together at random from what the declarations are about.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { glanceOf, isFineAtAGlance } from '../../server/src/rules/glance';
import type { Glances, Rule } from '../../server/src/rules/rule';
import { lexLines, LineKind } from '../../server/src/syntax/line';
import { Tree } from '../../server/src/syntax/document';
import { repositoryRoot } from '../support/paths';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';

const NO_REASONS = { wakes: undefined, glances: undefined, asks: undefined };
const ASKED = ALL_RULES.map((rule): Rule => ({ ...rule, ...NO_REASONS }) as Rule);

const glancing = ALL_RULES.flatMap((rule): { readonly rule: Rule; readonly glances: Glances }[] =>
  'glances' in rule && rule.glances ? [{ rule, glances: rule.glances }] : [],
);

describe('rules are woken by whatever they find', () => {
  for (const rule of ALL_RULES) {
    if (!('wakes' in rule && rule.wakes) && !('glances' in rule && rule.glances) && !('asks' in rule && rule.asks))
      continue;
    it(`${rule.id}: its examples`, () => {
      for (const { before, file } of rule.examples) assertSame(before, file === '.htaccess');
    });
  }

  it('the samples', () => {
    const files = readdirSync(path.join(repositoryRoot, 'test', 'samples'), {
      recursive: true,
      withFileTypes: true,
    }).flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []));
    assert.ok(files.length > 5);
    for (const file of files) assertSame(readFileSync(file, 'utf8'), path.basename(file) === '.htaccess');
  });

  it('names that a declaration is about are names that the rule listens to', () => {
    for (const rule of ALL_RULES) {
      if (rule.scope === 'unit')
        for (const name of [...(rule.wakes?.names ?? []), ...(rule.wakes?.beside ?? [])])
          assert.ok(rule.names.includes(name), `${rule.id}: ${name}`);
    }
    for (const { rule, glances } of glancing) {
      const isOfAll = rule.scope === 'line' && rule.everyLine === true;
      for (const key of Object.keys(glances))
        assert.ok(
          isOfAll || key === '*' || rule.names.includes(key.replace(/^</, '')) || rule.id === 'expression-error',
          `${rule.id}: ${key}`,
        );
    }
  });

  it('lines put together at random', function () {
    const runSeed = seed();
    const random = new Random(runSeed);
    const keys = [
      ...new Set(
        glancing.flatMap(({ rule, glances }) =>
          Object.keys(glances).flatMap((key) => (key === '*' ? rule.names : [key])),
        ),
      ),
    ];
    const passed = new Map<string, number>();
    for (let round = 0; round < rounds(400); round++) {
      const rows = Array.from({ length: 40 }, () => row(random.pick(keys), random));
      for (const text of rows) count(text, passed);
      const [before, after] = random.pick(AROUND);
      assertSame(`ServerRoot /x\n${before}${rows.join('')}${after}`, random.below(4) === 0, `seed ${runSeed}`);
    }
    const idle = glancing.flatMap(({ rule, glances }) =>
      Object.entries(glances).flatMap(([key, { needs, passes }]) =>
        (needs ?? passes) !== undefined && (passed.get(`${rule.id} ${key}`) ?? 0) < 5 ? [`${rule.id} ${key}`] : [],
      ),
    );
    assert.deepEqual(idle, [], 'glances that no line came by');
  });
});

// ---------------------------------------------------------------------------------------------------------------------

const AROUND = [
  ['', ''],
  ['<Location /x>\n', '</Location>\n'],
  ['<VirtualHost *:80>\n', '</VirtualHost>\n'],
  ['<VirtualHost *:80>\n<Directory /x>\n', '</Directory>\n</VirtualHost>\n'],
  ['<Macro M $x>\n', '</Macro>\n'],
  ['<IfModule mod_x.c>\n', '</IfModule>\n'],
] as const;

/** What lines are made of: what is usual, what is nearly so, and what is an error. */
const WORDS =
  `www.example.org example.org:80 *:80 *.example.org [::1]:80 /srv/www "/srv/my www" /a set always add unset edit X-Frame-Options DENY "a b" "%t" %x %{HTTPS} $1 env=x expr=true early
  User-Agent bot "(bot" (bot a.* bad=1 !bad ~ "" 'x' "unclosed [a- x\\ é all granted denied not ip 10.0.0.1 10.0.0 10.0.0.256 10.0.0.0/8 fd00::1 from From FROM allow,deny deny,allow
  Deny,Allow allow, valid-user user group file-group All None Indexes FollowSymLinks +Indexes -All +All Limit AuthConfig Options=Indexes options=All \${X} #office mod_authz_host.c !mod_authz_host.c
  ^/(.*)$ ^ - /b /c$1 [L] [R=301,L] [NC] [OR] [R=499] %{HTTP_HOST} -f !-f ^www\\.x$ .* (a|b [L,] ^/a+b$ "^/x" On Off`.split(
    /\s+/,
  );

/** What stands behind some names nearly always. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  order: ['allow,deny', 'Deny,Allow', 'deny, allow'],
  allow: ['from all', 'from 10.0.0.1 192.0.2.7', 'from 10.0.0.256', 'from 10.0.0.1 #x'],
  deny: ['from all', 'From 10.0.0.1', 'all'],
  require: ['all granted', 'all  denied', 'all granted x', 'ALL granted', 'valid-user'],
  rewritecond: ['%{HTTPS} off', '%{HTTP_HOST} ^www\\.x$ [NC,OR]', '%{HTTPS} !=on [NC,]'],
  setenvif: ['User-Agent bot bad', 'Host "a b" !x=1', 'Host (b x'],
  header: ['set X-A b', 'always append X-A "b c"', 'set X-A %x'],
};

/** A line of some words; a section with a line in it, for a tag. */
function row(key: string, random: Random): string {
  const isTag = key.startsWith('<');
  const name = key.replace(/^</, '');
  const spelled = random.below(3) === 0 ? name.toUpperCase() : name[0]!.toUpperCase() + name.slice(1);
  const usual = random.below(2) === 0 ? USUAL[name] : undefined;
  const some = () => Array.from({ length: random.below(4) }, () => random.pick(WORDS));
  const words = usual ? random.pick(usual) : some().join(random.below(9) === 0 ? ' \\\n' : ' ');
  const blanks = ' '.repeat(random.below(3));
  if (!isTag) return `${blanks}${spelled} ${words}${random.below(9) === 0 ? ' ' : ''}\n`;
  return `${blanks}<${spelled} ${words}>\n${random.pick(['', 'Order allow,deny\n', 'Require all granted\n', 'Options None\n'])}</${spelled}>\n`;
}

function count(text: string, passed: Map<string, number>): void {
  const [line] = lexLines(text);
  if (!line || line.kind === LineKind.Blank) return;
  for (const { rule, glances } of glancing) {
    if (!('names' in rule) || (rule.scope === 'line' && rule.everyLine ? false : !rule.names.includes(line.name)))
      continue;
    const glance = glanceOf({ glances }, line, { containers: ['virtualhost'], isHtaccess: false });
    const key = Object.entries(glances).find(([, each]) => each === glance)?.[0];
    // Several names share a glance.
    if (glance !== null && key !== undefined && isFineAtAGlance(line, glance))
      for (const [each, own] of Object.entries(glances))
        if (own === glance) passed.set(`${rule.id} ${each}`, (passed.get(`${rule.id} ${each}`) ?? 0) + 1);
  }
}

function assertSame(text: string, isHtaccess: boolean, told = ''): void {
  assert.deepEqual(found(ALL_RULES, text, isHtaccess), found(ASKED, text, isHtaccess), `${told}\n${text}`);
}

function found(rules: readonly Rule[], text: string, isHtaccess: boolean): string[] {
  return new Engine({ rules })
    .analyze(Tree.parse(text), { isHtaccess })
    .findings()
    .map(({ rule, messageId, start, end, what }) => JSON.stringify([rule.id, messageId, start, end, what]));
}
