import { isNewForServer } from '../config/target';
import { addTo } from '../syntax/groups';
import { LineKind, spelledName } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import { parseRewriteRule, type RewritePart, type RewriteRuleParts } from '../syntax/rewrite';
import { placedRawArguments, type PlacedText } from '../syntax/word-text';
import { contentSpan } from './support/edits';
import { neverMatches } from './support/rewrite';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';

/**
 * The patch numbers of the 2.4 releases with the changes that this rule reports, and with the new
 * flag BCTLS.
 */
const SPACE_REFUSED_SINCE = 56;
const FLAG_BCTLS_SINCE = 57;
const DOT_CHANGED_SINCE = 41;
const PREFIX_CHECKED_SINCE = 60;

/** Finds targets of `RewriteRule` that current releases of 2.4 refuse for some URLs. */
export const rewriteTarget: SectionRule = {
  id: 'rewrite-target',
  title: 'RewriteRule targets that 2.4 rejects for some URLs',
  consequence: 'meaning changed',
  comparesVersions: true,
  fix: 'suggestion',
  checks: 'section',
  names: ['rewriterule'],
  url: 'https://httpd.apache.org/docs/2.4/rewrite/flags.html',
  examples: [
    {
      title: 'A part of the URL in the query string',
      before: 'RewriteEngine On\nRewriteRule ^/wiki/(.*)$ /index.cgi?title=$1 [PT]\n',
      after: 'RewriteEngine On\nRewriteRule ^/wiki/(.*)$ /index.cgi?title=$1 [PT,B]\n',
      finds: ['space'],
    },
    {
      title: 'A part of the URL in the path',
      before: 'RewriteEngine On\nRewriteRule ^/old/(.*)$ /new/$1 [PT]\n',
      finds: ['question-mark'],
    },
    {
      title: 'A file path from a map',
      before:
        'RewriteEngine On\nRewriteMap hosts txt:conf/hosts.txt\nRewriteRule ^/s/([a-z]+)/index ${hosts:$1}/index.html\n',
      finds: ['prefix'],
    },
    {
      title: 'Not reported: a number in the query string',
      before: 'RewriteEngine On\nRewriteRule ^/item/([0-9]+)$ /item.cgi?id=$1 [PT]\n',
      finds: [],
    },
  ],
  check(scope) {
    const findings: Finding[] = [];
    const membersByKind = new Map<TargetKind, Member[]>();
    for (const member of scope.members) {
      if (member.activity === 'inactive' || member.line.kind !== LineKind.Directive) continue;
      const ruleText = placedRawArguments(member.line);
      const rule = parseRewriteRule(ruleText.value);
      const targetKind = targetKindOf(rule, scope);
      if (targetKind === 'space') findings.push(spaceFinding(member, rule, ruleText, scope));
      else if (targetKind !== null) addTo(membersByKind, targetKind, member);
    }
    for (const [kind, [first, ...others]] of membersByKind)
      findings.push({
        messageId: kind,
        consequence: 'check after the upgrade',
        mayStay: true,
        ...TEXT_BY_KIND[kind as keyof typeof TEXT_BY_KIND](spelledName(first!.line), [first!, ...others].map(ruleOf)),
        ...contentSpan(first!.line, first!.offset),
        ...(others.length > 0 && { places: others.map(({ line, offset }) => contentSpan(line, offset)) }),
      });
    return findings;
  },
};

/**
 * Why a target may be refused: a copied space, question mark or newline, or a path without a known
 * beginning. Also the message id of the finding.
 */
type TargetKind = 'space' | 'question-mark' | 'newline' | 'prefix';

/** 2.2 refuses flags that it does not know, so the rule needs a copy for 2.4 with the new flag. */
const COPY_FOR_24 =
  'put the rule into `<IfModule !mod_authz_core.c>` for 2.2, and a copy into `<IfModule mod_authz_core.c>`, with the flag';

const TEXT_BY_KIND = {
  'question-mark': (name: string, rules: readonly RewriteRuleParts[]) => ({
    what: `\`${name}\`: a URL with \`%3f\` gets 403 if the rule copies the \`%3f\``,
    cause:
      'Since 2.4.60 httpd answers 403 if a rule copies a decoded question mark into the path of the target.' +
      (rules.some(({ pattern }) => hasDot(pattern?.value ?? ''))
        ? '\nAnother change: a dot in the pattern also matches a newline (%0A). Usually you need not do anything about it.'
        : ''),
    // The help does not propose the flag `B`, because this flag would also escape slashes in copied
    // text.
    help: '`%3f` is an encoded question mark. If clients send such URLs, add the flag `UnsafeAllow3F` after the upgrade. Otherwise leave the rule as it is.',
    helpForBothVersions: `\`%3f\` is an encoded question mark. If clients send such URLs, ${COPY_FOR_24} \`UnsafeAllow3F\`. Otherwise leave the rule as it is.`,
  }),
  newline: (name: string) => ({
    what: `\`${name}\`: the dot now matches a newline`,
    cause: 'Since 2.4.41 a URL with `%0a` matches.',
    help: 'Check whether such URLs must not match.',
  }),
  prefix: (name: string) => ({
    what: `\`${name}\`: a target that is a file path can get 404 in 2.4`,
    cause:
      'Since 2.4.60 such a target is a URL path. A URL path works as before, and so does a file below DocumentRoot.',
    help: 'If it is a file path, write its beginning as text or `%{DOCUMENT_ROOT}`, or add the flag `UnsafePrefixStat`.',
    helpForBothVersions: `If it is a file path, write its beginning as text or \`%{DOCUMENT_ROOT}\`. Or ${COPY_FOR_24} \`UnsafePrefixStat\`.`,
  }),
} as const;

/** The finding for a rule that may copy a space into the query string. */
function spaceFinding({ line, offset }: Member, rule: RewriteRuleParts, text: PlacedText, { context }: Scope): Finding {
  const { target } = context;
  const variable = unescapedParts(rule, ' ').find((part) => isVariablePart(part) && part.start >= queryStartOf(rule));
  const fix = variable ? null : fixAddingFlagB(rule, text, offset);
  return {
    messageId: 'space',
    what: `\`${spelledName(line)}\`: a URL gets 403 if the rule copies a space into the query`,
    cause: 'Since 2.4.56 a query string with a space or a control character is rejected (AH10410, AH10411).',
    help: variable
      ? `Flags do not escape \`%{${variable.name}}\`. Match the whole URL (\`^.*$\`), write \`$0\` instead, and add the flag \`B\`.`
      : hasReferenceInPath(rule)
        ? target.patch >= FLAG_BCTLS_SINCE
          ? 'If clients send such URLs (with `%20`), add the flag `BCTLS` after the upgrade (2.2 does not know it). The rule then writes each space as `%20`, also in the path: do not add it if file names contain spaces.'
          : 'The flag `B` would also escape the slashes of the path. Match the query apart from the path, with a RewriteCond.'
        : `Add the flag \`B\`, which both versions have${target.patch >= FLAG_BCTLS_SINCE ? ', or after the upgrade `BCTLS`' : ''}.`,
    ...contentSpan(line, offset),
    fixes: fix === null ? [] : [fix],
  };
}

/**
 * Whether the target has a back-reference before its query string. The flag `B` would escape this
 * one, too.
 */
function hasReferenceInPath(rule: RewriteRuleParts): boolean {
  const query = queryStartOf(rule);
  return rule.parts.some(({ start, kind }) => start < query && kind !== 'variable');
}

/**
 * The fix that adds the flag `B`. Null if the flag would also escape the path of the target, or if
 * the rule is a redirect, whose target httpd escapes anyway.
 */
function fixAddingFlagB(rule: RewriteRuleParts, text: PlacedText, lineOffset: number): Fix | null {
  const { substitution, flags, arguments: list } = rule;
  if (hasReferenceInPath(rule) || isRedirect(substitution!.value, flags)) return null;
  const [, target, flagList] = list;
  const flagOffset =
    flagList === undefined
      ? target!.end
      : flagList.value.endsWith(']')
        ? flagList.end - (flagList.quote === '' ? 1 : 2)
        : -1;
  if (flagOffset < 0 || (flagList !== undefined && flags.length === 0)) return null;
  const insertOffset = lineOffset + text.lineEndOf(flagOffset);
  return {
    title: 'Add the flag B to RewriteRule',
    safety: 'suggestion',
    assumes: 'the program decodes its query string',
    edits: [{ start: insertOffset, end: insertOffset, text: flagList === undefined ? ' [B]' : ',B' }],
  };
}

/** Why 2.4 may refuse the target of a rule, or match other URLs; null if neither can happen. */
function targetKindOf(rule: RewriteRuleParts, { context }: Scope): TargetKind | null {
  const { pattern, substitution, flags, isNegated, error } = rule;
  if (error || !pattern || !substitution || substitution.value === '-' || isNegated) return null;
  if (neverMatches(pattern.value, context)) return null;
  const hasFlag = (...names: readonly string[]) => flags.some(({ name }) => names.includes(name.toLowerCase()));
  if (hasFlag('f', 'forbidden', 'g', 'gone')) return null;
  const { target } = context;
  const query = queryStartOf(rule);
  if (
    isNewForServer(SPACE_REFUSED_SINCE, target) &&
    (!isRedirect(substitution.value, flags) || hasFlag('ne', 'noescape')) &&
    unescapedParts(rule, ' ').some(({ start }) => start >= query)
  )
    return 'space';
  const isInServer = !context.isHtaccess && context.containers.every((name) => name === 'virtualhost');
  if (
    isNewForServer(PREFIX_CHECKED_SINCE, target) &&
    isInServer &&
    /^(\$\{[^}:]+:|%\d|%\{ENV:)/i.test(substitution.value) &&
    !hasFlag('pt', 'passthrough', 'p', 'proxy', 'c', 'chain', 'unsafeprefixstat') &&
    !isRedirect(substitution.value, flags)
  )
    return 'prefix';
  if (
    !hasFlag('unsafeallow3f') &&
    isNewForServer(PREFIX_CHECKED_SINCE, target) &&
    unescapedParts(rule, '?').some(({ start }) => start < query)
  )
    return 'question-mark';
  return isNewForServer(DOT_CHANGED_SINCE, target) &&
    target.patch < PREFIX_CHECKED_SINCE &&
    copyingParts(rule, '\n').length > 0 &&
    hasDot(pattern.value)
    ? 'newline'
    : null;
}

/** The start of the query string of the target, counted in the arguments of the rule. */
function queryStartOf({ substitution }: RewriteRuleParts): number {
  return queryStart(substitution!.value) + substitution!.start;
}

function isVariablePart({ kind }: RewritePart): boolean {
  return kind === 'variable';
}

/**
 * The parts of the target that copy the character from the URL and that no flag escapes. `B`
 * escapes only back-references (mod_rewrite.c: do_expand). `BCTLS` escapes spaces and control
 * characters in back-references.
 */
function unescapedParts(rule: RewriteRuleParts, character: ' ' | '?'): RewritePart[] {
  const escapesCharacter = rule.flags.some(
    ({ name }) => /^b$/i.test(name) || (character === ' ' && /^bctls$/i.test(name)),
  );
  return copyingParts(rule, character).filter((part) => isVariablePart(part) || !escapesCharacter);
}

/** The parts of the target that copy decoded text of the URL which may have the character. */
function copyingParts({ pattern, parts }: RewriteRuleParts, character: string): RewritePart[] {
  const mapParts = parts.filter(({ kind }) => kind === 'map');
  return parts.filter((part) => {
    if (mapParts.some(({ start, end }) => part.start > start && part.end <= end)) return false;
    if (part.kind === 'variable') return DECODED_VARIABLE.test(part.name);
    return part.kind === 'rule-reference' && mayMatchCharacter(groupText(pattern!.value, Number(part.name)), character);
  });
}

/** Matches variables whose value is a decoded path. */
const DECODED_VARIABLE = /^(REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|PATH_INFO)$/i;

/** Whether httpd answers with a redirect, so that the target is no path of the server. */
function isRedirect(target: string, flags: RewriteRuleParts['flags']): boolean {
  const hasFlag = (...names: readonly string[]) => flags.some(({ name }) => names.includes(name.toLowerCase()));
  return hasFlag('r', 'redirect') || (/^https?:\/\//i.test(target) && !hasFlag('p', 'proxy'));
}

/** The start of the query string, or the length of the target if there is none. */
function queryStart(target: string): number {
  let depth = 0;
  for (let i = 0; i < target.length; i++) {
    const character = target[i];
    if (character === '\\') i++;
    else if (character === '{') depth++;
    else if (character === '}') depth = Math.max(0, depth - 1);
    else if (character === '?' && depth === 0) return i;
  }
  return target.length;
}

/** The text of a group of the pattern; '' if there is none. Group 0 is the whole pattern. */
function groupText(pattern: string, group: number): string {
  if (group === 0) return pattern;
  const openParentheses: number[] = [];
  let groupCount = 0;
  let wantedDepth = -1;
  for (const { start } of piecesWith(pattern, '()')) {
    if (pattern[start] === '(') {
      const isGroup = !/^\(\?(?!P?<\w|'\w)/.test(pattern.slice(start, start + 5));
      if (isGroup && ++groupCount === group) wantedDepth = openParentheses.length;
      openParentheses.push(start);
    } else {
      const groupStart = openParentheses.pop();
      if (openParentheses.length === wantedDepth && groupStart !== undefined)
        return pattern.slice(groupStart + 1, start);
    }
  }
  return '';
}

/** Whether a dot, a class, an escape or a space in the pattern may match the character. */
function mayMatchCharacter(pattern: string, character: string): boolean {
  if (character === '\n') return hasDot(pattern);
  return piecesWith(pattern, '.\\[ ').some(({ start, end }) => {
    const piece = pattern.slice(start, end);
    return (
      piece === `\\${character}` ||
      (piece === ' ' && character === ' ') ||
      piece === '.' ||
      (/^(\[|\\[SWDs])/.test(piece) && regexMatches(`^${piece}$`, character) === true)
    );
  });
}

function ruleOf({ line }: Member): RewriteRuleParts {
  return parseRewriteRule(placedRawArguments(line).value);
}

/**
 * Whether the pattern has a dot that matches any character: not an escaped one or one in a class.
 */
function hasDot(pattern: string): boolean {
  return piecesWith(pattern, '.').length > 0;
}

/**
 * The escapes, classes and single characters of the pattern that begin with one of `characters`.
 * Leaves out all others to save time, because there may be thousands of rules.
 */
function piecesWith(pattern: string, characters: string): { readonly start: number; readonly end: number }[] {
  const pieces: { readonly start: number; readonly end: number }[] = [];
  // If a `[` has no end, no later `[` has an end, so the search for ends stops. Otherwise it would
  // take quadratic time.
  let mayHaveClassEnd = true;
  for (let start = 0, end = 0; start < pattern.length; start = end) {
    const firstCharacter = pattern[start]!;
    end = Math.min(pattern.length, start + (firstCharacter === '\\' ? 2 : 1));
    if (firstCharacter === '[' && mayHaveClassEnd) {
      CHARACTER_CLASS.lastIndex = start;
      const classMatch = CHARACTER_CLASS.exec(pattern);
      if (classMatch === null) mayHaveClassEnd = false;
      else end = start + classMatch[0].length;
    }
    if (characters.includes(firstCharacter)) pieces.push({ start, end });
  }
  return pieces;
}

const CHARACTER_CLASS = /\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*\]/y;
