/**
 * Finds template text: text that a program replaces before httpd reads the file. Examples are
 * `@prefix@`, `<%= port %>` and `{% if open %}`. httpd then reads another text, with only one of
 * two branches, or with lines that are not in this file.
 *
 * All functions take the text of one logical line. httpd's own syntax is not template text:
 * `%{HTTP_HOST}`, `%h` and `%>s` of a LogFormat, `${NAME}`, `$1`, `[R=301,L]`, `{2,3}`, `[::1]`,
 * parameters of a macro. A text that can be both counts as httpd's syntax.
 */

/** How template text affects a line. */
export const enum Template {
  None = 0,
  /**
   * A directive, section tag or comment with a placeholder, such as `Listen {{ port }}`. The name
   * is known, the arguments are not.
   */
  Value = 1,
  /**
   * Any other template text: a statement, or a line whose name the template makes. It is unknown
   * what httpd reads.
   */
  Structure = 2,
}

/** Further traits of a line with template text, as bits. */
export const enum TemplateTrait {
  /**
   * A tag begins in the line and ends in a later line, so the text after the line is template text,
   * too.
   */
  Dangling = 4,
  /** The line is a statement of m4 or cpp. These programs may replace any word of the file. */
  AnyWord = 8,
}

/**
 * Whether a text may contain template text. This is one check for a whole text, so that the lines
 * of a plain file need no check. It may be true for a text in which `templateBitsOf` finds nothing.
 */
export function mayHaveTemplate(text: string): boolean {
  if (PATTERNS_ANYWHERE.some(({ sign, pattern }) => text.includes(sign) && pattern.test(text))) return true;
  const hasM4Word = M4_WORDS.test(text);
  if (hasM4Word && M4_COMMENT.test(text)) return true;
  return (hasM4Word || SIGNS_AT_START.some((sign) => text.includes(sign))) && PATTERN_AT_START.test(text);
}

/** How template text affects a logical line: a value of `Template`, and bits of `TemplateTrait`. */
export function templateBitsOf(text: string): number {
  let contentStart = 0;
  while (contentStart < text.length && text.charCodeAt(contentStart) <= 32) contentStart++;
  if (contentStart === text.length) return Template.None;
  const isComment = text.charCodeAt(contentStart) === HASH;
  if (isComment) {
    const statement = /^#[^#\s]/.test(text.slice(contentStart, contentStart + 2))
      ? COMMENT_STATEMENT.exec(text.slice(contentStart))
      : null;
    if (statement) return Template.Structure | (statement[1] === undefined ? 0 : TemplateTrait.AnyWord);
  } else if (LINE_STATEMENT.test(text.slice(contentStart)))
    return Template.Structure | (isDangling(text, 0) ? TemplateTrait.Dangling : 0);
  else if (MACRO_STATEMENT.test(text.slice(contentStart))) return Template.Structure | TemplateTrait.AnyWord;
  const bitsOfTags = templateBitsOfTags(text, contentStart, isComment);
  if ((bitsOfTags & Template.Structure) !== 0 || isComment) return bitsOfTags;
  const placeholder = PLACEHOLDER.exec(text);
  if (placeholder && placeholder.index < firstWordEnd(text, contentStart)) return Template.Structure;
  const macroBits = MACRO_CALL.test(text) ? Template.Value | TemplateTrait.AnyWord : 0;
  return bitsOfTags | (placeholder ? Template.Value : 0) | macroBits;
}

/** Whether a line that begins with `<` is template text and not a section tag. */
export function isMarkupLine(text: string): boolean {
  return MARKUP_LINE.test(text);
}

/**
 * Searches for the end of the tag that begins in `line` and is still open at the end of `line`.
 * Returns the offset after the tag in `rest`, which is the text after the line; -1 if the tag does
 * not end in `rest`.
 */
export function endOfOpenTag(line: string, rest: string): number {
  const closeMark = danglingClose(line);
  const closeIndex = closeMark === null ? -1 : rest.indexOf(closeMark);
  return closeIndex < 0 ? -1 : closeIndex + closeMark!.length;
}

/**
 * Whether a word looks like one that a shell, envsubst, Perl or Velocity replaces: `$PORT`,
 * `$(hostname)`, backquotes. This does not prove that the file is a template: `$name` is also a
 * parameter of a macro.
 */
export function isShellWord(word: string): boolean {
  return SHELL_WORD.test(word);
}

// ---------------------------------------------------------------------------------------------------------------------

const HASH = 35;

/** The start of a tag of Jinja, Go, Handlebars; ERB, EPP, Mako, EEx; Template Toolkit; PHP. */
const TAG_OPEN =
  /<#--|\{%(?=[-+~]?(?:\s|[A-Za-z_]|$))|(?<!%)\{\{|\{#|<%(?=[-=#|!@}{\s]|$)|^\s*<%|\[%(?=[-+=~#\s]|$)|^\s*\[%|<\?(?=php\b|=|\s|$)/g;

const CLOSE_BY_OPEN_MARK: Readonly<Record<string, string>> = {
  '{%': '%}',
  '{{': '}}',
  '{#': '#}',
  '<%': '%>',
  '[%': '%]',
  '<?': '?>',
  '<#--': '-->',
};

/** Matches statements of Go and Handlebars, whose brackets are the same as those of expressions. */
const CURLY_STATEMENT = /^\{\{[-~]?\s*(?:[#^/]|(?:if|else|end|range|with|define|template|block|break|continue)\b)/;
/** Matches statements that end a branch, such as `{% endif %}`. */
const END_STATEMENT = /^(?:\{%[-+~]?|<%[-_]?|\[%[-+=~]?|\{\{[-~]?|<\?(?:php)?)\s*(?:end|\/|\})/i;

/**
 * The tags that may begin in the middle of a line and end in a later line. An unclosed tag of any
 * other kind may be httpd's own syntax.
 */
const TAG_OPENING_INSIDE_LINE = /^(?:<%[-=#]|<\?(?:php|=)|\{%[-+~]?\s+[a-z]+)/i;

/** As `templateBitsOf`, for the tags in a line alone. `start`: where the first word begins. */
function templateBitsOfTags(text: string, start: number, isComment: boolean): number {
  let bits = Template.None as number;
  let depth = 0;
  let isStatement = false;
  TAG_OPEN.lastIndex = 0;
  for (let match = TAG_OPEN.exec(text); match; match = TAG_OPEN.exec(text)) {
    const openMark = match[0].trimStart();
    const tagStart = match.index + match[0].length - openMark.length;
    const closeIndex = text.indexOf(CLOSE_BY_OPEN_MARK[openMark]!, tagStart + 2);
    const startsInFirstWord = tagStart < firstWordEnd(text, start);
    if (closeIndex < 0) {
      const textFromTag = text.slice(tagStart);
      if (!startsInFirstWord && !TAG_OPENING_INSIDE_LINE.test(textFromTag)) continue;
      return Template.Structure | TemplateTrait.Dangling;
    }
    if (startsInFirstWord && !isComment)
      return Template.Structure | (isDangling(text, closeIndex) ? TemplateTrait.Dangling : 0);
    bits = Template.Value;
    const tag = text.slice(tagStart, closeIndex);
    if (
      openMark !== '{#' &&
      openMark !== '<#--' &&
      (openMark === '{{' ? CURLY_STATEMENT.test(tag) : !/^(?:<%[-_]?[=#]|<\?=|\[%[-+=~]?\s*(?![A-Z]{2,}\b))/.test(tag))
    ) {
      isStatement = true;
      depth += END_STATEMENT.test(tag) ? -1 : /\b(?:else|elsif|elif|elseif)\b/i.test(tag) ? 0 : 1;
    }
    TAG_OPEN.lastIndex = closeIndex + 2;
  }
  // A condition that begins and ends in this line affects only words of the line. Any other
  // condition decides whether whole lines exist.
  return isStatement && depth !== 0 ? Template.Structure : bits;
}

/**
 * The offsets of the complete tags in a text. Spaces and quotes inside a tag do not separate words.
 */
export function tagsIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  const tags: { start: number; end: number }[] = [];
  TAG_OPEN.lastIndex = 0;
  for (let match = TAG_OPEN.exec(text); match; match = TAG_OPEN.exec(text)) {
    const openMark = match[0].trimStart();
    const start = match.index + match[0].length - openMark.length;
    const closeMark = CLOSE_BY_OPEN_MARK[openMark]!;
    const closeIndex = text.indexOf(closeMark, start + 2);
    if (closeIndex < 0) break;
    tags.push({ start, end: closeIndex + closeMark.length });
    TAG_OPEN.lastIndex = closeIndex + closeMark.length;
  }
  return tags;
}

/** Whether a tag begins after `from` and does not end. */
function isDangling(text: string, from: number): boolean {
  return danglingClose(text, from) !== null;
}

/** The closing mark of a tag that begins after `from` and does not end. Null if all tags end. */
function danglingClose(text: string, from = 0): string | null {
  TAG_OPEN.lastIndex = from;
  for (let match = TAG_OPEN.exec(text); match; match = TAG_OPEN.exec(text)) {
    const closeMark = CLOSE_BY_OPEN_MARK[match[0].trimStart()]!;
    const closeIndex = text.indexOf(closeMark, TAG_OPEN.lastIndex);
    if (closeIndex < 0) return closeMark;
    TAG_OPEN.lastIndex = closeIndex + 2;
  }
  return null;
}

/** The end of the first word: a name, or `<Name` of a tag. */
function firstWordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charCodeAt(end) > 32) end++;
  return end;
}

/**
 * Matches lines that consist of one statement of Smarty, Mako, HTML::Template, FreeMarker, Genshi,
 * JSP, XSLT or Embperl.
 */
const LINE_STATEMENT =
  /^(?:\{\/?(?:if|else|elseif|foreach|foreachelse|section|while|for|literal|include|assign|capture|strip)\b[^{}]*\}|%\s*(?:if|elif|else|endif|for|endfor|while|endwhile|try|except|endtry)\b|<\/?[#@](?:[a-z]|--)|<\/?(?:py|xsl|tal|xi|jsp|c):\w|<\/?tmpl_\w|<\/%|\[\$\s*\w+|\$(?:if|else|elseif|endif)\b[^$]*\$)/i;

/** Matches statements of Velocity, Cheetah and cpp, which httpd reads as comments. */
const COMMENT_STATEMENT =
  /^#(?:\{?(?:if|elseif|foreach|set|parse|macro|evaluate)\}?\s?\(\s?[$!"(\w]|\{?(?:else|end)\}?\s*$|(?:if|elif|unless|for|while)\s+(?:not\s+)?\$\w|end\s+(?:if|for|unless|while|def)\s*$|(?:set|def)\s+\$\w|\{[A-Za-z_@]|((?:ifdef|ifndef)\s+\w+\s*$|if\s+(?:defined\b|[01]\s*$)|endif\s*$|endif\s+\/))/;

/** Matches lines that begin with a statement of m4, or with the rest of one. */
const MACRO_STATEMENT =
  /^(?:dnl\b|(?:m4_)?(?:ifdef|ifelse|define|undefine|include|sinclude|divert|undivert|changequote|changecom|pushdef|popdef|forloop|foreach|syscmd|esyscmd)\s?\(|m4_\w+|(?:un)?divert\b|['`][,)]|'\s*$|',)/;
/** Matches calls of m4 anywhere in a line. */
const MACRO_CALL = /\b(?:ifdef|ifelse|esyscmd|m4_\w+)\(|\sdnl\b/;

/**
 * Matches words that a program replaces: autoconf, Debian, `__X__`, Smarty, Ruby, Python,
 * StringTemplate.
 */
const PLACEHOLDER = new RegExp(
  [
    '(?<![\\w.+@-])@@?[A-Za-z_][\\w.]*@@?(?!\\w)',
    '@[A-Z][A-Z0-9_]*@',
    '(?<![A-Za-z0-9_])__[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*__(?![A-Za-z0-9_])',
    '(?<![\\w%\\\\}])%%?(?![0-9A-Fa-f]{2}%)[A-Za-z]\\w*[A-Za-z0-9]%%?(?![\\w<>!{%])',
    '\\$\\$[A-Za-z_]\\w*\\$\\$|(?<![\\w$\\\\)\\]*+?.])\\$[A-Za-z_][\\w.]*\\$(?!\\w)',
    '(?<!#)##[A-Za-z_]\\w*##(?!#)',
    '(?<![\\\\\\w])#\\{[A-Za-z_@][^{}]*\\}',
    '%\\([A-Za-z_]\\w*\\)[sdifr]',
    '(?<![%$\\\\])\\{\\$[A-Za-z_][^{}]*\\}',
    '<tmpl_var\\b|<TMPL_VAR\\b',
    // Conditions that begin and end in one line.
    '#(?:if|foreach|set)\\([$!"\\w(]|<#[a-z]+\\b[^>]*>|<#--|\\{(?:if|foreach)\\s[^{}]*\\}',
  ].join('|'),
);

const MARKUP_LINE = /^\s*<\/?(?:[%?#@$!]|(?:py|xsl|tal|xi|jsp|c):|tmpl_)/i;

const SHELL_WORD = /^["']?(?:\$!?[A-Za-z_][\w.]*|\$!?\{[^}]+\}|\$\([^)]+\)|`[^`]+`)["']?$/;

/**
 * Patterns that may match at any offset, each with a character that every match contains. A pattern
 * is tried only if the text has its character, because searching for a character takes a tenth of
 * the time. Separate patterns are also faster than one combined pattern.
 */
const PATTERNS_ANYWHERE: readonly { readonly sign: string; readonly pattern: RegExp }[] = [
  { sign: '<', pattern: /<\/?(?:[#@%?]|(?:py|xsl|tal|xi|jsp|c):|tmpl_)/i },
  { sign: '{', pattern: /\{(?:[%{#$]|(?:if|foreach)\s)/i },
  { sign: '[%', pattern: /\[%/ },
  { sign: '@', pattern: /@[\w.]+@/ },
  { sign: '__', pattern: /__[A-Za-z]/ },
  { sign: '%', pattern: /%(?:[A-Za-z]\w+%|\([A-Za-z_])/ },
  { sign: '#', pattern: /#(?:(?:if|foreach|set)\(|#[A-Za-z_]|\{)/i },
  { sign: '$', pattern: /\$[A-Za-z_][\w.]*\$/ },
  { sign: '(', pattern: /(?:ifdef|ifelse|esyscmd|m4_\w{1,40})\(/i },
];
const M4_COMMENT = /\sdnl\b/i;

/** Every match of `PATTERN_AT_START` contains one of these characters, or a match of `M4_WORDS`. */
const SIGNS_AT_START = ['{', '%', '$', '#', '(', "'", '`'];
const M4_WORDS = /dnl|m4_|divert/i;
const PATTERN_AT_START =
  /^[\0-\t\v\f\x0e-\x20]*(?:\{\/?[a-z]|%\s*[a-z]|\[\$|\$(?:if|else|elseif|endif)|#\{?(?:if|else|end|for|set|parse|macro|evaluate|elif|unless|while|def|if)|dnl|m4_|(?:un)?divert|\w+\s?\(|[`'][,)]|'[^\S\n]*$|',)/im;
