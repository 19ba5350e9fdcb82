import { readByMethod } from '../access/by-method';
import { printTree } from '../access/print';
import { cachedOneLineText, provenTranslation } from '../access/proof-cache';
import { readSection, type SectionAsReadBy22 } from '../access/read';
import { commentsAbove, limitsAround, editsFor24, styleOfNewLines } from '../access/rewrite';
import { GROUP_DIRECTIVES } from '../access/checkers';
import { isNewForServer } from '../config/target';
import { requiresGroup, groupWord, withGroupWord } from '../access/group-words';
import type { Tree24 } from '../access/model';
import { isReason, reasonText } from '../access/not-converted';
import { parseRequire, MODULE_BY_PROVIDER } from '../access/require';
import { openQuestion, UNKNOWN_DIRECTIVES_QUESTION, type OpenQuestion } from '../access/open-question';
import { hasUnknownName, mayBeDirective, unknownLines } from '../config/unknown-names';
import { treeComparesAddress } from '../access/client-address';
import { groupWordOf } from '../directives/third-party';
import { cachedByNames, namesIn } from '../config/name-set';
import { argumentsOf, contentEnd, contentStart, spelledName, type Line } from '../syntax/line';
import { cache } from '../syntax/memory';
import { Template, TemplateTrait } from '../syntax/template';
import { forEachItem, Section, someTemplateLine } from '../syntax/tree';
import { contentSpan, joinedItems, fittingHeadline, invalidCommandText, NO_FINDINGS, shortened } from './support/edits';
import { isEscaped, namesOfRequire } from './text-is-expression';
import { Fact, hasFact, type FileFacts } from './support/facts';
import {
  fixMadeLater,
  type Edit,
  type Finding,
  type Fix,
  type Member,
  type Span,
  type Scope,
  type SectionRule,
} from './rule';

/** Finds Order, Allow, Deny and Satisfy lines, and converts the lines of one section at a time. */
export const orderAllowDeny: SectionRule = {
  id: 'order-allow-deny',
  title: 'Order, Allow, Deny and Satisfy, the access control of 2.2',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'section',
  handlesTemplates: true,
  names: ['order', 'allow', 'deny', 'satisfy', 'require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html',
  examples: [
    {
      title: 'Everyone has access',
      before: '<Directory /var/www>\n    Order allow,deny\n    Allow from all\n</Directory>\n',
      after: '<Directory /var/www>\n    Require all granted\n</Directory>\n',
      finds: ['access'],
    },
    {
      title: 'Nobody has access',
      before: '<Files ~ "^\\.ht">\n    Order allow,deny\n    Deny from all\n</Files>\n',
      after: '<Files ~ "^\\.ht">\n    Require all denied\n</Files>\n',
      finds: ['access'],
    },
    {
      title: 'Only some addresses have access',
      before:
        '<Location /server-status>\n  SetHandler server-status\n  Order deny,allow\n  Deny from all\n  # the office\n  Allow from 192.0.2.0/24\n  # this machine\n  Allow from 127.0.0.1\n</Location>\n',
      after:
        '<Location /server-status>\n  SetHandler server-status\n  # the office\n  Require ip 192.0.2.0/24\n  # this machine\n  Require ip 127.0.0.1\n</Location>\n',
      finds: ['access'],
    },
    {
      title: 'Everyone except some addresses',
      before:
        '<Directory /srv>\n\tOrder allow,deny\n\tAllow from all\n\tDeny from 203.0.113.7 env=bad_robot\n</Directory>\n',
      after:
        '<Directory /srv>\n\t<RequireAll>\n\t\tRequire all granted\n\t\tRequire not ip 203.0.113.7\n\t\tRequire not env bad_robot\n\t</RequireAll>\n</Directory>\n',
      finds: ['access'],
    },
    {
      title: 'A local address or a login (Satisfy Any)',
      before:
        '<Directory /srv/intranet>\n    AuthType Basic\n    AuthName "Intranet"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Satisfy any\n</Directory>\n',
      after:
        '<Directory /srv/intranet>\n    AuthType Basic\n    AuthName "Intranet"\n    AuthUserFile /etc/httpd/users\n    Require valid-user\n    Require ip 10.0.0.0/8\n</Directory>\n',
      finds: ['access'],
    },
    {
      title: 'A local address and a login (Satisfy All)',
      before:
        '<Directory /srv/admin>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    AuthType Basic\n    AuthName "Admin"\n    AuthUserFile /etc/httpd/users\n    Require user root\n</Directory>\n',
      after:
        '<Directory /srv/admin>\n    <RequireAll>\n        Require user root\n        Require ip 10.0.0.0/8\n    </RequireAll>\n    AuthType Basic\n    AuthName "Admin"\n    AuthUserFile /etc/httpd/users\n</Directory>\n',
      finds: ['access'],
    },
    {
      title: 'Different access for some methods',
      before:
        '<Directory /srv>\n    <LimitExcept GET POST>\n        Order deny,allow\n        Deny from all\n    </LimitExcept>\n</Directory>\n',
      after: '<Directory /srv>\n    Require method GET POST\n</Directory>\n',
      finds: ['access'],
    },
  ],
  check(scope) {
    const isOldMember = ({ line }: Member) => line.name !== 'require';
    const oldMembers = scope.members.every(isOldMember) ? scope.members : scope.members.filter(isOldMember);
    return oldMembers.length === 0 ? NO_FINDINGS : [findingOn(scope, oldMembers, verdictFor(scope, oldMembers))];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** What the access lines of a section decide, and the texts of the finding about them. */
interface SectionMeaning {
  /** The Require tree that decides the same in 2.4; null if there is no conversion. */
  readonly tree: Tree24 | null;
  /** Why there is no conversion. */
  readonly cause?: string;
  readonly help?: string;
  /** The lines as data; null if the lines cannot be converted together. */
  readonly section: SectionAsReadBy22 | null;
  readonly headline: string;
  /** The title of the fix that writes the tree. */
  readonly title: string;
}

/** What the finding about a section says, and its fixes. */
interface SectionVerdict extends Omit<SectionMeaning, 'section' | 'title'> {
  /** The open questions whose answers may allow a fix. Absent if there is a fix. */
  readonly waitsFor?: readonly OpenQuestion[];
  /**
   * The spans of the lines because of which the section is not converted. Their offsets count from
   * the start of the scope.
   */
  readonly otherSpans?: readonly Span[];
  /** Returns the fixes for a file with these facts; null if there are none. */
  readonly fixes: ((facts: FileFacts) => Fix[]) | null;
  /**
   * The headline and help for a file that has a login elsewhere; null if they do not change.
   * `hasSatisfy`: whether the file has a Satisfy line.
   */
  readonly textsBesideLogin?: ((hasSatisfy: boolean) => Pick<Finding, 'what' | 'help'>) | null;
}

/** The help if the section has a Use or Include line, which can add access lines. */
const HELP_WITH_OTHER_FILES =
  'A `Use` or `Include` line here can add access lines. If it adds none, convert these lines. If it adds some, convert all of them together.';

/**
 * The help for a section that has Satisfy, perhaps Require, but no Order, Allow and Deny. 2.4
 * refuses a container without Require lines. `satisfy`: the argument of Satisfy.
 */
function helpForSatisfyAlone(satisfy: 'all' | 'any', hasRequire: boolean): string {
  const group = satisfy === 'any' ? '`<RequireAny>`' : '`<RequireAll>`';
  return hasRequire
    ? `Put the \`Require\` lines into a ${group}, in place of \`Satisfy\`. Sections for directories or URLs above can have \`Allow\` and \`Deny\` lines that apply here, too: add their clients, such as \`Require ip 10\` for \`Allow from 10\`.${satisfy === 'any' ? ' If none of them has such a line or an `Order` line, 2.2 allows every client without a login: write `Require all granted`.' : ''}`
    : `Replace \`Satisfy\` by a ${group}. Into it, write \`Require\` lines for what the other sections allow here: logins, and clients of \`Allow\` lines, such as \`Require ip 10\`. An empty ${group} is an error. Then convert the other sections, too.`;
}

/** The verdict for a section with old lines: its meaning, and whether there are fixes. */
function verdictFor(scope: Scope, oldMembers: readonly Member[]): SectionVerdict {
  const obstacle = structuralObstacle(scope);
  if (obstacle) return { ...meaningIfNotConverted(oldMembers, ...obstacle), fixes: null };
  if (hasUnknownName(scope.body)) return verdictBesideUnknown(scope, oldMembers);
  const hasLimits = isLimited(scope);
  const meaningOfLines = hasLimits
    ? meaningForMethods(scope, oldMembers)
    : withGroupWords(meaningOf(scope.members, oldMembers), scope, oldMembers);
  // A macro or an included file can add access lines, so the lines here decide only a part.
  const meaning = mayInsertLines(namesIn(scope.body))
    ? {
        ...meaningOfLines,
        headline: headlineOf(oldMembers, null),
        help: meaningOfLines.tree === null ? meaningOfLines.help : HELP_WITH_OTHER_FILES,
      }
    : meaningOfLines;
  const { section, tree, title, headline, cause, help } = meaning;
  if (section === null || tree === null) return { ...meaning, fixes: null };
  // In 2.4, mod_access_compat also uses the decision of mod_authz_core, which is unknown for a
  // single section. So if `mayDifferFromCompat`, no fix can keep what a 2.4 with mod_access_compat
  // decides.
  const mayDifferFromCompat = hasLimits || (section.satisfy === 'any' && section.userRequirements.length === 0);
  const fixes = cachedFixes((facts) =>
    hasFact(facts, Fact.templates) || (mayDifferFromCompat && hasFact(facts, Fact.fromCompat))
      ? []
      : fixesFor(scope, oldMembers, section, tree, title, facts),
  );
  if (mayInsertLines(namesIn(scope.body))) return { tree, headline, cause, help, fixes };
  if (scope.tag === null && !scope.context.isHtaccess && isListOfExceptions(oldMembers, tree))
    return { tree, headline: headlineOf(oldMembers, null), cause, help: HELP_FOR_EXCEPTIONS, fixes: null };
  if (scope.tag === null && !scope.context.isHtaccess)
    return {
      tree,
      headline: headlineOf(oldMembers, null),
      cause,
      help: `A section includes this file: convert these lines together with it. ${equivalentWithCondition(IF_NO_OTHER_LINES, tree)}`,
      fixes,
    };
  const container = scope.context.containers.at(-1);
  const mayInheritSatisfy =
    container !== undefined && container !== 'directory' && oldMembers.every(({ line }) => line.name !== 'satisfy');
  const textsBesideLogin =
    section.userRequirements.length > 0
      ? null
      : (hasSatisfy: boolean) => ({
          what: headlineOf(oldMembers, null),
          help:
            hasSatisfy && mayInheritSatisfy
              ? helpBesideSatisfy(tree)
              : besideLoginText(section.satisfy === 'any', tree, container),
        });
  return { tree, headline, cause, help: help ?? helpForIdleDeny(oldMembers, tree), fixes, textsBesideLogin };
}

/** The help if the section has a Deny in `<Limit>` without effect; otherwise undefined. */
function helpForIdleDeny(oldMembers: readonly Member[], tree: Tree24): string | undefined {
  const isIdle = ({ line, enclosingSections }: Member) =>
    line.name === 'deny' && enclosingSections.some(({ name }) => name === 'limit');
  return tree.type === 'granted' && oldMembers.some(isIdle)
    ? 'In 2.2 the `Deny` in `<Limit>` has no effect: an `Allow` outside of it applies to these methods, too. To deny them in 2.4, write `Require not method` with their names, and `Require all granted`, in `<RequireAll>`.'
    : undefined;
}

/**
 * Whether the lines only allow some addresses. Without other access lines, such lines allow
 * everyone. So outside of sections, they are meant as exceptions from the Deny lines of a section
 * that includes the file.
 */
function isListOfExceptions(oldMembers: readonly Member[], tree: Tree24): boolean {
  return (
    tree.type === 'granted' && oldMembers.every(({ line }) => line.name === 'allow' && !/\sall\s*$/i.test(line.text))
  );
}

const HELP_FOR_EXCEPTIONS =
  'A section includes this file: convert these lines together with it. If that section denies everyone else, write a `Require` line for each of these addresses.';

/**
 * Access lines are not allowed outside of sections. So if a file has them there, a section includes
 * the file.
 */
const IF_NO_OTHER_LINES = 'if that section has no other access lines';

/**
 * The help if the file has `Require` lines elsewhere. 2.2 applies Require lines of other sections
 * beside Order, Allow and Deny. In 2.4 the Require lines of the section that applies last replace
 * all others (mod_authz_core: AuthMerging Off).
 */
function besideLoginText(isSatisfyAny: boolean, tree: Tree24, container: string | undefined): string {
  const group = isSatisfyAny ? '<RequireAny>' : '<RequireAll>';
  const isForAll = isSatisfyAny && tree.type === 'granted';
  const condition = isForAll ? '' : ', if no other section with `Require` applies here';
  const otherSectionText = isForAll
    ? ''
    : `\nIf another section applies, put its \`Require\` lines and the new ones into one \`${group}\`.`;
  const orderText =
    container === undefined || container === 'directory'
      ? ''
      : `\nIn 2.4 the last section with \`Require\` decides: ${isForAll ? 'move this section below others of its kind that apply here' : 'if another one is below this section, put all lines there'}.`;
  return `Write these lines instead${condition}:\n${treeText(tree)}${otherSectionText}${orderText}`;
}

/** The help if the file has a Satisfy line elsewhere. `tree`: the tree for this section. */
function helpBesideSatisfy(tree: Tree24): string {
  const effect = tree.type === 'granted' ? '' : ', a login can open what these lines deny';
  return `If \`Satisfy Any\` of another section in this file applies here${effect}${effect === '' ? ', convert' : '. Convert'} the lines of both sections together.`;
}

const mayInsertLines = cachedByNames(
  (names) => names.hasName('use') || names.hasName('include') || names.hasName('includeoptional'),
);

/**
 * The verdict for a section that has lines with unknown names. A directive of an unknown module may
 * control access, so only the user can decide. A line that cannot be a directive belongs to a
 * template.
 */
function verdictBesideUnknown({ body, bodyOffset, context }: Scope, oldMembers: readonly Member[]): SectionVerdict {
  const unknownPlaces = unknownLines(body, bodyOffset);
  const unknownDirectives = unknownPlaces.map(({ line }) => line);
  const templateLine = unknownDirectives.find((line) => !mayBeDirective(line));
  if (templateLine)
    return {
      ...meaningIfNotConverted(
        oldMembers,
        `\`${shortened(templateLine.text.trim(), 40)}\` is no directive. Another program seems to process the file first.`,
        'Run again on the file that this program makes.',
      ),
      fixes: null,
    };
  const directiveNames = [...new Set(unknownDirectives.map(spelledName))];
  const cause =
    directiveNames.length === 1
      ? `httpd-upgrade does not know the directive ${quotedNames(directiveNames)}. If it decides who has access, new lines could allow too much or too little.`
      : `httpd-upgrade does not know the directives ${quotedNames(directiveNames)}. If they decide who has access, new lines could allow too much or too little.`;
  return {
    ...meaningIfNotConverted(oldMembers, cause, HELP_FOR_UNKNOWN),
    waitsFor: context.fileContext === null ? directiveNames.map(unknownQuestion) : undefined,
    otherSpans: unknownPlaces.slice(0, MAX_UNKNOWN_LINES).map(({ line, offset }) => contentSpan(line, offset)),
    fixes: null,
  };
}

/** Maximum number of unknown lines that the finding shows. */
const MAX_UNKNOWN_LINES = 4;

/** The help for old lines in a section with a directive of an unknown module. */
export const HELP_FOR_UNKNOWN =
  'If it does not, give this answer: `--answer unknown-directives=no-access-control`. Else convert these lines by hand.';

/** The question whether an unknown directive controls access. */
function unknownQuestion(name: string): OpenQuestion {
  return { ...openQuestion('unknown-directives', name), coveringQuestion: UNKNOWN_DIRECTIVES_QUESTION };
}

function quotedNames(names: readonly string[]): string {
  return joinedItems(names.slice(0, 4).map((name) => `\`${shortened(name, 40)}\``));
}

/**
 * If a third-party module decides `Require group` in the section, replaces `group` by the module's
 * provider in 2.4. The result has no tree if this provider is unknown.
 */
function withGroupWords(meaning: SectionMeaning, { body }: Scope, oldMembers: readonly Member[]): SectionMeaning {
  const { tree, section } = meaning;
  if (tree === null || section === null || !hasGroupDirective(namesIn(body)) || !requiresGroup(tree)) return meaning;
  const directLines: Line[] = [];
  forEachItem(body, 0, (item) => void (item instanceof Section || directLines.push(item)));
  const groupLine = directLines.find(({ name, text }) => GROUP_DIRECTIVES.has(name) && !/\soff\s*$/i.test(text));
  if (groupLine === undefined || directLines.some(({ name }) => GROUP_FILE_DIRECTIVES.has(name))) return meaning;
  const wordForGroups = groupWord(directLines);
  if (wordForGroups === null) {
    const word24 = groupWordOf(groupLine.name);
    return meaningIfNotConverted(
      oldMembers,
      `In 2.2 \`${shortened(spelledName(groupLine), 40)}\` has another module answer \`Require group\`. In 2.4 \`group\` looks only into \`AuthGroupFile\`.`,
      word24 === undefined
        ? 'Write the word for groups that the module has in 2.4, then run again.'
        : `Write \`Require ${word24}\`, then run again.`,
    );
  }
  return meaningIfConverted(oldMembers, section, withGroupWord(tree, wordForGroups));
}

const hasGroupDirective = cachedByNames((names) => names.hasSome((name) => GROUP_DIRECTIVES.has(name)));

/** Directives that name group files. With one of them, modules of httpd decide `Require group`. */
const GROUP_FILE_DIRECTIVES: ReadonlySet<string> = new Set(['authgroupfile', 'authdbmgroupfile']);

/**
 * What the lines of a section without `<Limit>` mean, cached by their text. The cache is needed
 * because thousands of sections may have the same lines. Without the cache, the rules make 14 %
 * more function calls (test/cost/per-host.slow.test.ts).
 */
function meaningOf(members: readonly Member[], oldMembers: readonly Member[]): SectionMeaning {
  let membersText = '';
  for (let i = 0; i < members.length; i++) membersText += members[i]!.line.text;
  let meaning = meaningByText.get(membersText);
  if (!meaning) {
    meaning = readMeaning(members, oldMembers);
    if (membersText.length > MAX_KEY_LENGTH) return meaning;
    if (meaningByText.size >= MAX_CACHED_MEANINGS) meaningByText.clear();
    meaningByText.set(membersText, meaning);
  }
  return meaning;
}

const meaningByText = cache<string, SectionMeaning>();
const MAX_CACHED_MEANINGS = 1000;
/** Maximum length of a text that is a key of the cache. Longer texts rarely repeat. */
const MAX_KEY_LENGTH = 1000;

/** What the lines of a section without `<Limit>` mean. Does not use the cache. */
function readMeaning(members: readonly Member[], oldMembers: readonly Member[]): SectionMeaning {
  const section = readSection(members.map(({ line }) => line));
  const notConverted = (cause: string, help?: string) => meaningIfNotConverted(oldMembers, cause, help);
  if (section.obstacle === 'unknown-requirement')
    return notConverted(...(obstacleOfOtherModule(members) ?? obstacleOfRequire(members)));
  if (section.obstacle === 'variable' && !members.some(({ line }) => line.text.includes('${')))
    return notConverted(...(obstacleOfOtherModule(members) ?? obstacleOfExpression(members)));
  if (section.obstacle === 'broken-line') {
    const brokenLine = members.find(({ line }) => readSection([line]).obstacle === 'broken-line')!.line;
    return notConverted(
      `\`${shortened(brokenLine.text.trim(), 50)}\` is an error, in 2.2 and in 2.4.`,
      `2.2 and 2.4 do not accept \`${shortened(brokenLine.text.trim(), 50)}\`: correct this line, then run again.`,
    );
  }
  if (section.obstacle && section.obstacle !== 'mixed-modules')
    return notConverted(...OBSTACLE_TEXTS[section.obstacle]);
  if (section.hostRules === null && section.userRequirements.length === 0)
    return notConverted(
      'This section has `Satisfy` alone: in 2.2 it changes how the lines of the enclosing section are combined.',
      helpForSatisfyAlone(section.satisfy, false),
    );
  if (section.hostRules === null && section.satisfy === 'any')
    return notConverted(
      '`Satisfy Any` allows clients that log in here, and clients that the enclosing section allows.',
      helpForSatisfyAlone('any', true),
    );
  const tree = provenTranslation(section);
  const parameter = tree === null ? macroParameterIn(oldMembers) : null;
  if (parameter !== null)
    return notConverted(
      `The value of \`${parameter}\` is known only where a \`Use\` line inserts the lines.`,
      'Write `Require` lines in the macro by hand, and check who has access at each `Use` line.',
    );
  if (tree === null)
    return notConverted(
      'httpd-upgrade could not find `Require` lines with exactly the same effect.',
      'No `Require` lines are certain to have exactly the same effect. Write them by hand, and check who has access.',
    );
  return meaningIfConverted(oldMembers, section, tree);
}

/**
 * The first parameter of a macro in the arguments, such as `$who` in `10.$who`. Null if there is
 * none.
 */
function macroParameterIn(oldMembers: readonly Member[]): string | null {
  const argumentTexts = oldMembers.flatMap(({ line }) => argumentsOf(line).map(({ value }) => value));
  const parameters = argumentTexts.flatMap((word) => /^[$@%]\w+$|\$\w+/.exec(word)?.[0] ?? []);
  return parameters[0] ?? null;
}

/** The meaning of lines that `tree` replaces in 2.4. */
function meaningIfConverted(oldMembers: readonly Member[], section: SectionAsReadBy22, tree: Tree24): SectionMeaning {
  const hasLogin = section.userRequirements.length > 0;
  // Only `Satisfy All` and a login: Order, Allow and Deny lines of other sections still apply.
  const isHostRuleInherited = section.hostRules === null;
  return {
    tree,
    section,
    headline: headlineOf(oldMembers, isHostRuleInherited ? null : tree, hasLogin),
    help: isHostRuleInherited
      ? equivalentWithCondition(`${IF_NO_HOST_RULES}, ${inPlaceOf(oldMembers)}`, tree)
      : equivalentText(oldMembers, tree, hasLogin),
    title: convertTitle(oldMembers, tree),
  };
}

/** The meaning of lines that are not converted, with the reason and the help. */
function meaningIfNotConverted(oldMembers: readonly Member[], cause: string, help?: string): SectionMeaning {
  return { tree: null, section: null, headline: headlineOf(oldMembers, null), cause, help, title: '' };
}

/**
 * What the lines of a section with `<Limit>` or `<LimitExcept>` mean: one Require tree for all
 * methods.
 */
function meaningForMethods({ members }: Scope, oldMembers: readonly Member[]): SectionMeaning {
  const readResult = readByMethod(
    members.map(({ line, enclosingSections }) => ({ line, limitSections: enclosingSections.filter(isLimitSection) })),
  );
  if (isReason(readResult)) {
    const reason = reasonText({
      ...readResult,
      mayAccessChangeIfKept: oldMembers.some(({ line }) => line.name === 'satisfy'),
    });
    // If both versions refuse a line, the method does not matter, so the text only says why they
    // refuse this line.
    const [cause = '', help = ''] = readResult.code.startsWith('broken-') ? reason.split(/: (?=write)/) : [];
    return help !== ''
      ? meaningIfNotConverted(oldMembers, `${asSentence(cause)}.`, `${asSentence(help)}.`)
      : meaningIfNotConverted(
          oldMembers,
          `The lines in \`<Limit>\` or \`<LimitExcept>\` depend on the method: ${reason}.`,
          reason.endsWith('then run again')
            ? `${asSentence(reason)}.`
            : `Change the \`<Limit>\` or \`<LimitExcept>\` lines here, then run again: ${reason}.`,
        );
  }
  const { tree, rulesByMethod } = readResult;
  if ([...rulesByMethod.values()].every(({ hostRules }) => hostRules === null)) {
    const isAny = members.some(({ line }) => line.name === 'satisfy' && /\sany\s*$/i.test(line.text));
    return meaningIfNotConverted(
      oldMembers,
      '`Satisfy` and `Require` in `<Limit>` change how the lines of the enclosing section are combined.',
      helpForSatisfyAlone(
        isAny ? 'any' : 'all',
        members.some(({ line }) => line.name === 'require'),
      ),
    );
  }
  const meaning = meaningIfConverted(oldMembers, readSection(members.map(({ line }) => line)), tree);
  return { ...meaning, help: meaning.help?.replace(/^Equivalent[^:]*:/, () => equivalentForLimits(oldMembers)) };
}

/** The words above the equivalent lines: they also replace the tags of `<Limit>` sections. */
function equivalentForLimits(oldMembers: readonly Member[]): string {
  const sections = new Set(oldMembers.flatMap(({ enclosingSections }) => enclosingSections.filter(isLimitSection)));
  const tags = [...sections].map(({ open }) => `\`${shortened(open.text.trim(), 40)}\``);
  const areAllLimited = oldMembers.every(({ enclosingSections }) => enclosingSections.some(isLimitSection));
  const otherLines = areAllLimited ? '' : 'these lines and ';
  return `Equivalent, in place of ${otherLines}${tags.length > 2 ? 'the `<Limit>` sections' : joinedItems(tags)}:`;
}

function asSentence(clause: string): string {
  return clause[0]!.toUpperCase() + clause.slice(1);
}

function isLimitSection(section: Section): boolean {
  return section.name === 'limit' || section.name === 'limitexcept';
}

/** Whether some of the lines are in a section that restricts them to some methods. */
function isLimited(scope: Scope): boolean {
  return scope.members.some(({ enclosingSections }) => enclosingSections.some(isLimitSection));
}

/**
 * Caches the fixes for the last facts, because the facts of a file rarely change between two calls.
 */
function cachedFixes(fixesOf: (facts: FileFacts) => Fix[]): (facts: FileFacts) => Fix[] {
  let lastFixes: { facts: FileFacts; fixes: Fix[] } | null = null;
  return (facts) => {
    if (lastFixes?.facts !== facts) lastFixes = { facts, fixes: fixesOf(facts) };
    return lastFixes.fixes;
  };
}

/** Why lines cannot be converted, and what to do about it. */
type Obstacle = readonly [cause: string, help: string];

/**
 * Why the lines cannot be converted together, because of a template or of different conditions
 * around them. Null if they can.
 */
function structuralObstacle(scope: Scope): Obstacle | null {
  if (isTemplateAmongLines(scope))
    return [
      'Template code is in these lines or between them. It decides what the server reads.',
      scope.members.some(({ line }) => REQUIRE_ONLY_IN_24.test(line.text))
        ? 'The template also has `Require` lines of 2.4: set its variables so that it writes those.'
        : 'Run again on the files that the template makes, and change the template by hand.',
    ];
  if (scope.members.every(({ enclosingSections }) => enclosingSections.length === 0)) return null;
  const sections = scope.members.map((member) => member.enclosingSections);
  if (sections.some((within) => within.some((section) => section.name.startsWith('require')))) {
    return obstacleOfRequire(scope.members);
  }
  const [first = [], ...rest] = sections.map((within) => within.filter((section) => !isLimitSection(section)));
  const haveSameSections = rest.every(
    (within) => within.length === first.length && within.every((section, index) => section === first[index]),
  );
  if (haveSameSections) return null;
  if (areOldLinesOutside(scope.members))
    return [
      'The `Require` lines are in a condition, such as `<IfVersion>`, and these lines are outside of it.',
      'The section has `Require` lines for 2.4. If they give the access that you want, remove the old lines. Otherwise correct the `Require` lines first.',
    ];
  return [first, ...rest].every((within) => within.length > 0)
    ? [
        'These lines are inside different conditions, such as `<IfModule>`.',
        'Write `Require` in each condition that 2.4 reads, and remove the old lines there.',
      ]
    : [
        'Some of these lines are inside a condition such as `<IfModule>`, and others are not.',
        'Put all of them into the condition, or take them out, then run again.',
      ];
}

/** Whether all lines outside of conditions are of 2.2, and a condition has Require lines. */
function areOldLinesOutside(members: readonly Member[]): boolean {
  const isInCondition = ({ enclosingSections }: Member) =>
    enclosingSections.some((section) => !isLimitSection(section));
  return (
    members.some((each) => each.line.name === 'require' && isInCondition(each)) &&
    members.some((each) => !isInCondition(each)) &&
    members.every((each) => each.line.name !== 'require' || isInCondition(each))
  );
}

/** Matches Require lines with a provider that only 2.4 has. */
const REQUIRE_ONLY_IN_24 = /^\s*Require\s+(?:all|ip|host|local|env|expr|not)\s/i;

/** Whether a template writes or selects these lines, or has text between them. */
function isTemplateAmongLines({ body, bodyOffset, members }: Scope): boolean {
  if (body.templateLineCount === 0) return false;
  if (body.branchLineCount > 0 || (body.templateTraits & TemplateTrait.AnyWord) !== 0) return true;
  return someTemplateLine(
    body,
    (_, offset) => offset >= members[0]!.offset && offset <= members[members.length - 1]!.offset,
    bodyOffset,
  );
}

/**
 * The cause and help for a section that also has Require lines of 2.4. The cause says how
 * mod_access_compat combines the old lines with the Require lines: as Satisfy says (ap_satisfies).
 */
function obstacleOfRequire(members: readonly Member[]): Obstacle {
  const combinationText = hasSatisfyAny(members)
    ? 'With `Satisfy Any`, a request that either the old lines or `Require` allow gets access.'
    : 'Unless `Satisfy Any` applies here, both must allow a request.';
  return [
    `This section also has a \`Require\` line of 2.4. ${combinationText}`,
    'Write all conditions as `Require`, then remove the old lines.',
  ];
}

/**
 * The cause and help for a Require line whose provider belongs to a third-party module. Null if all
 * providers belong to httpd.
 */
function obstacleOfOtherModule(members: readonly Member[]): Obstacle | null {
  for (const { line } of members) {
    if (line.name !== 'require') continue;
    const { provider, operands } = parseRequire(line);
    const isPattern = operands[0]?.value === '~';
    if (provider === null || (MODULE_BY_PROVIDER.has(provider.value.toLowerCase()) && !isPattern)) continue;
    const shownRequire = shortened(`${spelledName(line)} ${provider.value}${isPattern ? ' ~' : ''}`, 40);
    return [
      `In httpd, no module of 2.2 answers \`${shownRequire}\`. A module that does not come with httpd does.`,
      'Convert these lines by hand, with the word that this module has in 2.4.',
    ];
  }
  return null;
}

/** An obstacle whose texts depend on nothing else. */
type PlainObstacle = Exclude<
  SectionAsReadBy22['obstacle'],
  null | 'broken-line' | 'mixed-modules' | 'unknown-requirement'
>;
const OBSTACLE_TEXTS: Record<PlainObstacle, readonly [string, string?]> = {
  variable: [
    'The effect of these lines depends on a variable.',
    'Replace the variable by its value and run again, or convert these lines by hand.',
  ],
};

/**
 * The cause and help for names that 2.4 reads as an expression. The help shows the line for 2.4. No
 * fix may write this line. The next run would take it for a line of 2.2, where backslashes have no
 * such meaning, and would double them.
 */
function obstacleOfExpression(members: readonly Member[]): Obstacle {
  const [firstNames] = members.flatMap(({ line }) => {
    const requireNames = line.name === 'require' ? namesOfRequire(line) : null;
    return requireNames !== null && requireNames.fixes.length > 0 && !isEscaped(requireNames.namesText)
      ? [requireNames]
      : [];
  });
  return [
    'A `Require` line has a backslash, `$1` or `%{…}`: 2.4 reads this as an expression.',
    `Convert these lines by hand.${firstNames === undefined ? '' : ` ${firstNames.help}`}`,
  ];
}

const TEMPLATE_CAUSE = 'This file is a template. The finished file can have other lines: check it, too.';
const TEMPLATE_HELP = 'This file is a template, so no fix changes these lines. Convert them by hand.';

/**
 * The one finding for all old lines of a section. It is at the first line that 2.4 certainly
 * refuses. If there is no such line, it is at the first old line.
 */
function findingOn(
  scope: Scope,
  oldMembers: readonly Member[],
  { headline: what, cause, help, fixes, waitsFor, otherSpans = [], textsBesideLogin = null }: SectionVerdict,
): Finding {
  const { modules = null, lacksAccessCompat = false } = scope.context.fileContext ?? {};
  // The modules of the whole configuration decide, and not the LoadModule lines of this file. A fix
  // adds LoadModule lines for 2.4 to the file, but none for mod_access_compat. If these lines
  // decided, the fix would turn this warning into an error.
  const isCompatMissing = modules === null ? lacksAccessCompat : !modules.has('mod_access_compat');
  // If the server already runs 2.4, it accepts these lines, so mod_access_compat is not missing.
  const mayBeMissing =
    isCompatMissing && scope.context.activity === 'active' && isNewForServer(0, scope.context.target);
  const lineOfMissingModule = mayBeMissing ? oldMembers.find(({ activity }) => activity === 'active') : undefined;
  const anchorMember = lineOfMissingModule ?? oldMembers[0]!;
  const consequence = lineOfMissingModule ? 'will not start' : null;
  const areModulesUnknown = scope.context.isHtaccess && modules === null && !lacksAccessCompat;
  const hasComment = hasTrailingComment(oldMembers, scope);
  return {
    messageId: 'access',
    what,
    help,
    waitsFor,
    serverText: lineOfMissingModule && invalidCommandText(lineOfMissingModule.line),
    start: anchorMember.offset + contentStart(anchorMember.line),
    end: anchorMember.offset + contentEnd(anchorMember.line),
    lineStart: anchorMember.offset,
    places:
      oldMembers.length > 1 || otherSpans.length > 0
        ? [
            ...otherSpans,
            ...oldMembers
              .filter((member) => member !== anchorMember)
              .map(({ line, offset }) => contentSpan(line, offset)),
          ]
        : undefined,
    resolve: (facts) => {
      const shownConsequence = consequence ?? consequenceIn(scope, facts);
      const isOfTemplate = cause === undefined && fixes !== null && hasFact(facts, Fact.templates);
      return {
        ...(isOfTemplate && help === undefined && { help: TEMPLATE_HELP }),
        ...(hasFact(facts, Fact.requires) && textsBesideLogin?.(hasFact(facts, Fact.satisfy))),
        consequence: shownConsequence,
        cause:
          cause ??
          (isOfTemplate
            ? TEMPLATE_CAUSE
            : hasComment
              ? CAUSE_OF_COMMENT
              : areModulesUnknown && shownConsequence !== 'deprecated'
                ? CAUSE_IN_HTACCESS
                : causeOf(shownConsequence, scope.members)),
        fixesLater: fixes === null ? undefined : () => fixes(facts),
      };
    },
  };
}

/**
 * Whether 2.4 refuses a line even with mod_access_compat, because a comment follows its arguments.
 */
function hasTrailingComment(oldMembers: readonly Member[], { context: { target } }: Scope): boolean {
  return (
    target.patch >= COMMENT_REFUSED_SINCE &&
    oldMembers.some(
      ({ line: { name, text }, line }) =>
        (name === 'allow' || name === 'deny') &&
        text.includes('#') &&
        argumentsOf(line).some(({ value }) => value.includes('#')),
    )
  );
}

/** The patch release of 2.4 since which Allow and Deny refuse a `#`. */
const COMMENT_REFUSED_SINCE = 32;

const CAUSE_OF_COMMENT =
  'Without mod_access_compat, httpd 2.4 does not accept these lines. With it, the comment behind `Allow` or `Deny` is an error.';

const CAUSE_BY_CONSEQUENCE = {
  'will not start': 'httpd 2.4 accepts these lines only if mod_access_compat is loaded. No line loads it.',
  'may not start':
    'httpd 2.4 accepts these lines only if mod_access_compat is loaded. Without it, the server does not start.',
  deprecated: 'The server reads these lines with mod_access_compat. `Require` replaces them.',
  'meaning changed':
    'With mod_access_compat these lines still work. A request must also pass the `Require` lines that apply here.',
} as const;

const CAUSE_WITH_SATISFY_ANY =
  'With mod_access_compat and `Satisfy Any`, a request that either these lines or the `Require` lines allow gets access.';

/** What the lines do in 2.4, as the cause of a finding. */
function causeOf(consequence: keyof typeof CAUSE_BY_CONSEQUENCE, members: readonly Member[]): string {
  return consequence === 'meaning changed' && hasSatisfyAny(members)
    ? CAUSE_WITH_SATISFY_ANY
    : CAUSE_BY_CONSEQUENCE[consequence];
}

/** Whether there is a `Satisfy Any`, or a Satisfy with an unknown word. */
function hasSatisfyAny(members: readonly Member[]): boolean {
  return members.some(({ line }) => line.name === 'satisfy' && !/\ball\b/i.test(line.text));
}

const CAUSE_IN_HTACCESS =
  'httpd 2.4 accepts these lines only if mod_access_compat is loaded. Without it, requests get 500.';

/**
 * The consequence of the finding. It is `will not start` only if mod_access_compat is certainly
 * missing.
 */
function consequenceIn(scope: Scope, facts: FileFacts): keyof typeof CAUSE_BY_CONSEQUENCE {
  if (hasFact(facts, Fact.fromCompat)) return 'deprecated';
  const modules = scope.context.fileContext?.modules;
  if (modules?.has('mod_access_compat')) return 'meaning changed';
  const isWholeConfiguration =
    hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes) && !scope.context.isHtaccess;
  if (isWholeConfiguration && hasFact(facts, Fact.loadsModules) && !hasFact(facts, Fact.loadsAccessCompat))
    return 'will not start';
  return hasFact(facts, Fact.loadsAccessCompat) ? 'meaning changed' : 'may not start';
}

const EQUIVALENT_LABEL = 'equivalent:';

/**
 * The headline with the names of the directives, and with the equivalent line if it is short
 * enough. `hasLogin`: the section has `Require` lines, so the equivalent may be one of these lines
 * alone.
 */
function headlineOf(oldMembers: readonly Member[], tree: Tree24 | null, hasLogin = false): string {
  const directiveNames = [
    ...new Map(oldMembers.map(({ line }) => [line.name, `\`${spelledName(line)}\``])).values(),
  ].join(', ');
  const shortText = tree === null ? null : shortDescription(tree);
  const plainHeadline = `${directiveNames}: access control of 2.2, replaced by \`Require\``;
  // The headline does not tell the user to write the new line. If old lines stay here or in other
  // files, they deny requests that the new line would allow.
  return shortText === null
    ? plainHeadline
    : fittingHeadline(
        `${directiveNames}: access control of 2.2 · ${hasLogin ? `${shortText} alone is equivalent` : `${EQUIVALENT_LABEL} ${shortText}`}`,
        plainHeadline,
      );
}

/**
 * A short text such as `Require all granted` or "everyone except `203.0.113.7`"; null if no short
 * text describes the tree.
 */
function shortDescription(tree: Tree24): string | null {
  const oneLineText = cachedOneLineText(tree);
  if (oneLineText !== null) return `\`${oneLineText}\``;
  if (tree.type !== 'all' || tree.inner[0]?.type !== 'granted') return null;
  const operands = tree.inner.slice(1).flatMap(({ type, ...each }): readonly (string | null)[] => {
    const { inner } = each as { inner?: Tree24 };
    return type === 'not' && inner?.type === 'match'
      ? inner.operands.map((operand) =>
          inner.provider === 'env' ? `requests with the variable \`${operand}\`` : `\`${operand}\``,
        )
      : [null];
  });
  const knownOperands = operands.filter((operand) => operand !== null);
  return knownOperands.length < operands.length ? null : `everyone except ${joinedItems(knownOperands)}`;
}

/**
 * The text with the equivalent lines; undefined if there are none or if the headline shows them.
 */
function equivalentText(oldMembers: readonly Member[], tree: Tree24 | null, hasLogin = false): string | undefined {
  if (
    tree === null ||
    (cachedOneLineText(tree) !== null && headlineOf(oldMembers, tree, hasLogin).includes(EQUIVALENT_LABEL))
  )
    return undefined;
  const replacesLogin = hasLogin || oldMembers.some(({ line }) => line.name === 'require');
  return `Equivalent${replacesLogin ? `, ${inPlaceOf(oldMembers)}` : ''}:\n${treeText(tree)}`;
}

const IF_NO_HOST_RULES = 'if no `Order`, `Allow` or `Deny` line of another section applies here';

function inPlaceOf({ length }: readonly Member[]): string {
  return `in place of ${length === 1 ? 'this line' : 'these lines'} and the \`Require\` lines of the section`;
}

/**
 * A text for `help` that shows the new lines. `condition`: when they are equivalent, as a clause.
 */
function equivalentWithCondition(condition: string, tree: Tree24): string {
  return `Equivalent, ${condition}:\n${treeText(tree)}`;
}

/** The new lines as text. */
function treeText(tree: Tree24): string {
  return printTree(tree, { indent: '', indentStep: '    ', eol: '\n' }).trimEnd();
}

/** The title of the conversion. It shows the new line, if there is only one and it is short. */
function convertTitle(oldMembers: readonly Member[], tree: Tree24): string {
  const oneLineText = cachedOneLineText(tree);
  if (oneLineText !== null && oneLineText.length <= MAX_LINE_LENGTH_IN_TITLE) return `Convert to ${oneLineText}`;
  const spelledNames = new Map(oldMembers.map((each) => [each.line.name, spelledName(each.line)]));
  return `Convert ${joinedNames([...spelledNames.values()])} to Require lines`;
}

/** The names as a list in words: `Order, Allow and Deny`. */
function joinedNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const MAX_LINE_LENGTH_IN_TITLE = 49;

function fixesFor(
  scope: Scope,
  oldMembers: readonly Member[],
  section: SectionAsReadBy22,
  tree: Tree24,
  title: string,
  facts: FileFacts,
): Fix[] {
  const assumption =
    hasFact(facts, Fact.changesAddress) && treeComparesAddress(tree)
      ? '2.4 sees the address of the client, and not that of the proxy'
      : assumptionOf(scope, section, facts);
  const fixForBoth = fixForBothVersions(scope, oldMembers, tree);
  const conversionFix = fixMadeLater({ title, safety: 'suggestion', assumes: assumption }, () =>
    conversionEdits(scope, oldMembers, tree),
  );
  return fixForBoth ? [conversionFix, fixForBoth] : [conversionFix];
}

/**
 * The assumption under which a conversion of this section alone is right.
 * analysis/access-conversion.ts converts the sections of a whole configuration together.
 */
function assumptionOf(scope: Scope, section: SectionAsReadBy22, facts: FileFacts): string {
  if (scope.tag !== null && scope.tag.template !== Template.None)
    return 'no other section applies to the same requests';
  if (scope.body.templateLineCount > 0) return 'the template writes the same value in all places';
  if (section.obstacle === 'mixed-modules') return 'one matching Require line is enough';
  if (section.neverMatchingTexts.length > 0)
    return `no client has the host name ${section.neverMatchingTexts.map((word) => `"${word}"`).join(', ')}`;
  const isServerLevel = scope.tag === null && !scope.context.isHtaccess;
  if (isServerLevel) return 'no access control applies where this file is included';
  if (scope.members.some((member) => member.enclosingSections.some((section) => !isLimitSection(section))))
    return 'the condition around these lines is true in both versions';
  if (hasFact(facts, Fact.oldAccessLimited, Fact.oldAccessConditional, Fact.oddOperand))
    return 'no other access line of this file applies to the same URLs';
  if (hasFact(facts, Fact.silences)) return 'the access lines kept by a comment apply to other URLs';
  return ASSUMES_NOTHING_OUTSIDE;
}

/** The assumption that nothing outside of a file affects a section. */
export const ASSUMES_NOTHING_OUTSIDE = 'no other section, file or .htaccess restricts access to the same requests';

/** The edits that write the tree in place of the old lines, and remove `<Limit>` sections. */
function conversionEdits(
  { members, body, bodyOffset, tag }: Scope,
  oldMembers: readonly Member[],
  tree: Tree24,
): readonly Edit[] {
  const limitSections = new Set(members.flatMap(({ enclosingSections }) => enclosingSections.filter(isLimitSection)));
  const limits: { readonly section: Section; readonly offset: number }[] = [];
  if (limitSections.size > 0)
    forEachItem(body, bodyOffset, (section, offset) => {
      if (section instanceof Section && limitSections.has(section)) limits.push({ section, offset });
    });
  return editsFor24({
    oldLines: oldMembers,
    requireLines: members.filter(({ line }) => line.name === 'require'),
    tree,
    outerIndent: tag?.indent ?? '',
    ...limitsAround(limits, new Set(members.map(({ line }) => line))),
    commentsByOffset: commentsAbove(body, bodyOffset, [...oldMembers, ...limits]),
  });
}

/**
 * The fix that keeps the old lines for 2.2 in an `<IfModule>` and adds the new lines for 2.4. Null
 * if the old lines are in a condition or a `<Limit>`, or if other lines are between them.
 */
function fixForBothVersions(scope: Scope, oldMembers: readonly Member[], tree: Tree24): Fix | null {
  const isInConditional = oldMembers[0]!.enclosingSections.length > 0;
  const accessMembers = scope.members;
  const isOneBlock = accessMembers.every(
    (member, index) =>
      index === 0 || member.offset === accessMembers[index - 1]!.offset + accessMembers[index - 1]!.line.length,
  );
  if (isInConditional || !isOneBlock) return null;
  const lastMember = accessMembers[accessMembers.length - 1]!;
  return fixMadeLater({ title: 'Convert access control for both 2.2 and 2.4', safety: 'suggestion' }, () => [
    {
      start: accessMembers[0]!.offset,
      end: lastMember.offset + lastMember.line.length,
      text: textOfBoth(scope, oldMembers, tree),
    },
  ]);
}

/** The lines for both versions: the old ones and the new ones, each in a condition. */
function textOfBoth({ members: lines, tag }: Scope, oldMembers: readonly Member[], tree: Tree24): string {
  const style = styleOfNewLines(oldMembers[0]!.line, tag?.indent ?? '');
  const { indent, indentStep, eol } = style;
  const innerStyle = { ...style, indent: indent + indentStep };
  const indentedOldLines = lines
    .map((member) => `${indentStep}${member.line.text.endsWith('\n') ? member.line.text : member.line.text + eol}`)
    .join('');
  const textForBoth =
    `${indent}<IfModule mod_authz_core.c>${eol}${printTree(tree, innerStyle)}${indent}</IfModule>${eol}` +
    `${indent}<IfModule !mod_authz_core.c>${eol}${indentedOldLines}${indent}</IfModule>${eol}`;
  return lines[lines.length - 1]!.line.text.endsWith('\n') ? textForBoth : textForBoth.slice(0, -eol.length);
}
