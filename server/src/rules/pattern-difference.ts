import { isNewForServer } from '../config/target';
import { sectionAt } from '../access/require';
import { addTo } from '../syntax/groups';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { parseRewriteCond, parseRewriteRule, type RewriteArgument } from '../syntax/rewrite';
import { partOfText, placedRawArguments, placedWord, type PlacedText } from '../syntax/word-text';
import { fittingHeadline } from './support/edits';
import { mayRestrict } from './support/restricting';
import { neverMatches } from './support/rewrite';
import type { Consequence, Context, Finding, Fix, Member, Span, Scope, SectionRule } from './rule';
import { withoutClasses } from '../syntax/regex';
import { textOf } from '../syntax/tree';

// The patch releases of 2.4 that changed how patterns match: `$` before a final newline, merged
// slashes, and the dot that matches a newline.
const DOLLAR_CHANGED_SINCE = 30;
const SLASHES_MERGED_SINCE = 39;
const DOT_CHANGED_SINCE = 41;

export const patternDifference: SectionRule = {
  id: 'pattern-difference',
  title: 'Patterns that deny access and match other URLs in 2.4',
  consequence: 'access opens',
  comparesVersions: true,
  fix: 'suggestion',
  checks: 'section',
  names: [
    'files',
    'filesmatch',
    'location',
    'locationmatch',
    'rewriterule',
    'rewritecond',
    'redirectmatch',
    'mergeslashes',
    'setenvif',
    'setenvifnocase',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#mergeslashes',
  examples: [
    {
      title: 'The end of a name, and merged slashes',
      before:
        '<FilesMatch "\\.bak$">\n    Order allow,deny\n    Deny from all\n</FilesMatch>\n<LocationMatch "^/[^/]+/private">\n    Order allow,deny\n    Deny from all\n</LocationMatch>\n',
      after:
        '<FilesMatch "\\.bak\\n?$">\n    Order allow,deny\n    Deny from all\n</FilesMatch>\n<LocationMatch "^/[^/]+/private">\n    Order allow,deny\n    Deny from all\n</LocationMatch>\n',
      finds: ['end-of-name', 'merged-slashes'],
    },
    {
      title: 'Two slashes',
      before: 'RewriteEngine On\nRewriteRule ^/a//x - [F]\n',
      finds: ['two-slashes'],
    },
    {
      title: 'Not reported: a pattern that restricts nothing',
      before: '<FilesMatch "\\.css$">\n    ExpiresActive On\n</FilesMatch>\n',
      finds: [],
    },
  ],
  check(scope) {
    const mergesSlashes = !scope.members.some(
      ({ line }) => line.name === 'mergeslashes' && /\soff\s*$/i.test(line.text),
    );
    const patternsByKind = new Map<DifferenceKind, ComparedPattern[]>();
    let conditions: Member[] = [];
    for (const member of scope.members) {
      if (member.activity === 'inactive') continue;
      if (member.line.name === 'rewritecond') {
        conditions.push(member);
        continue;
      }
      const patternOfLine = patternOfMember(member, scope);
      const deniesRequests = member.line.name === 'rewriterule' && isDenyingRule(member.line);
      for (const each of [
        ...(deniesRequests ? conditions.flatMap(patternsOfCondition) : []),
        ...(patternOfLine === null ? [] : [patternOfLine]),
      ])
        for (const kind of differenceKindsOf(each, scope, mergesSlashes)) addTo(patternsByKind, kind, each);
      if (member.line.name === 'rewriterule') conditions = [];
    }
    return [...patternsByKind].map(([kind, [first, ...others]]): Finding => {
      const patterns = [first!, ...others];
      const { consequence, ...texts } = TEXT_BY_KIND[kind](first!.shownName);
      return {
        messageId: kind,
        consequence,
        ...texts,
        ...spanOf(first!),
        ...(others.length > 0 && { places: others.map(spanOf) }),
        fixes: kind === 'end-of-name' || kind === 'variable' ? [fixForFinalNewline(patterns)] : [],
      };
    });
  },
};

/** How a pattern matches in 2.4 in another way than in 2.2. Also the message id of the finding. */
type DifferenceKind = 'two-slashes' | 'end-of-name' | 'variable' | 'merged-slashes' | 'newline';

/** A pattern of a line that httpd compares with the path of a request. */
interface ComparedPattern {
  /** The pattern without its `!`. Its offsets count from the start of the line. */
  readonly text: PlacedText;
  readonly offset: number;
  readonly shownName: string;
  /**
   * Whether httpd compares the pattern with the path of the URL, and not with the path of a file.
   */
  readonly isOfUrl: boolean;
  /** Whether the pattern is in the tag of a section, not in a line. */
  readonly isOfSection: boolean;
  /** Set if the line only sets a variable, which other lines test. */
  readonly setsVariable?: true;
}

/** The texts of a finding about one kind of difference. */
type DifferenceText = Pick<Finding, 'what' | 'cause' | 'help' | 'helpForBothVersions' | 'mayStay'> & {
  readonly consequence: Consequence;
};

const TEXT_BY_KIND: Readonly<Record<DifferenceKind, (shownName: string) => DifferenceText>> = {
  'two-slashes': (shownName) => ({
    consequence: 'access opens',
    what: fittingHeadline(`${shownName} with \`//\` never matches in 2.4`, 'A pattern with `//` never matches in 2.4'),
    cause: 'Since 2.4.39 httpd merges slashes in the URL before it compares the pattern. So the line denies nothing.',
    help: 'Write one slash, or set `MergeSlashes Off`.',
    helpForBothVersions:
      'Put the line into `<IfModule !mod_authz_core.c>` for 2.2, and a copy with one slash into `<IfModule mod_authz_core.c>`.',
  }),
  'end-of-name': (shownName) => ({
    consequence: 'check after the upgrade',
    what: /files/i.test(shownName)
      ? fittingHeadline(
          `${shownName}: \`$\` no longer matches a file name that ends with a newline`,
          '`$` no longer matches a file name that ends with a newline',
        )
      : fittingHeadline(
          `${shownName}: \`$\` no longer matches before \`%0a\` at the end of the URL`,
          '`$` no longer matches before `%0a` at the end of the URL',
        ),
    cause: `Since 2.4.30 a URL such as \`/x.php%0a\` does not match \`\\.php$\`. This opens access only ${
      /files/i.test(shownName)
        ? 'to a file with such a name'
        : 'where such a URL leads to a file, a program or a backend'
    }.`,
    help: 'This matters only if users can upload files with any name, or if a handler (`SetHandler`) answers URLs of files that do not exist. Then write `\\n?$` instead of `$`. Else do nothing.',
    mayStay: true,
  }),
  variable: (shownName) => ({
    consequence: 'check after the upgrade',
    what: fittingHeadline(
      `${shownName}: \`$\` no longer matches before \`%0a\` at the end of the URL`,
      '`$` no longer matches before `%0a` at the end of the URL',
    ),
    cause: 'Since 2.4.30 `/x.php%0a` does not match `\\.php$`, and the variable is not set.',
    help: 'If a file or a program here answers URLs that end with a newline (`%0a`), write `\\n?$` instead of `$`. Else do nothing.',
    mayStay: true,
  }),
  'merged-slashes': (shownName) => ({
    consequence: 'check after the upgrade',
    what: fittingHeadline(
      `${shownName} now also applies to URLs with \`//\``,
      'The pattern now also applies to URLs with `//`',
    ),
    cause:
      'Since 2.4.39 httpd merges slashes in the URL first. In 2.2, for example, the pattern `/a/b` did not match the URL `/a//b`.',
    help: 'Check that no client needs such URLs.',
    mayStay: true,
  }),
  newline: (shownName) => ({
    consequence: 'check after the upgrade',
    what: fittingHeadline(
      `${shownName}: the dot now also matches a newline (\`%0a\`)`,
      'The dot now also matches a newline (`%0a`)',
    ),
    cause: 'Since 2.4.41 a URL with `%0a` matches.',
    help: 'Check that no client needs such URLs.',
    mayStay: true,
  }),
};

/** The differences that matter for a pattern. `mergesSlashes`: whether MergeSlashes is on. */
function differenceKindsOf(
  { text, isOfUrl, isOfSection, setsVariable }: ComparedPattern,
  { context }: Scope,
  mergesSlashes: boolean,
): DifferenceKind[] {
  const { target } = context;
  const plainPattern = withoutClasses(text.value.replace(/\\[^]/g, '\\a'), '[]');
  if (
    mergesSlashes &&
    isOfUrl &&
    isNewForServer(SLASHES_MERGED_SINCE, target) &&
    !context.isHtaccess &&
    /(?<!:)\/\//.test(text.value)
  )
    return ['two-slashes'];
  const kinds: DifferenceKind[] = [];
  if (
    isNewForServer(DOLLAR_CHANGED_SINCE, target) &&
    /\$\)*$/.test(plainPattern) &&
    !mayMatchNewline(text.value, target.patch)
  )
    kinds.push(setsVariable ? 'variable' : 'end-of-name');
  if (setsVariable) return kinds;
  if (
    mergesSlashes &&
    isOfUrl &&
    isOfSection &&
    isNewForServer(SLASHES_MERGED_SINCE, target) &&
    /^\^\//.test(plainPattern)
  )
    kinds.push('merged-slashes');
  if (kinds.length === 0 && isNewForServer(DOT_CHANGED_SINCE, target) && hasInnerDot(plainPattern))
    kinds.push('newline');
  return kinds;
}

/**
 * Whether the pattern has a dot other than a `.*` at its start or end. Whether the dot of such a
 * `.*` matches a newline does not matter, because the rest of the pattern matches anyway.
 */
function hasInnerDot(plainPattern: string): boolean {
  // A pattern that is only a dot matches every URL path, because no path is empty.
  if (/^\^?\(*\.\)*$/.test(plainPattern)) return false;
  return plainPattern
    .replace(/^\^?\(*\.[*+]/, '')
    .replace(/\.[*+]\)*(?:\$\)*)?$/, '')
    .includes('.');
}

/**
 * Whether the part before the final `$` may match a newline. It may if it is `\n?`, or a repeated
 * class that includes the newline, such as `[^/]+`. A repeated dot matches a newline only since
 * 2.4.41.
 */
function mayMatchNewline(pattern: string, patch: number): boolean {
  const [, last] = /(\\n\?|(?:\.|\[\^[^\]]*\]|\\[sDW])[*+])\)*\$\)*$/.exec(pattern) ?? [];
  return last !== undefined && (!last.startsWith('.') || patch >= DOT_CHANGED_SINCE);
}

/** The pattern of a line or tag that may deny requests. Null for other lines. */
function patternOfMember({ line, offset }: Member, scope: Scope): ComparedPattern | null {
  if (line.kind === LineKind.Directive)
    switch (line.name) {
      case 'rewriterule':
        return patternOfRule(line, offset, scope.context);
      case 'redirectmatch':
        return patternOfRedirect(line, offset);
      default:
        return patternOfVariable(line, offset, scope);
    }
  if (line.kind !== LineKind.Open || !line.isComplete) return null;
  const patternWord = patternInTag(line);
  if (patternWord === null || patternWord.value.includes('${')) return null;
  const section = sectionAt(scope.body, offset - scope.bodyOffset);
  if (section === null || !mayRestrict(section)) return null;
  const shownName = `\`<${spelledName(line)}>\``;
  return {
    text: placedWord(line, patternWord),
    offset,
    shownName,
    isOfUrl: line.name.startsWith('location'),
    isOfSection: true,
  };
}

/** The regular expression in the tag of a section; null if the tag has none. */
function patternInTag(line: Line): Word | null {
  const [first, second] = argumentsOf(line);
  if (line.name.endsWith('match')) return first ?? null;
  return first?.value === '~' ? (second ?? null) : null;
}

/** The pattern of a RewriteRule that denies requests; null for other rules. */
function patternOfRule(line: Line, offset: number, context: Context): ComparedPattern | null {
  if (!isDenyingRule(line)) return null;
  const ruleText = placedRawArguments(line);
  const { pattern, isNegated } = parseRewriteRule(ruleText.value);
  if (!pattern || isNegated || pattern.value.includes('${') || neverMatches(pattern.value, context)) return null;
  return comparedPattern(line, offset, ruleText, pattern);
}

/** Whether the line is a valid RewriteRule with the flag F or G, which denies requests. */
function isDenyingRule(line: Line): boolean {
  // A fast path: most rules have no such flag.
  if (!line.isJoined && !/\[[^[\]]*\b(?:f|forbidden|g|gone)\b/i.test(line.text)) return false;
  const { flags, error } = parseRewriteRule(placedRawArguments(line).value);
  return !error && flags.some(({ name }) => /^(f|forbidden|g|gone)$/i.test(name));
}

/**
 * A list with the pattern of a RewriteCond that tests the path of the request or of its file. The
 * list is empty for other lines.
 */
function patternsOfCondition({ line, offset }: Member): ComparedPattern[] {
  const conditionText = placedRawArguments(line);
  const { test, pattern, isNegated, kind, error } = parseRewriteCond(conditionText.value);
  if (error || !pattern || isNegated || kind !== 'regex' || pattern.value.includes('${')) return [];
  if (!/^%\{(?:REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|SCRIPT_NAME|PATH_INFO)\}$/i.test(test!.value)) return [];
  return [comparedPattern(line, offset, conditionText, pattern)];
}

/**
 * The pattern of a line about rewriting. `text`: the text of the line that contains the pattern.
 */
function comparedPattern(line: Line, offset: number, text: PlacedText, pattern: RewriteArgument): ComparedPattern {
  const patternStart = pattern.start + (pattern.quote === '' ? 0 : 1);
  const placedPattern = partOfText(text, patternStart, patternStart + pattern.value.length);
  return { text: placedPattern, offset, shownName: `\`${spelledName(line)}\``, isOfUrl: true, isOfSection: false };
}

/** The pattern of a RedirectMatch that answers 4xx; null for other lines. */
function patternOfRedirect(line: Line, offset: number): ComparedPattern | null {
  const [status, pattern] = argumentsOf(line);
  if (!pattern || !/^(4\d\d|gone)$/i.test(status!.value) || pattern.value.includes('${')) return null;
  return {
    text: placedWord(line, pattern),
    offset,
    shownName: `\`${spelledName(line)}\``,
    isOfUrl: true,
    isOfSection: false,
  };
}

/** Matches tests of a variable, such as `env=bad`, `env bad` and `%{ENV:bad}`. */
const VARIABLE_TEST = /\benv(?:=!?|:|[ \t]+)([\w-]+)/gi;

/**
 * The pattern of `SetEnvIf Request_URI` in a directory section or a .htaccess file, if lines of the
 * same section test its variable; otherwise null. Outside of such sections, mod_setenvif compares
 * the URL as the client sent it, with `%0a` for a newline (match_headers in mod_setenvif.c).
 */
function patternOfVariable(line: Line, offset: number, { context, body }: Scope): ComparedPattern | null {
  const [attribute, pattern, ...variables] = argumentsOf(line);
  if (!line.name.startsWith('setenvif') || attribute?.value.toLowerCase() !== 'request_uri') return null;
  if (!context.isHtaccess && context.containers.every((name) => name === 'virtualhost')) return null;
  if (!pattern || pattern.value.includes('${')) return null;
  const setNames = variables.map(({ value }) => value.replace(/^!|=.*/gs, '').toLowerCase());
  const testedNames = [...textOf(body).matchAll(VARIABLE_TEST)].map(([, name]) => name!.toLowerCase());
  if (!setNames.some((name) => testedNames.includes(name))) return null;
  const shownName = `\`${spelledName(line)}\``;
  return {
    text: placedWord(line, pattern),
    offset,
    shownName,
    isOfUrl: false,
    isOfSection: false,
    setsVariable: true,
  };
}

function spanOf({ text, offset }: ComparedPattern): Span {
  return { start: offset + text.lineOffsetOf(0), end: offset + text.lineEndOf(text.value.length) };
}

/** The fix that lets the patterns match before a final newline again. */
function fixForFinalNewline(comparedPatterns: readonly ComparedPattern[]): Fix {
  const count = comparedPatterns.length;
  return {
    title:
      count === 1
        ? 'Make the pattern match a final newline, too (\\n?$)'
        : `Make ${count} patterns match a final newline, too (\\n?$)`,
    safety: 'suggestion',
    assumes: 'file names can end in a newline',
    isAppliedAlone: true,
    edits: comparedPatterns.map(({ text, offset }) => {
      const dollarOffset = offset + text.lineOffsetOf(text.value.lastIndexOf('$'));
      return { start: dollarOffset, end: dollarOffset, text: '\\n?' };
    }),
  };
}
