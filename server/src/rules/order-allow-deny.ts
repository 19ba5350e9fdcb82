import { readByMethod } from '../access/by-method';
import { printTree } from '../access/print';
import { knownLine, provenTranslation } from '../access/proven';
import { readSection, type ReadSection } from '../access/read';
import { commentsAbove, holdsOnly, rewriteEdits, rewriteStyle } from '../access/rewrite';
import type { Tree24 } from '../access/model';
import { hasUnknownName } from '../config/unknown-names';
import { spelledName } from '../syntax/line';
import { Template, TemplateTrait } from '../syntax/template';
import { forEachItem, Section, someTemplateLine } from '../syntax/tree';
import { contentSpan } from './edits';
import { Fact, hasFact, type FileFacts } from './facts';
import type { Edit, Finding, Fix, Member, Unit, UnitRule } from './rule';

/** Order, Allow, Deny and Satisfy: the access control of 2.2, for what one section says by itself. */
export const orderAllowDeny: UnitRule = {
  id: 'order-allow-deny',
  title: 'Order, Allow, Deny and Satisfy, the access control of 2.2',
  severity: 'error',
  fix: 'safe',
  scope: 'unit',
  mindsTemplates: true,
  names: ['order', 'allow', 'deny', 'satisfy', 'require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html',
  page: {
    what:
      '`Order`, `Allow`, `Deny` and `Satisfy` decide by host who gets in. In 2.4 one tree of `Require` lines decides about hosts and users ' +
      'alike; the old four live on in mod_access_compat, which is not what they were in 2.2.',
    why:
      'Without mod_access_compat a 2.4 server refuses to start, and answers 500 where the lines stand in a `.htaccess`. With it, old and new ' +
      'lines are decided one beside the other: a refusal by the old ones cannot be lifted by a `Require` further in, and `Satisfy` no longer ' +
      'is inherited past a section that has an `Order`, which lets in people whom 2.2 kept out.\n\n' +
      'What the lines mean does not depend on their sequence. `Order` decides: with `allow,deny` (and `mutual-failure`) somebody gets in who ' +
      'matches an `Allow` and no `Deny`; with `deny,allow`, the default, everybody gets in but those who match a `Deny` and no `Allow`.\n\n' +
      '| Order | Allow | Deny | in 2.4 |\n|---|---|---|---|\n' +
      '| allow,deny | none | any | `Require all denied` |\n' +
      '| | any | all | `Require all denied` |\n' +
      '| | all | none | `Require all granted` |\n' +
      '| | all | Y | RequireAll: `all granted`, `not Y` |\n' +
      '| | X | none | `X` |\n' +
      '| | X | Y | RequireAll: `X`, `not Y` |\n' +
      '| deny,allow | all | any | `Require all granted` |\n' +
      '| | any | none | `Require all granted` |\n' +
      '| | none | all | `Require all denied` |\n' +
      '| | X | all | `X` |\n' +
      '| | none | Y | RequireAll: `all granted`, `not Y` |\n' +
      '| | X | Y | RequireAny: `X`, RequireAll: `all granted`, `not Y` |\n\n' +
      'Where the section also has `Require` lines about users, `Satisfy All` (the default) asks for both and `Satisfy Any` for either.',
    httpd:
      '`Invalid command \'Order\', perhaps misspelled or defined by a module not included in the server configuration` (AH00526) without ' +
      'mod_access_compat. Requests that it refuses are logged as AH01797, those that the `Require` tree refuses as AH01630.',
    fixing:
      'The section\'s old lines become the shortest `Require` tree that decides the same; it is proven by asking both deciders in every ' +
      'case there is. Comments right above a line go with what it becomes; everything else stays where it is.\n\n' +
      'The fix is **safe** where a configuration is known as a whole: a main file (httpd.conf or apache2.conf, with a Listen, and no file around it that may include it), all that it includes, and ' +
      'the `.htaccess` files that it admits. Sections that may apply to the same requests are converted together, each with what it inherits, or not at all. In a file by itself the fix is a ' +
      '**suggestion**, because a `Require` tree replaces what it would inherit from elsewhere. `--assume-standalone` and the setting `httpdUpgrade.accessControl.assumeStandalone` say that no other ' +
      'file has a say; of files at hand they say nothing.\n\n' +
      'For files that both versions read there is a form that keeps both, in `<IfModule mod_authz_core.c>` and `<IfModule !mod_authz_core.c>`.',
    sources: [
      'modules/aaa/mod_authz_host.c of 2.2 (allow_cmd, find_allowdeny, check_dir_access), request.c (ap_process_request_internal)',
      'modules/aaa/mod_authz_core.c and mod_access_compat.c of 2.4',
      'experiment: test/httpd/access-sections.test.ts asks both on a real server',
    ],
  },
  examples: [
    {
      title: 'Everybody',
      before: '<Directory /var/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
      after: '<Directory /var/www>\n    Require all granted\n</Directory>\n',
      finds: ['access', 'access'],
    },
    {
      title: 'Nobody',
      before: '<Files ~ "^\\.ht">\n    Order allow,deny\n    Deny from all\n</Files>\n',
      after: '<Files ~ "^\\.ht">\n    Require all denied\n</Files>\n',
      finds: ['access', 'access'],
    },
    {
      title: 'Some addresses',
      before: '<Location /server-status>\n  SetHandler server-status\n  Order deny,allow\n  Deny from all\n  # the office\n  Allow from 192.0.2.0/24\n  # this machine\n  Allow from 127.0.0.1\n</Location>\n',
      after: '<Location /server-status>\n  SetHandler server-status\n  # the office\n  Require ip 192.0.2.0/24\n  # this machine\n  Require ip 127.0.0.1\n</Location>\n',
      finds: ['access', 'access', 'access', 'access'],
    },
    {
      title: 'Everybody but some',
      before: '<Directory /srv>\n\tOrder allow,deny\n\tAllow from all\n\tDeny from 203.0.113.7 env=bad_robot\n</Directory>\n',
      after: '<Directory /srv>\n\t<RequireAll>\n\t\tRequire all granted\n\t\tRequire not ip 203.0.113.7\n\t\tRequire not env bad_robot\n\t</RequireAll>\n</Directory>\n',
      finds: ['access', 'access', 'access'],
    },
    {
      title: 'From the house, or with a login',
      before:
        '<Directory /srv/intranet>\n    AuthType Basic\n    AuthName "Intranet"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Satisfy any\n</Directory>\n',
      after:
        '<Directory /srv/intranet>\n    AuthType Basic\n    AuthName "Intranet"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n    Require ip 10.0.0.0/8\n</Directory>\n',
      finds: ['access', 'access', 'access', 'access'],
    },
    {
      title: 'From the house, and with a login',
      before:
        '<Directory /srv/admin>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    AuthType Basic\n    AuthName "Admin"\n    AuthUserFile /etc/httpd/users\n    Require user root\n</Directory>\n',
      after:
        '<Directory /srv/admin>\n    <RequireAll>\n        Require user root\n        Require ip 10.0.0.0/8\n    </RequireAll>\n    AuthType Basic\n    AuthName "Admin"\n    AuthUserFile /etc/httpd/users\n</Directory>\n',
      finds: ['access', 'access', 'access'],
    },
    {
      title: 'By method',
      before: '<Directory /srv>\n    <LimitExcept GET POST>\n        Order deny,allow\n        Deny from all\n    </LimitExcept>\n</Directory>\n',
      after: '<Directory /srv>\n    Require method GET POST\n</Directory>\n',
      finds: ['access', 'access'],
    },
  ],
  wakes: ({ name }) => name !== 'require',
  check(unit) {
    const old = unit.members.filter((member) => member.line.name !== 'require');
    const { message, fixes } = verdict(unit, old);
    return old.map((member) => findingOn(member, message, fixes, unit));
  },
};

// ---------------------------------------------------------------------------------------------------------------------

interface Verdict {
  /** What the lines say, or why that is not told. */
  readonly message: string;
  readonly fixes: ((facts: FileFacts) => Fix[]) | null;
}

function verdict(unit: Unit, old: readonly Member[]): Verdict {
  const obstacle = structuralObstacle(unit);
  if (obstacle) return { message: obstacle, fixes: null };
  if (isLimited(unit)) return verdictByMethod(unit, old);
  const section = readSection(unit.members.map((member) => member.line));
  if (section.obstacle && section.obstacle !== 'mixed-modules') return { message: OBSTACLES[section.obstacle], fixes: null };
  if (section.host === null && section.requires.length === 0) {
    return { message: 'Satisfy alone changes how an inherited decision is made: it has to be converted together with the sections around it.', fixes: null };
  }
  if (section.host === null && section.satisfy === 'any') {
    return { message: 'Satisfy Any makes the login here an alternative to hosts that an outer section admits: convert the two together.', fixes: null };
  }
  const tree = provenTranslation(section);
  if (tree === null) return { message: 'How these lines work together could not be proven, so there is no fix for them.', fixes: null };
  // mod_access_compat asks mod_authz_core, which has nothing against anybody: not for a section by itself to say.
  const differs = section.satisfy === 'any' && section.requires.length === 0;
  const fixes = remembered((facts) => (hasFact(facts, Fact.templates) || (differs && hasFact(facts, Fact.fromCompat)) ? [] : fixesFor(unit, old, section, tree, facts)));
  return { message: `These lines come to: ${summary(tree)}.`, fixes };
}

/** Lines in limits: each class of methods has its own tree, and the section one for them all. */
function verdictByMethod(unit: Unit, old: readonly Member[]): Verdict {
  const limits = limitsOf(unit);
  const read = readByMethod(unit.members.map(({ line, within }) => ({ line, limits: within.filter(isLimit) })));
  if (typeof read === 'string') return { message: `Lines within <Limit> or <LimitExcept> decide by method, and these are not converted: ${read}.`, fixes: null };
  const { tree, sections } = read;
  if ([...sections.values()].every(({ host }) => host === null)) return { message: 'Satisfy and Require by method change how an inherited decision is made: convert them together with the sections around.', fixes: null };
  const section = readSection(unit.members.map((member) => member.line));
  const gone = new Set(unit.members.map(({ line }) => line));
  const placed = [...limits].filter(([limit]) => unit.members.some(({ within }) => within.includes(limit))).map(([limit, offset]) => ({ section: limit, offset }));
  const isGone = ({ section: limit }: (typeof placed)[number]) => holdsOnly(limit, (line) => gone.has(line));
  const requires = unit.members.filter(({ line }) => line.name === 'require');
  return {
    message: `These lines decide by method. They come to: ${summary(tree)}.`,
    fixes: remembered((facts) => {
      if (hasFact(facts, Fact.fromCompat | Fact.templates)) return [];
      const line = knownLine(tree);
      const title = `Convert ${line === null ? 'this section to 2.4 access control' : `to ${line}`}`;
      const doubt = doubtOf(unit, section, facts);
      return [{ title: `${title}, assuming that ${doubt}`, safety: 'suggestion', edits: rewriteEdits({ old, requires, tree, open: unit.section?.open ?? null, limits: placed.filter(isGone), kept: placed.filter((limit) => !isGone(limit)) }) }];
    }),
  };
}

function isLimit(section: Section): boolean {
  return section.name === 'limit' || section.name === 'limitexcept';
}

function isLimited(unit: Unit): boolean {
  return unit.members.some(({ within }) => within.some(isLimit));
}

/** The limits directly in the unit, and where they start in it. */
function limitsOf(unit: Unit): Map<Section, number> {
  const found = new Map<Section, number>();
  forEachItem(unit.body, unit.bodyOffset, (item, offset) => {
    if (item instanceof Section && isLimit(item)) found.set(item, offset);
  });
  return found;
}

/** All lines of a section share their fixes; what a file says as a whole seldom changes. */
function remembered(fixesOf: (facts: FileFacts) => Fix[]): (facts: FileFacts) => Fix[] {
  let last: { facts: FileFacts; fixes: Fix[] } | null = null;
  return (facts) => {
    if (last?.facts !== facts) last = { facts, fixes: fixesOf(facts) };
    return last.fixes;
  };
}

/** Where the lines stand, if that alone keeps them from being translated as one section's. */
function structuralObstacle(unit: Unit): string | null {
  if (isTorn(unit)) return 'Template text stands between these lines: what the server reads here is not known, so there is no fix for them.';
  if (hasUnknownName(unit.body)) return 'A line here is no directive that is known: something else reads this before the server does, so there is no fix for these lines.';
  const sections = unit.members.map((member) => member.within);
  if (sections.some((within) => within.some((section) => section.name.startsWith('require')))) {
    return 'Old and new access control stand side by side here: a refusal by the old lines wins over the Require lines.';
  }
  const [first, ...rest] = sections.map((within) => within.filter((section) => !isLimit(section)));
  const isTogether = rest.every((within) => within.length === first.length && within.every((section, index) => section === first[index]));
  return isTogether ? null : 'Some of these lines stand in a conditional section and some do not: what applies depends on its condition.';
}

/** Whether template text makes, or stands in or between, the lines. */
function isTorn({ body, bodyOffset, members }: Unit): boolean {
  if (body.templates === 0) return false;
  if (body.branches > 0 || (body.templateTraits & TemplateTrait.AnyWord) !== 0) return true;
  return someTemplateLine(body, (_, offset) => offset >= members[0].offset && offset <= members[members.length - 1].offset, bodyOffset);
}

const OBSTACLES: Record<Exclude<ReadSection['obstacle'], null | 'mixed-modules'>, string> = {
  'broken-line': 'One of the lines here is an error to both versions: set it right first.',
  variable: 'What they say depends on a variable.',
  'unknown-requirement': 'A Require line here is not one of 2.2: a refusal by the old lines wins over it.',
};

function findingOn(member: Member, message: string, fixes: Verdict['fixes'], unit: Unit): Finding {
  const name = spelledName(member.line);
  const where = unit.context.isHtaccess ? 'the answer is 500' : 'the server does not start';
  const { modules = null, lacksCompat = false } = unit.context.surroundings ?? {};
  // Known as soon as all is here: to load what 2.4 needs must not make a warning an error.
  const isMissing = (modules === null ? lacksCompat : !modules.has('mod_access_compat')) && unit.context.activity === 'active' && member.activity === 'active';
  const why = `${name} is 2.2's: httpd 2.4 reads it with mod_access_compat only, ${isMissing ? `which is not loaded here: ${where}` : `and without that module ${where}`} (Invalid command '${name}').`;
  return {
    messageId: 'access',
    message: `${message} ${why}`,
    why,
    ...contentSpan(member.line, member.offset),
    resolve: (facts) => ({
      severity: isMissing ? 'error' : severity(unit, facts),
      fixes: fixes?.(facts),
      ...(fixes !== null && hasFact(facts, Fact.templates) ? { message: `${message} The file is a template, and which of its lines the server reads is not known, so there is no fix. ${why}` } : {}),
    }),
  };
}

/** An error where it is known that mod_access_compat is not there; otherwise it may be. */
function severity(unit: Unit, facts: FileFacts): 'error' | 'warning' {
  const isWhole = hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes) && !unit.context.isHtaccess;
  return isWhole && hasFact(facts, Fact.loadsModules) && !hasFact(facts, Fact.loadsAccessCompat) ? 'error' : 'warning';
}

function fixesFor(unit: Unit, old: readonly Member[], section: ReadSection, tree: Tree24, facts: FileFacts): Fix[] {
  const doubt = doubtOf(unit, section, facts);
  const line = knownLine(tree);
  const title = `Convert ${line === null ? 'this section to 2.4 access control' : `to ${line}`}`;
  const both = keepBoth(unit, old, tree);
  const converted: Fix = {
    title: `${title}, assuming that ${doubt}`,
    safety: 'suggestion',
    edits: convert(unit, old, tree),
  };
  return both ? [converted, both] : [converted];
}

/** What has to be true for the conversion of the section by itself to be right. What else stands in the file, and around it, is not this rule's to know (analysis/access-conversion.ts). */
function doubtOf(unit: Unit, section: ReadSection, facts: FileFacts): string {
  if (unit.section !== null && unit.section.open.template !== Template.None) return 'no other section applies where the template puts this one';
  if (unit.body.templates > 0) return 'the template writes one value in each of its places here';
  if (section.obstacle === 'mixed-modules') return 'any one of the Require lines is enough (in 2.2 the first module that had a line decided)';
  if (section.neverMatching.length > 0) return `no host is called ${section.neverMatching.map((word) => `"${word}"`).join(', ')}`;
  const isServerLevel = unit.section === null && !unit.context.isHtaccess;
  if (isServerLevel) return 'this file is included in a section that has no access control of its own';
  if (unit.members.some((member) => member.within.some((section) => !isLimit(section)))) return 'the condition around it is true for both versions';
  if (hasFact(facts, Fact.oldAccessLimited | Fact.oldAccessConditional | Fact.oddOperand)) {
    return 'the access lines of this file that cannot be converted have no say here';
  }
  if (hasFact(facts, Fact.silences)) return 'lines that comments keep as they are have no say here';
  return 'no other file and no outer section restricts access here';
}

function convert(unit: Unit, old: readonly Member[], tree: Tree24): readonly Edit[] {
  const requires = unit.members.filter((member) => member.line.name === 'require');
  return rewriteEdits({ old, requires, tree, open: unit.section?.open ?? null, comments: commentsAbove(unit.body, unit.bodyOffset, old) });
}

function keepBoth(unit: Unit, old: readonly Member[], tree: Tree24): Fix | null {
  const isInConditional = old[0].within.length > 0;
  const lines = unit.members;
  const isOneBlock = lines.every((member, index) => index === 0 || member.offset === lines[index - 1].offset + lines[index - 1].line.length);
  if (isInConditional || !isOneBlock) return null;
  const style = rewriteStyle(old[0].line, unit.section?.open ?? null);
  const { indent, step, eol } = style;
  const inner = { ...style, indent: indent + step };
  const before = lines.map((member) => `${step}${member.line.text.endsWith('\n') ? member.line.text : member.line.text + eol}`).join('');
  const last = lines[lines.length - 1];
  const text =
    `${indent}<IfModule mod_authz_core.c>${eol}${printTree(tree, inner)}${indent}</IfModule>${eol}` +
    `${indent}<IfModule !mod_authz_core.c>${eol}${before}${indent}</IfModule>${eol}`;
  return {
    title: 'Keep both versions (IfModule mod_authz_core.c)',
    safety: 'suggestion',
    edits: [{ start: lines[0].offset, end: last.offset + last.line.length, text: last.line.text.endsWith('\n') ? text : text.slice(0, -eol.length) }],
  };
}

/** What the tree says, short enough for a message. */
function summary(tree: Tree24): string {
  const line = knownLine(tree);
  if (line !== null) return line.length > 80 ? `${line.slice(0, 77)}…` : line;
  return tree.type === 'all' ? 'a RequireAll of hosts and users' : 'any one of several Require lines';
}
