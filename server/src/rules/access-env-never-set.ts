import { parseOperand } from '../access/operand';
import { parseRequire } from '../access/require';
import { module } from '../directives';
import { isOneLetterAway } from '../validation/refusals';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { fittingHeadline, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Context, SectionRule, Finding, Fix, Summary } from './rule';
import { titleToChange } from './support/fix-title';

export const accessEnvNeverSet: SectionRule = {
  id: 'access-env-never-set',
  title: 'Access control by a variable that is never set',
  consequence: 'probably a mistake',
  fix: 'suggestion',
  checks: 'section',
  names: [
    'allow',
    'deny',
    'require',
    'setenvif',
    'setenvifnocase',
    'setenvifexpr',
    'browsermatch',
    'browsermatchnocase',
    'rewriterule',
    'setenv',
    'passenv',
    'loadmodule',
    'setenvifplus',
    'secrule',
    'secaction',
  ],
  url: 'https://httpd.apache.org/docs/2.4/env.html',
  examples: [
    {
      title: 'A misspelled variable',
      before:
        'SetEnvIf User-Agent "EvilBot" spambot\n<Location /a>\n    Order allow,deny\n    Allow from all\n    Deny from env=spambo\n</Location>\n',
      after:
        'SetEnvIf User-Agent "EvilBot" spambot\n<Location /a>\n    Order allow,deny\n    Allow from all\n    Deny from env=spambot\n</Location>\n',
      finds: ['never-set'],
    },
    {
      title: 'A variable that is set too late',
      before: 'PidFile logs/httpd.pid\nSetEnv let_me_in 1\n<Location /a>\n    Require env let_me_in\n</Location>\n',
      finds: ['set-too-late'],
    },
  ],
  checkFile({ facts, context, firstMatch, summaryOf }) {
    if (!hasFact(facts, Fact.asksVariables)) return NO_FINDINGS;
    const summary = summaryOf(VARIABLES_SUMMARY);
    if (summary === null) return NO_FINDINGS;
    if (summary.hasTooManyNames) return NO_FINDINGS;
    const isWholeConfiguration =
      hasFact(facts, Fact.isRoot) &&
      !hasFact(facts, Fact.includes, Fact.allowsOverride) &&
      !context.isHtaccess &&
      !summary.setsUnknownNames;
    const unsetVariables = [...summary.usedVariables].filter(
      (name) => !summary.setVariables.has(name) && !VARIABLES_OF_MODULES.test(name),
    );
    // isHttpdModuleWithoutScripts loads the facts about modules, which takes time. So it is called
    // only if some variable is never set.
    const isNeverSetCertain =
      unsetVariables.length > 0 &&
      isWholeConfiguration &&
      [...summary.loadedIdentifiers].every(isHttpdModuleWithoutScripts);
    return unsetVariables.flatMap((name) => {
      const similarNames = [...summary.setVariables].filter((candidate) => areOneTypoApart(name, candidate));
      const unusedSimilarNames = similarNames.filter(
        (candidate) => !summary.usedVariables.has(candidate) && name.length >= 4,
      );
      if (
        !isNeverSetCertain &&
        (unusedSimilarNames.length !== 1 ||
          summary.lateVariables.has(name) ||
          differOnlyInDigits(name, unusedSimilarNames[0]!))
      )
        return NO_FINDINGS;
      const placeOfUse = firstMatch(
        VARIABLES_SUMMARY,
        (part) => part.usedVariables.has(name),
        (line) => usesOf(line).some((use) => use.name.toLowerCase() === name),
      );
      return placeOfUse
        ? [findingOfVariable(placeOfUse.line, placeOfUse.offset, name, similarNames, summary.lateVariables.has(name))]
        : NO_FINDINGS;
    });
  },
};

const VARIABLES_SUMMARY: Summary<Variables> = {
  summarize(line, context) {
    if (context.containers.includes('macro')) return null;
    const variables = variablesOf(line, context);
    return variables && withinLimits(variables);
  },
  plus: joinedVariables,
};

/**
 * Environment variables that a part of a file uses and sets, with names in lower case. The sets
 * have a maximum size, so that joining those of two parts takes the same time in any file.
 */
interface Variables {
  readonly usedVariables: ReadonlySet<string>;
  readonly setVariables: ReadonlySet<string>;
  /** Variables that are set only after httpd has decided the access. */
  readonly lateVariables: ReadonlySet<string>;
  /** The first arguments of the LoadModule lines. */
  readonly loadedIdentifiers: ReadonlySet<string>;
  /** Whether a line may set variables whose names cannot be read from this file. */
  readonly setsUnknownNames: boolean;
  readonly hasTooManyNames: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_VARIABLES: Variables = {
  usedVariables: NO_NAMES,
  setVariables: NO_NAMES,
  lateVariables: NO_NAMES,
  loadedIdentifiers: NO_NAMES,
  setsUnknownNames: false,
  hasTooManyNames: false,
};
const TOO_MANY_VARIABLES: Variables = { ...NO_VARIABLES, hasTooManyNames: true };
const MAX_VARIABLES = 48;
const MAX_LOADED_MODULES = 200;

/**
 * Matches variables that modules of httpd or third-party modules (geoip_, mm_) set or read. The
 * rule does not report them, because no line of the configuration has to set them.
 */
const VARIABLES_OF_MODULES =
  /^(https|unique_id|redirect_.*|ssl_.*|script_ur[il]|geoip_.*|mm_.*|proxy-.*|remote_.*|server_.*|request_.*|http_.*)$/i;

/** The variables of both parts of a file. */
function joinedVariables(a: Variables, b: Variables): Variables {
  if (a.hasTooManyNames || b.hasTooManyNames) return TOO_MANY_VARIABLES;
  return withinLimits({
    usedVariables: union(a.usedVariables, b.usedVariables),
    setVariables: union(a.setVariables, b.setVariables),
    lateVariables: union(a.lateVariables, b.lateVariables),
    loadedIdentifiers: union(a.loadedIdentifiers, b.loadedIdentifiers),
    setsUnknownNames: a.setsUnknownNames || b.setsUnknownNames,
    hasTooManyNames: false,
  });
}

/**
 * Returns the variables, or TOO_MANY_VARIABLES if they exceed a limit. There is a limit, because
 * the rule searches all lines for each variable. Even one long line can exceed it.
 */
function withinLimits(variables: Variables): Variables {
  const { usedVariables, setVariables, lateVariables, loadedIdentifiers } = variables;
  if (loadedIdentifiers.size > MAX_LOADED_MODULES) return TOO_MANY_VARIABLES;
  return Math.max(usedVariables.size, setVariables.size, lateVariables.size) > MAX_VARIABLES
    ? TOO_MANY_VARIABLES
    : variables;
}

/** The names in either set. Returns a set that exists already if possible. */
function union(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a.size === 0) return b;
  return [...b].every((name) => a.has(name)) ? a : new Set([...a, ...b]);
}

/** The variables that a line uses or sets; null if there are none. */
function variablesOf(line: Line, context: Context): Variables | null {
  if (line.kind !== LineKind.Directive) return null;
  // A quick test: most rewrite rules set no variable, and there are many.
  if (line.name === 'rewriterule' && !line.isJoined && !/\$\{|[[,\s"]e(nv)?=/i.test(line.text)) return null;
  const lowerCaseSet = (list: readonly string[]) => new Set(list.map((name) => name.toLowerCase()));
  const words = argumentsOf(line).map((word) => word.value);
  const hasDynamicWord = (list: readonly string[]) => list.some((word) => word.includes('${') || /[%$]\d/.test(word));
  switch (line.name) {
    case 'allow':
    case 'deny':
    case 'require': {
      const usedNames = usesOf(line).map(({ name }) => name);
      return usedNames.length === 0 ? null : { ...NO_VARIABLES, usedVariables: lowerCaseSet(usedNames) };
    }
    case 'setenvif':
    case 'setenvifnocase':
    case 'setenvifexpr':
    case 'browsermatch':
    case 'browsermatchnocase': {
      const assignedWords = words.slice(line.name.startsWith('setenvif') && line.name !== 'setenvifexpr' ? 2 : 1);
      const setNames = assignedWords.filter((word) => !word.startsWith('!')).map((word) => word.split('=', 1)[0]!);
      return hasDynamicWord(setNames) || words.some((word) => word.includes('${'))
        ? { ...NO_VARIABLES, setsUnknownNames: true }
        : { ...NO_VARIABLES, setVariables: lowerCaseSet(setNames) };
    }
    case 'rewriterule':
      return variablesOfRewriteRule(line, context);
    case 'setenv':
    case 'passenv': {
      const lateNames = line.name === 'setenv' ? words.slice(0, 1) : words;
      return hasDynamicWord(lateNames)
        ? { ...NO_VARIABLES, setsUnknownNames: true }
        : { ...NO_VARIABLES, lateVariables: lowerCaseSet(lateNames) };
    }
    case 'loadmodule':
      return words[0] === undefined ? null : { ...NO_VARIABLES, loadedIdentifiers: new Set([words[0]]) };
    default:
      return { ...NO_VARIABLES, setsUnknownNames: true };
  }
}

/**
 * The variables that a rule sets with the flag `E`; null if it sets none. In a directory they are
 * late: httpd has checked the access before.
 */
function variablesOfRewriteRule(line: Line, { containers, isHtaccess }: Context): Variables | null {
  const flags = argumentsOf(line)[2]?.value ?? '';
  const assignedNames = [...flags.matchAll(/(?:^\[?|,)\s*(?:e|env)=([^,:\]!][^,:\]]*)/gi)].map((match) =>
    match[1]!.toLowerCase(),
  );
  if (assignedNames.length === 0) return flags.includes('${') ? { ...NO_VARIABLES, setsUnknownNames: true } : null;
  if (assignedNames.some((name) => /[$%]/.test(name))) return { ...NO_VARIABLES, setsUnknownNames: true };
  const isSetInTime = !isHtaccess && containers.every((name) => name === 'virtualhost');
  return isSetInTime
    ? { ...NO_VARIABLES, setVariables: new Set(assignedNames) }
    : { ...NO_VARIABLES, lateVariables: new Set(assignedNames) };
}

/** A variable in the condition of an access line. */
interface VariableUse {
  readonly name: string;
  /** Whether the condition is that the variable is not set: `env=!NAME`. */
  readonly isNegated: boolean;
  readonly start: number;
  readonly end: number;
}

/** The variables in the condition of a line, with the spans of their names. */
function usesOf(line: Line): VariableUse[] {
  if (line.kind !== LineKind.Directive) return [];
  if (line.name === 'allow' || line.name === 'deny') {
    return argumentsOf(line)
      .slice(1)
      .flatMap((word) => {
        const operand = parseOperand(word.value);
        return operand.kind === 'env' ? [useAtEndOf(word, operand.name, operand.isNegated)] : [];
      });
  }
  if (line.name !== 'require') return [];
  const { provider, operands, hasVariable } = parseRequire(line);
  if (provider?.value !== 'env' || hasVariable) return [];
  return operands
    .filter((word) => !word.value.startsWith('!') && !word.value.includes('#'))
    .map((word) => useAtEndOf(word, word.value, false));
}

/** A use of the variable whose name ends the word. A closing quote may follow the name. */
function useAtEndOf(word: Word, name: string, isNegated: boolean): VariableUse {
  const end = word.end - (word.quote !== '' && word.isTerminated ? 1 : 0);
  return { name, isNegated, start: end - name.length, end };
}

/**
 * The finding for a variable (`name`) in the condition of a line. `isLate`: some line sets the
 * variable, but only after httpd has decided the access.
 */
function findingOfVariable(
  line: Line,
  offset: number,
  name: string,
  similarNames: readonly string[],
  isLate: boolean,
): Finding {
  const use = usesOf(line).find((candidate) => candidate.name.toLowerCase() === name)!;
  const span = { start: offset + use.start, end: offset + use.end };
  // A variable that is not set fulfils `env=!NAME` for each request (find_allowdeny in
  // modules/aaa/mod_authz_host.c of 2.2 and mod_access_compat.c of 2.4).
  const isDenyingLine = line.name === 'deny' || (line.name === 'require' && parseRequire(line).isNegated);
  const effect = `So this condition ${isDenyingLine ? 'denies' : 'allows'} ${use.isNegated ? 'every' : 'no'} client.`;
  const condition = line.text.slice(use.start, use.end);
  const shownCondition = `${line.name === 'require' ? 'Require env ' : `${spelledName(line)} from env=${use.isNegated ? '!' : ''}`}${condition}`;
  const headlineStart = `\`${shownCondition}\` ${use.isNegated ? 'always' : 'never'} matches`;
  if (isLate) {
    return {
      messageId: 'set-too-late',
      what: fittingHeadline(
        `${headlineStart}: \`${use.name}\` is set too late`,
        `\`${spelledName(line)}\`: the variable is set too late`,
      ),
      cause: `httpd checks access before \`SetEnv\`, \`PassEnv\` and a \`RewriteRule\` in a directory set variables. ${effect}`,
      help: 'Set the variable with `SetEnvIf`.',
      ...span,
    };
  }
  const isSpelledLikeName = line.text.slice(use.start, use.end) === use.name;
  const fixes =
    similarNames.length === 1 && isSpelledLikeName
      ? [
          {
            title: titleToChange(use.name, similarNames[0]!),
            safety: 'suggestion',
            edits: [{ ...span, text: similarNames[0]! }],
          } satisfies Fix,
        ]
      : [];
  return {
    messageId: 'never-set',
    what: fittingHeadline(
      `${headlineStart}: \`${use.name}\` is never set`,
      `\`${spelledName(line)}\`: the variable is never set`,
    ),
    cause:
      similarNames.length === 0
        ? effect
        : `${effect} The configuration sets ${similarNames.map((name) => `\`${name}\``).join(' and ')}: perhaps you meant that name.`,
    help:
      similarNames.length === 1
        ? `Write \`${similarNames[0]!}\`, or set \`${use.name}\` with \`SetEnvIf\`.`
        : `Set \`${use.name}\` with \`SetEnvIf\`, or remove the condition.`,
    ...span,
    fixes,
  };
}

/** Whether the module comes with httpd and runs no scripts, which can set any variable. */
function isHttpdModuleWithoutScripts(identifier: string): boolean {
  return module(identifier) !== undefined && !/^(lua|perl|php\d?)_module$/.test(identifier);
}

/** Whether two names differ only in digits. `bad_bot1` is no misspelling of `bad_bot2`. */
function differOnlyInDigits(a: string, b: string): boolean {
  return a.replace(/\d+/g, '#') === b.replace(/\d+/g, '#');
}

/** Whether two names differ in one letter, or in the order of two letters. */
function areOneTypoApart(a: string, b: string): boolean {
  if (isOneLetterAway(a, b)) return true;
  const firstDifference = [...a].findIndex((letter, index) => letter !== b[index]);
  return (
    firstDifference >= 0 &&
    a.slice(0, firstDifference) + a[firstDifference + 1] + a[firstDifference] + a.slice(firstDifference + 2) === b
  );
}
