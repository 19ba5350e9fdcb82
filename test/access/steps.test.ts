/** The steps of the conversion, one by one: text in, text out. */
import assert from 'node:assert/strict';
import { accessReader } from '../../server/src/access/access-of-entries';
import { AccessStates } from '../../server/src/access/access-states';
import { convertConfiguration } from '../../server/src/access/configuration-conversion';
import { ACCESS_NAMES, conversionInput, type ConversionInput } from '../../server/src/access/conversion-input';
import { decideSection, type SectionLines } from '../../server/src/access/decide-section';
import type { InheritedAccess } from '../../server/src/access/inherited-access';
import type { Operand } from '../../server/src/access/operand';
import { isReason, reasonText, type NotConverted } from '../../server/src/access/not-converted';
import { printTree } from '../../server/src/access/print';
import { readAccessLine } from '../../server/src/access/read';
import type { SectionAccess } from '../../server/src/access/section-access';
import { sectionName } from '../../server/src/access/section-name';
import type { SectionEntry } from '../../server/src/access/section-order';
import { listSections } from '../../server/src/access/sections';
import { groupNumbers, addRelated, type RelatedSections } from '../../server/src/access/together';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Tree } from '../../server/src/syntax/document';

const MAIN = '/etc/httpd/conf/httpd.conf';
const OPEN = 'Order allow,deny\nAllow from all\n';
const CLOSED = 'Order deny,allow\nDeny from all\n';
const LOGIN = 'AuthType Basic\nRequire valid-user\n';

describe('the steps of the conversion', () => {
  describe('reading a line', () => {
    const cases: [line: string, read: string][] = [
      ['Order Allow,Deny', 'order allow,deny'],
      ['Order allow, deny', 'order broken'],
      ['Allow from all 10.1 .example.org env=x env=!y', 'allow all ip:10.1 host:.example.org env:x !env:y'],
      ['Deny from 10.0.0.1,10.0.0.2', 'deny never:10.0.0.1,10.0.0.2'],
      ['Deny all', 'deny broken'],
      ['Deny from 10.0.0.0/99', 'deny error:10.0.0.0/99 broken'],
      ['Satisfy Any', 'satisfy any'],
      ['Satisfy all any', 'satisfy broken'],
      ['Require Valid-User x', 'require valid-user'],
      ['Require USER Ann', 'require user Ann'],
      ['ServerName x', 'none'],
    ];
    for (const [line, read] of cases)
      it(line, () => assert.equal(shownLine(readAccessLine(Tree.parse(line).lineAt(0)!.line)), read));
  });

  describe('reading a section', () => {
    const cases: [lines: string, read: string][] = [
      [OPEN, '*: allow,deny allow all'],
      [`<Limit GET>\n${CLOSED}</Limit>\n`, 'GET: deny,allow deny all · *: deny,allow'],
      [`${LOGIN}Satisfy Any\n`, '*: any valid-user'],
      ['AuthType Basic\n', '*:'],
      ['Order allow,deny\nOrder deny,allow\n', '*: deny,allow'],
      ['Allow from ${X}\n', '*: deny,allow allow unknown:${X} · variable'],
      ['Deny from 10.*\n', '*: deny,allow deny never:10.* · matches-no-client'],
      ['<RequireAny>\nRequire user a\n</RequireAny>\n', '*: user a · require-in-container'],
    ];
    for (const [lines, read] of cases)
      it(lines.trim().replaceAll('\n', ' · '), () => {
        const [{ ownAccess }] = serverOf(`<Directory /srv>\n${lines}</Directory>\n`).entries;
        assert.equal(shownSection(ownAccess), read);
      });
  });

  it('places each section: its stage, and its directory or pattern', () => {
    const { entries } = serverOf(
      '<Directory /srv/a>\n<Files x>\n</Files>\n</Directory>\n<Directory ~ "^/srv/b.*">\n</Directory>\n<DirectoryMatch "/c">\n</DirectoryMatch>\n' +
        '<Location /d*>\n</Location>\n<LocationMatch "^/e/f(g)?">\n</LocationMatch>\n<Proxy *>\n</Proxy>\n<Directory cgi-bin>\n</Directory>\n',
    );
    assert.deepEqual(
      entries.map(({ stage, prefix, pattern, isRegex }) => `${stage} ${prefix} ${pattern}${isRegex ? ' (regex)' : ''}`),
      [
        'directory /srv/a ',
        'files  x',
        'directorymatch /srv/b ^/srv/b.* (regex)',
        'directorymatch  /c (regex)',
        'location /d /d* (regex)',
        'location /e/f ^/e/f(g)? (regex)',
        'proxy  * (regex)',
        'directory  ',
      ],
    );
  });

  describe('deciding a section, by what it inherits', () => {
    const cases: [outer: readonly string[], lines: string, becomes: string][] = [
      [[''], OPEN, 'Require all granted'],
      [[CLOSED], LOGIN, 'Require all denied'],
      [[OPEN], LOGIN, 'Require valid-user'],
      [[OPEN], `${LOGIN}Satisfy Any\n`, 'Require all granted'],
      [[CLOSED], 'AuthType Basic\n', 'stays'],
      [[''], 'AuthType Basic\n', 'Require all granted'],
      [[OPEN, CLOSED], LOGIN, 'AuthMerging And · Require valid-user'],
      [[OPEN, CLOSED], `${LOGIN}Satisfy Any\n`, 'AuthMerging Or · Require valid-user'],
      [[OPEN, CLOSED], 'Satisfy Any\n', 'inherits-different'],
    ];
    for (const [outer, lines, becomes] of cases)
      it(`${outer.map((each) => each.split('\n')[0] || 'nothing').join(' or ')}: ${lines.trim().replaceAll('\n', ' · ')}`, () => {
        const text = [...outer, lines].map((each, i) => `<Directory /srv/${i}>\n${each}</Directory>\n`).join('');
        const { entries, input } = serverOf(text);
        const states = new AccessStates(input.survey);
        const bases = entries.slice(0, -1).map(({ ownAccess }) => after(states, ownAccess));
        const entry = entries.at(-1)!;
        assert.equal(
          shownDecision(decideSection(entry, { possibleStates: bases, isFirstOfStage: true }, states)),
          becomes,
        );
      });
  });

  it('numbers what is converted together: sections of one request, also through others', () => {
    const { entries } = serverOf(
      ['a', 'a/b', 'a/c', 'd'].map((path) => `<Directory /srv/${path}>\n${OPEN}</Directory>\n`).join(''),
    );
    const [a, b, c, d] = entries;
    const linesByEntry = new Map<SectionEntry, SectionLines>();
    for (const entry of entries) linesByEntry.set(entry, { tree: { type: 'granted' }, authMerging: null });
    const relatedSectionsByEntry: RelatedSections = new Map();
    addRelated(relatedSectionsByEntry, a, b);
    addRelated(relatedSectionsByEntry, a, c);
    const numbersOf = (reasonByEntry: ReadonlyMap<SectionEntry, NotConverted>) => {
      const numbers = groupNumbers({ linesByEntry, reasonByEntry, relatedSectionsByEntry }, new Map());
      return [a, b, c, d].map((entry) => numbers.get(entry));
    };
    assert.deepEqual(numbersOf(new Map()), [0, 0, 0, 3]);
    const reasons = new Map<SectionEntry, NotConverted>();
    reasons.set(a, { code: 'variable', location: null, parameters: [] });
    assert.deepEqual(numbersOf(reasons), [undefined, 1, 2, 3]);
  });

  it('spreads a reason to sections whose requests would be answered differently, and to no others', () => {
    const text = [
      `<Directory /srv/a>\n${CLOSED}Deny from 10.*\n</Directory>\n`,
      `<Directory /srv/a/b>\n${OPEN}</Directory>\n`,
      `<Directory /srv/a/c>\n${CLOSED}</Directory>\n`,
      `<Directory /srv/d>\n${OPEN}</Directory>\n`,
    ];
    const { conversions, refusals } = convertConfiguration(configurationOf(text.join('')), []);
    assert.deepEqual(
      refusals.map(({ scope, causingScope, reason }) => [sectionName(scope), sectionName(causingScope), reason.code]),
      [
        ['<Directory /srv/a>', '<Directory /srv/a>', 'matches-no-client'],
        ['<Directory /srv/a/b>', '<Directory /srv/a>', 'beside-section'],
      ],
    );
    assert.match(reasonText(refusals[1].reason), /^waits for <Directory \/srv\/a> \(httpd\.conf:1\)/);
    assert.deepEqual(
      conversions.map(({ scope }) => sectionName(scope)),
      ['<Directory /srv/a/c>', '<Directory /srv/d>'],
    );
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function configurationOf(text: string) {
  return readConfiguration({ root: MAIN, view: memoryFiles({ [MAIN]: text }), names: ACCESS_NAMES })!;
}

function serverOf(text: string): { readonly entries: readonly SectionEntry[]; readonly input: ConversionInput } {
  const files = { configuration: configurationOf(text), htaccess: [] };
  const input = conversionInput(files, {}, { removedConditions: new Set(), reasonBySection: new Map() });
  return { input, entries: listSections(files, false, new Set(), accessReader(input)) };
}

function after(states: AccessStates, own: SectionAccess): InheritedAccess {
  return states.accessAfter(states.initialAccess, own);
}

function shownLine(line: ReturnType<typeof readAccessLine>): string {
  if (line === null) return 'none';
  switch (line.name) {
    case 'order':
      return `order ${line.order ?? 'broken'}`;
    case 'satisfy':
      return `satisfy ${line.satisfy ?? 'broken'}`;
    case 'require':
      return `require ${line.text}`;
    default:
      return [line.name, ...line.operands.map(shownOperand), ...(line.isBroken ? ['broken'] : [])].join(' ');
  }
}

function shownOperand(operand: Operand): string {
  if (operand.kind === 'all') return 'all';
  if (operand.kind === 'host') return `host:${operand.name}`;
  if (operand.kind === 'env') return `${operand.isNegated ? '!' : ''}env:${operand.name}`;
  return `${operand.kind}:${operand.text}`;
}

function shownSection({ hostRules, satisfyByMethod, userRequirements, reason }: SectionAccess): string {
  const methods = new Set(
    [
      ...(hostRules?.orderByMethod.keys() ?? []),
      ...(hostRules ? [...hostRules.allow, ...hostRules.deny] : (userRequirements ?? [])).flatMap((each) => [
        ...each.methods,
      ]),
    ].concat('*'),
  );
  const ofMethod = (method: string) =>
    [
      `${method}:`,
      ...(hostRules ? [hostRules.orderByMethod.get(method) ?? 'deny,allow'] : []),
      ...(['allow', 'deny'] as const).flatMap((list) => {
        const own = (hostRules?.[list] ?? []).filter((each) => each.methods.has(method));
        return own.length > 0 ? [list, ...own.map(({ value }) => shownOperand(value))] : [];
      }),
      ...(satisfyByMethod.has(method) ? [satisfyByMethod.get(method)!] : []),
      ...(userRequirements ?? []).filter((each) => each.methods.has(method)).map(({ value }) => value.text),
    ].join(' ');
  return [...[...methods].map(ofMethod), ...(reason ? [reason.code] : [])].join(' · ');
}

function shownDecision(decision: SectionLines | NotConverted | null): string {
  if (decision === null) return 'stays';
  if (isReason(decision)) return decision.code;
  const { tree, authMerging } = decision;
  const lines = tree === null ? [] : printTree(tree, { indent: '', indentStep: '', eol: '\n' }).trimEnd().split('\n');
  return [...(authMerging ? [`AuthMerging ${authMerging}`] : []), ...lines].join(' · ');
}
