/** Sections with the same lines are checked once, with the same findings as each section alone. */
import assert from 'node:assert/strict';
import { Engine, checkCounts } from '../../server/src/analysis/engine';
import type { PlacedFinding } from '../../server/src/analysis/findings';
import { fixesOf } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { Random, seed } from '../support/random';
import { fileContext } from '../support/file-context';
import { rounds } from '../support/rounds';

describe('sections with the same lines', () => {
  it('and tags that differ where rules see it have their own findings', () => {
    const old = '  Order deny,allow\n  Allow from 10.0.0.1\n  Deny from 10.0.0.2\n';
    for (const sections of [
      [`<Location /ab>\n${old}</Location>\n`, ` <Location /a>\n${old}</Location>\n`],
      [`<Location /srv/ab>\n${old}</Location>\n`, `<Location {{ x }}>\n${old}</Location>\n`],
      [`<Directory /ab>\n${old}</Directory>\n`, `<Directory a b>\n${old}</Directory>\n`],
      [
        'Require aa\n',
        ...['bb', 'aa'].map((name) => `<AuthzProviderAlias ip ${name} 10.0.0.1>\n</AuthzProviderAlias>\n`),
      ],
      ['Use', '<Macro M>\nRequire ip\n</Macro>\n', 'Use'].map((text) =>
        text === 'Use' ? '<Location /a>\n  Use M\n</Location>\n' : text,
      ),
    ])
      assert.deepEqual(together(sections, false), oneByOne(sections, false));
  });

  it('have the findings that each has by itself', () => {
    const runSeed = seed();
    const random = new Random(runSeed);
    for (let round = 0; round < rounds(400); round++) {
      const sections = sectionsOf(random);
      const isHtaccess = random.below(4) === 0;
      assert.deepEqual(together(sections, isHtaccess), oneByOne(sections, isHtaccess), `seed ${runSeed}`);
    }
  });

  it('are those of the next edit, too', () => {
    const runSeed = seed();
    const random = new Random(runSeed);
    for (let round = 0; round < rounds(100); round++) {
      const sections = sectionsOf(random);
      let tree = Tree.parse(sections.join(''));
      for (let edit = 0; edit < 5; edit++) {
        another.analyze(tree, { isHtaccess: false });
        const at = random.below(tree.length);
        tree = tree.edit(at, Math.min(tree.length, at + random.below(30)), random.pick(LINES));
      }
      const found = another.analyze(tree, { isHtaccess: false }).findings();
      assert.deepEqual(found.map(told), together([tree.text()], false), `seed ${runSeed}`);
    }
  });

  it('are told apart where a file is read in several places', () => {
    const runSeed = seed();
    const random = new Random(runSeed);
    const [first, second] = [fileContext(), fileContext({ modules: ['core', 'mod_access_compat'], overrides: [] })];
    const places = { isHtaccess: false, fileContext: first, furtherContexts: [second] };
    for (let round = 0; round < rounds(100); round++) {
      const text = sectionsOf(random).join('');
      const tree = Tree.parse(text);
      // In one place, in another, in both, and in one again.
      for (const place of [first, second]) engine.analyze(tree, { isHtaccess: false, fileContext: place });
      for (let time = 0; time < 2; time++)
        assert.deepEqual(
          engine.analyze(tree, places).findings().map(told),
          another.analyze(Tree.parse(text), places).findings().map(told),
          `seed ${runSeed}`,
        );
      const alone = { isHtaccess: false, fileContext: first };
      assert.deepEqual(
        engine.analyze(tree, alone).findings().map(told),
        another.analyze(Tree.parse(text), alone).findings().map(told),
        `seed ${runSeed}`,
      );
    }
  });

  it('are asked about once for each length and indentation of their tags', () => {
    const checksOf = (count: number): number => {
      const text = Array.from(
        { length: count },
        (_, i) => `<Directory /srv/${100 + (i % 900)}>\n  Order deny,allow\n  Deny from all\n</Directory>\n`,
      ).join('');
      const before = checkCounts.checks;
      assert.ok(
        new Engine({ rules: ALL_RULES }).analyze(Tree.parse(text), { isHtaccess: false }).findingCount >= count,
      );
      return checkCounts.checks - before;
    };
    const few = checksOf(3);
    assert.ok(few > 0);
    // The texts of the tags differ, and two rules check each.
    assert.equal(checksOf(300), few + 297 * 2);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

/**
 * One for all texts: what it knows of kinds of lines and places takes longer to find out than what
 * is in a text.
 */
const engine = new Engine({ rules: ALL_RULES });
const another = new Engine({ rules: ALL_RULES });

function together(sections: readonly string[], isHtaccess: boolean): string[] {
  return engine
    .analyze(Tree.parse(sections.join('')), { isHtaccess })
    .findings()
    .map(told);
}

/** Each section comes by an edit of its own: an analysis compares it with none of the others. */
function oneByOne(sections: readonly string[], isHtaccess: boolean): string[] {
  let tree = Tree.parse('');
  for (const each of sections) {
    tree = tree.edit(tree.length, tree.length, each);
    another.analyze(tree, { isHtaccess });
  }
  return another.analyze(tree, { isHtaccess }).findings().map(told);
}

/** All there is to a finding, its fixes included. */
function told(finding: PlacedFinding): string {
  const { rule, severity, start, end, places, messageId, message, tag } = finding;
  const fixes = fixesOf(finding).map(({ fix: { title, safety, assumes }, edits }) => [title, safety, assumes, edits]);
  const own = finding.ruleFixes.map(({ title, assumes, edits }) => [title, assumes, finding.ruleFixBase, edits]);
  return JSON.stringify([rule.id, severity, start, end, places, messageId, message, tag, fixes, own]);
}

const TAGS = [
  [
    'Directory /srv/a',
    'Directory /srv/b',
    'Directory /srv/ab',
    'Directory "/srv/c d"',
    'Directory /',
    'Directory x',
    'Directory /ab',
    'Directory ~ "x$"',
    'Directory a b',
    'Directory {{ x }}',
  ],
  ['DirectoryMatch ^/a$', 'DirectoryMatch ^/b/', 'DirectoryMatch "[a-"'],
  ['Location /a', 'Location /ab', 'Location'],
  ['Files a', 'Files "b"'],
  ['VirtualHost *:80', 'VirtualHost *:81'],
  ['AuthzProviderAlias ip aa 10.0.0.1', 'AuthzProviderAlias ip bb 10.0.0.1'],
  ['Proxy *', 'Proxy x'],
  ['Limit GET', 'LimitExcept GET', 'IfModule mod_authz_core.c', 'IfModule !mod_authz_core.c', 'IfDefine X'],
  ['Unknown a', 'Macro M $x', 'RequireAll', 'If "%{HTTPS} == \'on\'"', 'Else'],
] as const;

const LINES = [
  'Order allow,deny\n',
  'Order deny,allow\n',
  'Allow from all\n',
  'Allow from 192.0.2.1\n',
  'Deny from all\n',
  'Satisfy Any\n',
  'Require valid-user\n',
  'Require all granted\n',
  'Require aa\n',
  'Require bb\n',
  'AuthType Basic\n',
  'Options Indexes +FollowSymLinks\n',
  'Options None\n',
  'AllowOverride None\n',
  'AllowOverride All\n',
  'RewriteLog /x\n',
  'SSLRequireSSL\n',
  'Use M a\n',
  'NoSuchDirective x\n',
  'MaxClients 5 \\\n\n',
  '# httpd-upgrade-ignore order-allow-deny: so it is\n',
  '# a comment\n',
  'Header set X {{ x }}\n',
  '${X} y\n',
  'NameVirtualHost *\n',
  'CacheEnable disk a\n',
  'SSLCARevocationFile x\n',
  '\n',
];

/** Sections of which many have the same lines, in tags that differ in more or less. */
function sectionsOf(random: Random): string[] {
  const bodies = Array.from({ length: 3 }, () => body(random, 0));
  const tags = [random.pick(TAGS), random.pick(TAGS)];
  return Array.from({ length: 12 }, () => section(random, random.pick(random.pick(tags)), random.pick(bodies)));
}

function section(random: Random, tag: string, lines: string): string {
  const [name] = tag.split(' ');
  const indent = random.pick(['', '  ', '\t']);
  return `${indent}<${tag}>\n${lines}${random.pick([indent, ''])}</${name}${random.below(20) === 0 ? ' x' : ''}>\n`;
}

function body(random: Random, depth: number): string {
  const indent = random.pick(['', '  ', '    ', '\t\t']);
  return Array.from({ length: random.below(4) + 1 }, () =>
    depth < 2 && random.below(8) === 0
      ? section(random, random.pick(random.pick(TAGS)), body(random, depth + 1))
      : `${indent}${random.pick(LINES)}`,
  ).join('');
}
