/**
 * What mod_rewrite makes of a request. Rules whose pattern or conditions do not match are passed
 * over; `[F]`, `[G]` and redirects are answers. Any other rule that matches makes the target
 * unknown: what it leads to is named, not guessed.
 */
import type { ConfigLine } from '../config/configuration';
import { rawArguments } from '../syntax/line';
import { parseRewriteCond, parseRewriteRule, type RewriteFlag, type RewriteRuleParts } from '../syntax/rewrite';
import { linesOf, type Asking } from './asking';
import type { Mapped, RewrittenUrl } from './mapped';
import { groupsOf, matchesRegex, substituted } from './patterns';
import { wordsOf } from './site';
import { requestValue } from './values';

const REWRITE = new Set(['rewriteengine', 'rewritecond', 'rewriterule', 'rewriteoptions', 'rewritebase']);

/** The rules of the server (hook_uri2file). They are not inherited by virtual hosts. */
export function rewritten(url: string, asking: Asking): Mapped | RewrittenUrl | null {
  const scope = asking.scopes.at(-1)!;
  const lines = linesOf(scope, REWRITE, asking);
  const inherits = lines.some((line) => line.line.name === 'rewriteoptions' && /inherit/i.test(wordsOf(line).join()));
  const above = asking.scopes.length > 1 ? linesOf(asking.scopes[0]!, REWRITE, asking) : [];
  const handed = above.some((line) => line.line.name === 'rewriteoptions' && /inheritdown/i.test(wordsOf(line).join()));
  if (!isOn(lines)) return null;
  const given = inherits || handed ? [...lines, ...above] : lines;
  return ruledUrl(given, url, asking);
}

/** The answer of the rules from some line on, each with the URL that the rules before it make. */
function ruledUrl(lines: readonly ConfigLine[], url: string, asking: Asking): Mapped | RewrittenUrl | null {
  const found = ruled(lines, { url, filename: url }, asking);
  const next = found?.kind === 'unknown' ? substitutedUrl(found, url) : null;
  if (!next) return found;
  const rest = next.isLast ? [] : lines.slice(lines.indexOf(next.line) + 1);
  return ruledUrl(rest, next.path, asking) ?? next;
}

/**
 * The URL that a rule of the server makes by a plain substitution: text with groups of the pattern.
 * Null if it is not known.
 */
function substitutedUrl(
  { line }: Extract<Mapped, { kind: 'unknown' }>,
  url: string,
): (RewrittenUrl & { readonly isLast: boolean }) | null {
  if (!line) return null;
  const rule = parseRewriteRule(rawArguments(line.expanded).value);
  const isLast = flagOf(rule, 'l', 'last', 'end') !== undefined;
  const isPlain = rule.flags.every(({ name }) => PLAIN_FLAGS.has(name.toLowerCase()));
  const text = rule.substitution?.value ?? '';
  if (!isPlain || rule.isNegated || !/^\/[\w./~-]*(?:\$\d[\w./~-]*)*$/.test(text)) return null;
  const groups = groupsOf(rule.pattern?.value ?? '', url, flagOf(rule, 'nc', 'nocase') !== undefined);
  if (groups === null) return null;
  const path = substituted(text, groups);
  return /\/\.|\/\/|[%?#]/.test(path) ? null : { kind: 'rewritten', path, line, isLast };
}

/** Flags that change nothing about the path of the target. */
const PLAIN_FLAGS = new Set([
  'l',
  'last',
  'end',
  'nc',
  'nocase',
  'qsa',
  'qsappend',
  'ne',
  'noescape',
  'qsd',
  'qsdiscard',
]);

/** The rules of a directory or .htaccess file (hook_fixup): `path` is the path below it. */
export function rewrittenIn(
  lines: readonly ConfigLine[],
  { path, filename }: { readonly path: string; readonly filename: string },
  asking: Asking,
): Mapped | null {
  const own = lines.filter(({ line }) => REWRITE.has(line.name));
  return isOn(own) ? ruled(own, { url: path, filename }, asking) : null;
}

// ---------------------------------------------------------------------------------------------------------------------

function isOn(lines: readonly ConfigLine[]): boolean {
  const engine = lines.findLast(({ line }) => line.name === 'rewriteengine');
  return engine !== undefined && wordsOf(engine)[0]?.toLowerCase() === 'on';
}

interface Subject {
  /** The text that the patterns of rules match. */
  readonly url: string;
  readonly filename: string;
}

function ruled(lines: readonly ConfigLine[], subject: Subject, asking: Asking): Mapped | null {
  let conditions: ConfigLine[] = [];
  let isChainBroken = false;
  let skipped = 0;
  for (const line of lines) {
    if (line.line.name === 'rewritecond') conditions.push(line);
    if (line.line.name !== 'rewriterule') continue;
    const own = conditions;
    conditions = [];
    const rule = parseRewriteRule(rawArguments(line.expanded).value);
    if (skipped > 0) {
      skipped--;
      continue;
    }
    const isChained = flagOf(rule, 'c', 'chain') !== undefined;
    if (isChainBroken) {
      isChainBroken = isChained;
      continue;
    }
    if (!applies(rule, line, own, subject, asking)) {
      isChainBroken = isChained;
      continue;
    }
    const effect = effectOf(rule, line);
    if (effect !== null) return effect;
    skipped = Number(flagOf(rule, 's', 'skip')?.value ?? 0) || 0;
    if (flagOf(rule, 'l', 'last', 'end', 'n', 'next')) return null;
  }
  return null;
}

function flagOf({ flags }: RewriteRuleParts, ...names: readonly string[]): RewriteFlag | undefined {
  return flags.find(({ name }) => names.includes(name.toLowerCase()));
}

/** The answer or target of a rule that matches. Null if the next rule is asked. */
function effectOf(rule: RewriteRuleParts, line: ConfigLine): Mapped | null {
  if (flagOf(rule, 'f', 'forbidden')) return { kind: 'redirect', path: '', status: 403, line };
  if (flagOf(rule, 'g', 'gone')) return { kind: 'redirect', path: '', status: 410, line };
  const redirect = flagOf(rule, 'r', 'redirect');
  const target = rule.substitution?.value ?? '';
  if (redirect || /^https?:\/\//i.test(target))
    return { kind: 'redirect', path: target, status: Number(redirect?.value ?? 302) || 302, line };
  if (flagOf(rule, 'p', 'proxy')) return { kind: 'unknown', path: '', line };
  return target === '-' ? null : { kind: 'unknown', path: target, line };
}

function applies(
  rule: RewriteRuleParts,
  line: ConfigLine,
  conditions: readonly ConfigLine[],
  subject: Subject,
  asking: Asking,
): boolean {
  const { facts, site } = asking;
  const place = site.placeOf(line);
  const pattern = (rule.pattern?.value ?? '').replace(/^!/, '');
  const ignoreCase = rule.flags.some(({ name }) => /^(nc|nocase)$/i.test(name));
  if (matchesRegex(pattern, subject.url, { facts, place, ignoreCase }) === rule.isNegated) return false;
  let isMet = true;
  let isAlternative = false;
  for (const each of conditions) {
    const condition = parseRewriteCond(rawArguments(each.expanded).value);
    const isOr = condition.flags.some(({ name }) => /^(or|ornext)$/i.test(name));
    // `[OR]` joins a condition with the next one.
    isMet = isAlternative ? isMet || holds(each, subject, asking) : isMet && holds(each, subject, asking);
    if (!isMet && !isOr) return false;
    isAlternative = isOr;
  }
  return isMet;
}

function holds(line: ConfigLine, { filename }: Subject, asking: Asking): boolean {
  const { facts, site } = asking;
  const place = site.placeOf(line);
  const { test, pattern, kind, operator, isNegated, flags } = parseRewriteCond(rawArguments(line.expanded).value);
  const ignoreCase = flags.some(({ name }) => /^(nc|nocase)$/i.test(name));
  const plain = (pattern?.value ?? '').slice(isNegated ? 1 : 0);
  const name = /^%\{([\w:-]+)\}$/.exec(test?.value ?? '')?.[1];
  if (
    name !== undefined &&
    /^(REQUEST|SCRIPT)_FILENAME$/.test(name) &&
    kind === 'file-test' &&
    /^-[fd]$/.test(operator)
  )
    return (site.kind(filename) === (operator === '-f' ? 'file' : 'folder')) !== isNegated;
  const value = name === undefined ? null : requestValue(name, asking);
  if (value !== null && kind === 'regex') return matchesRegex(plain, value, { facts, place, ignoreCase }) !== isNegated;
  if (value !== null && kind === 'text' && operator === '=')
    return (value === plain.slice(1).replace(/^"(.*)"$/, '$1')) !== isNegated;
  return facts.holds(`rewrite ${line.line.text.trim()}`, {
    what: `whether \`${line.line.text.trim()}\` holds`,
    place,
  });
}
