import { expressionError } from '../directives/expressions';
import { parseStringExpression } from '../syntax/expression';
import { argumentsOf, LineKind, spelledName, type Line, type Word } from '../syntax/line';
import { isNotEmpty, type NonEmpty } from '../syntax/some';
import { placedWord } from '../syntax/word-text';
import {
  contentSpan,
  fittingHeadline,
  containsVariable,
  NO_FINDINGS,
  removeLine,
  removeWord,
  renameDirective,
  replaceWord,
  shortened,
} from './support/edits';
import type { Context, Finding, Fix, LineRule } from './rule';
import { isBeforeChange } from './support/since';
import { titleToChangeLine, titleToChange, titleToRemove } from './support/fix-title';

/**
 * Finds values that 2.2 accepts and 2.4 refuses or reads differently, for directives without a rule
 * of their own.
 */
export const valueRefused: LineRule = {
  id: 'value-refused',
  title: 'Values that 2.2 accepted and 2.4 does not',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  get names() {
    return Object.keys(CHECK_BY_DIRECTIVE);
  },
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'Invalid words and numbers',
      before: 'ServerTokens Off\nKeepAliveTimeout 15x\nProxyIOBufferSize 100\n',
      after: 'ServerTokens Full\nKeepAliveTimeout 15\nProxyIOBufferSize 0\n',
      finds: ['server-tokens', 'not-a-number', 'io-buffer-size'],
    },
    {
      title: 'Text that contains %{',
      before: 'ErrorDocument 404 "No %{such} page"\n<Directory "/srv/www">\n    AuthName "%{realm}"\n</Directory>\n',
      after: 'ErrorDocument 404 "No \\%{such} page"\n<Directory "/srv/www">\n    AuthName "\\%{realm}"\n</Directory>\n',
      finds: ['expression', 'expression'],
    },
    {
      title: 'Values of login directives',
      before:
        '<Directory "/srv/www">\n    AuthUserFile /srv/users standard\n    AuthDigestAlgorithm MD5-sess\n    AuthDigestQop none\n</Directory>\n',
      after:
        '<Directory "/srv/www">\n    AuthUserFile /srv/users\n    AuthDigestAlgorithm MD5\n    AuthDigestQop auth\n</Directory>\n',
      finds: ['file-type', 'digest', 'digest'],
    },
    {
      title: 'A wildcard in ServerName',
      before: '<VirtualHost *:80>\n    ServerName *.example.org\n</VirtualHost>\n',
      after: '<VirtualHost *:80>\n    ServerAlias *.example.org\n</VirtualHost>\n',
      finds: ['server-name'],
    },
    { title: 'A time with a unit', before: 'KeepAliveTimeout 2min\n', after: 'KeepAliveTimeout 2\n', finds: ['unit'] },
    {
      title: 'Options in AllowOverride',
      before: '<Directory "/srv/www">\n    AllowOverride Options=+Indexes,FollowSymLinks\n</Directory>\n',
      after: '<Directory "/srv/www">\n    AllowOverride Options=Indexes,FollowSymLinks\n</Directory>\n',
      finds: ['override-options'],
    },
    {
      title: 'A CacheDisable line without a path',
      before: 'CacheEnable disk /\nCacheDisable private\n',
      after: 'CacheEnable disk /\n',
      finds: ['cache-disable'],
    },
  ],
  check({ line, context }) {
    if (line.kind !== LineKind.Directive || isBeforeChange(line.name, context.target)) return NO_FINDINGS;
    const words = argumentsOf(line);
    if (!isNotEmpty(words) || words.some(containsVariable)) return NO_FINDINGS;
    return CHECK_BY_DIRECTIVE[line.name]!({ line, words, context });
  },
};

/** A line whose arguments are checked. */
interface ValueInput {
  readonly line: Line;
  /** The arguments of the line. A line without arguments is not checked. */
  readonly words: NonEmpty<Word>;
  readonly context: Context;
}

/** Returns the findings for the arguments of a line. */
type ValueCheck = (value: ValueInput) => readonly Finding[];

const CHECK_BY_DIRECTIVE: Readonly<Record<string, ValueCheck>> = {
  servertokens: checkServerTokens,
  servername: checkServerName,
  authuserfile: checkFileType,
  authgroupfile: checkFileType,
  authdigestalgorithm: checkDigestAlgorithm,
  authdigestqop: checkDigestQop,
  keepalivetimeout: checkKeepAliveTimeout,
  cgidscripttimeout: checkScriptTimeout,
  proxyiobuffersize: checkIoBufferSize,
  allowoverride: checkOverrideOptions,
  sslcompression: checkCompression,
  sslengine: checkEngineOptional,
  cachedisable: checkCacheDisable,
  authname: ({ line, words, context }) => checkExpression(line, words[0]!, context),
  authtype: ({ line, words, context }) => checkExpression(line, words[0]!, context),
  errordocument: ({ line, words, context }) =>
    words.length > 1 ? checkExpression(line, words[1]!, context) : NO_FINDINGS,
  sethandler: ({ line, words, context }) => checkExpression(line, words[0]!, context),
};

/** The texts of a finding. */
type ValueTexts = Pick<Finding, 'what' | 'cause' | 'help' | 'serverText'>;
/** The parts of a finding besides its place and its texts. */
type OtherParts = Partial<Pick<Finding, 'consequence' | 'fixes' | 'tag'>>;

/** A list with one finding for the span, which has these parts. */
function findingsWith(
  messageId: string,
  { start, end }: { readonly start: number; readonly end: number },
  texts: ValueTexts,
  otherParts: OtherParts = {},
): readonly Finding[] {
  return [{ messageId, ...texts, start, end, ...otherParts }];
}

/** A list with the fix that replaces the word by `text`. */
function fixesReplacing(line: Line, word: Word, text: string, safety: Fix['safety']): readonly Fix[] {
  const edit = replaceWord(word, text);
  return [{ title: titleToChangeLine(line, edit), safety, edits: [edit] }];
}

/** Checks ServerTokens. 2.2 reads an unknown word as Full. */
function checkServerTokens({ line, words: [word, ...more] }: ValueInput): readonly Finding[] {
  if (more.length > 0 || word.value === '' || /^(prod(uctonly)?|major|minor|min(imal)?|os|full)$/i.test(word.value))
    return NO_FINDINGS;
  const message = {
    what: `\`ServerTokens\`: \`${shortened(word.value)}\` is not a valid value`,
    cause: 'httpd 2.2 used Full instead.',
    help: 'Write Full to keep the behaviour of 2.2, or Prod to hide the version.',
  };
  return findingsWith('server-tokens', word, message, {
    fixes: [...fixesReplacing(line, word, 'Full', 'safe'), ...fixesReplacing(line, word, 'Prod', 'suggestion')],
  });
}

/** Checks the name in ServerName for the characters that 2.4 refuses as a wildcard. */
function checkServerName({ line, words: [word, ...more], context }: ValueInput): readonly Finding[] {
  if (more.length > 0 || !/[*?]|\[[^[\]]*\]/.test(word.value)) return NO_FINDINGS;
  const message = {
    what: '`ServerName` cannot contain a wildcard',
    cause: /[*?]/.test(word.value)
      ? 'In 2.2 such a name matched no request.'
      : 'httpd 2.4 takes `[` and `]` for a wildcard, also around an IPv6 address.',
    help: /[*?]/.test(word.value) ? 'Use `ServerAlias` for a name with a wildcard.' : 'Write a name without brackets.',
  };
  const isVirtualHost = context.containers.join() === 'virtualhost';
  const fixes: Fix[] = isVirtualHost
    ? [
        {
          title: 'Rename ServerName to ServerAlias',
          safety: 'suggestion',
          assumes: 'the virtual host should serve these names, which it did not in 2.2',
          edits: [renameDirective(line, 'ServerAlias')],
        },
      ]
    : [];
  return findingsWith('server-name', word, message, { fixes });
}

/** Checks AuthUserFile and AuthGroupFile, whose second argument 2.4 does not have. */
function checkFileType({ line, words }: ValueInput): readonly Finding[] {
  // 2.2 refused any other second word.
  if (words.length !== 2 || words[1]!.value !== 'standard') return NO_FINDINGS;
  const message = {
    what: `\`${spelledName(line)}\` takes one argument in 2.4`,
    cause: 'In 2.2 the word "standard" had no effect.',
    help: 'Remove the word "standard".',
  };
  return findingsWith('file-type', words[1]!, message, {
    tag: 'unnecessary',
    fixes: [{ title: `Remove "standard" from ${spelledName(line)}`, safety: 'safe', edits: [removeWord(line, 1)] }],
  });
}

/** Checks AuthDigestAlgorithm for MD5-sess, which 2.4 refuses. */
function checkDigestAlgorithm({ line, words: [word] }: ValueInput): readonly Finding[] {
  if (!/^md5-sess$/i.test(word.value)) return NO_FINDINGS;
  const message = { what: '`AuthDigestAlgorithm MD5-sess` was removed', help: 'Use MD5, the default.' };
  return findingsWith('digest', word, message, {
    fixes: fixesReplacing(line, word, 'MD5', 'suggestion'),
  });
}

/** Checks AuthDigestQop for the words that 2.4 refuses. */
function checkDigestQop({ line, words }: ValueInput): readonly Finding[] {
  const refusedWord = words.find((word) => /^(none|auth-int)$/i.test(word.value));
  if (!refusedWord) return NO_FINDINGS;
  const [first, ...rest] = words;
  const edits = [replaceWord(first, 'auth'), ...rest.map((_, index) => removeWord(line, index + 1))];
  const message = {
    what: `\`AuthDigestQop ${refusedWord.value}\` was removed; only \`auth\` is left`,
    help: 'Write `AuthDigestQop auth`.',
  };
  return findingsWith('digest', refusedWord, message, {
    fixes: [
      {
        title: titleToChange(line.text.trim(), 'AuthDigestQop auth'),
        safety: 'suggestion',
        assumes: 'all clients support "qop"',
        edits,
      },
    ],
  });
}

/**
 * Checks KeepAliveTimeout. 2.2 reads a number with atoi() and ignores the rest; 2.4 reads a unit.
 */
function checkKeepAliveTimeout({ line, words: [word, ...more] }: ValueInput): readonly Finding[] {
  if (more.length > 0 || word.value === '') return NO_FINDINGS;
  const [, digits = '', unit = ''] = /^\s*(?!\s)([+-]?\d*)(?!\d)(.*)/s.exec(word.value)!;
  const seconds = parseInt(digits, 10) || 0;
  if (seconds < 0)
    return findingsWith('not-a-number', word, {
      what: '`KeepAliveTimeout` cannot be negative',
      help: 'Write a number of seconds.',
    });
  if (/^s?$/i.test(unit) && /\d/.test(digits)) return NO_FINDINGS;
  const fixes = fixesReplacing(line, word, String(seconds), 'safe');
  // 2.4 reads the units h, ms and mi, with any text after them (ap_timeout_parameter_parse).
  if (/\d/.test(digits) && /^(h|ms|mi)/i.test(unit)) {
    const message = {
      what: `\`KeepAliveTimeout ${shortened(word.value)}\`: httpd 2.4 uses the unit`,
      cause: `httpd 2.2 ignored the unit and used ${seconds} seconds.`,
      help: `Write ${seconds} to keep what 2.2 did, or the time that you want.`,
    };
    return findingsWith('unit', word, message, { consequence: 'meaning changed', fixes });
  }
  // Both versions read a unit without a number as 0, so nothing changes.
  if (digits === '' && /^(?:h|ms|mi|s)/i.test(unit)) return NO_FINDINGS;
  const message = {
    what: `\`KeepAliveTimeout\`: \`${shortened(word.value)}\` is not a valid time`,
    cause: `httpd 2.2 used ${seconds} seconds.`,
    help: `Write ${seconds}.`,
  };
  return findingsWith('not-a-number', word, message, { fixes });
}

/**
 * Checks CacheDisable as add_cache_disable in mod_cache.c of 2.4 does. In 2.2 a word without a
 * slash or a colon never matched, because it was compared with paths and schemes.
 */
function checkCacheDisable({ line, words: [word, ...more], context }: ValueInput): readonly Finding[] {
  if (more.length > 0 || /^\/|:/.test(word.value) || context.containers.some((name) => name !== 'virtualhost'))
    return NO_FINDINGS;
  const message = {
    what: `\`CacheDisable\`: \`${shortened(word.value)}\` is not a path or a URL`,
    cause: 'In 2.2 this line had no effect.',
    help: 'Remove the line, or write the URL path that should not be cached.',
  };
  return findingsWith('cache-disable', word, message, {
    fixes: [{ title: titleToRemove(line), safety: 'safe', edits: [removeLine(line)] }],
  });
}

/** Checks CGIDScriptTimeout, in which 2.4 refuses text without a number. */
function checkScriptTimeout({ line, words: [word, ...more] }: ValueInput): readonly Finding[] {
  // A unit without a number is 0 (ap_timeout_parameter_parse).
  if (more.length > 0 || /^\+?\d|^[+-]?(?:ms|s|mi|h)/i.test(word.value) || word.value === '') return NO_FINDINGS;
  return findingsWith('not-a-number', word, {
    what: `\`${spelledName(line)}\`: \`${shortened(word.value)}\` is not a number`,
    help: 'Write a number of seconds.',
  });
}

/**
 * Checks ProxyIOBufferSize. For values below 512, 2.2 uses its default. Of these values, 2.4
 * accepts only 0.
 */
function checkIoBufferSize({ line, words: [word, ...more] }: ValueInput): readonly Finding[] {
  const bufferSize = parseInt(word.value, 10);
  if (more.length > 0 || !(bufferSize < 512) || bufferSize === 0) return NO_FINDINGS;
  const message = {
    what: '`ProxyIOBufferSize` must be 512 or more, or 0',
    cause: 'httpd 2.2 used its default, 8192.',
    help: 'Write 0 for the default.',
  };
  return findingsWith('io-buffer-size', word, message, {
    fixes: fixesReplacing(line, word, '0', 'safe'),
  });
}

/** Matches one word of `Options=` that 2.4 accepts. It may be empty. */
const OPTION_WORD =
  /^(indexes|includes|includesnoexec|followsymlinks|symlinksifownermatch|execcgi|multiviews|all|none)?$/i;

/** Checks the words after `Options=` in AllowOverride. */
function checkOverrideOptions({ line, words }: ValueInput): readonly Finding[] {
  return words.flatMap((word) => {
    const options = /^options=(.*)$/is.exec(word.value)?.[1]!.split(',');
    if (!options || options.every((option) => OPTION_WORD.test(option))) return NO_FINDINGS;
    const plainOptions = options.map((option) => option.replace(/^[+-]/, ''));
    const message = {
      what: '`AllowOverride`: `Options=` takes option names without `+` or `-`',
      cause: 'httpd 2.2 did not check the words after `Options=`, and ignored unknown ones.',
      help: `Write \`Options=${shortened(plainOptions.join(','), 60)}\`.`,
    };
    const fixes =
      plainOptions.every((option) => OPTION_WORD.test(option)) && word.quote === ''
        ? fixesReplacing(line, word, `Options=${plainOptions.join(',')}`, 'suggestion')
        : [];
    return findingsWith('override-options', word, message, { fixes });
  });
}

/** Checks SSLCompression, which needs an OpenSSL with compression to be on. */
function checkCompression({ line, words: [word] }: ValueInput): readonly Finding[] {
  if (!/^on$/i.test(word.value)) return NO_FINDINGS;
  const message = {
    what: '`SSLCompression On`: most OpenSSL builds have no compression',
    cause: 'With such an OpenSSL, httpd does not start. Compression also allows the CRIME attack.',
    help: 'Write Off.',
  };
  return findingsWith('compression', word, message, {
    consequence: 'may not start',
    fixes: fixesReplacing(line, word, 'Off', 'suggestion'),
  });
}

/** Checks SSLEngine for the value that 2.4.64 and newer ignore. */
function checkEngineOptional({ line, words: [word] }: ValueInput): readonly Finding[] {
  if (!/^optional$/i.test(word.value)) return NO_FINDINGS;
  const message = {
    what: '`SSLEngine optional` is ignored since 2.4.64',
    cause: 'httpd no longer offers a change from HTTP to TLS within a connection (AH10510).',
    help: 'Remove the line. For TLS, use a virtual host with `SSLEngine on`.',
  };
  return findingsWith('ssl-optional', contentSpan(line), message, {
    consequence: 'ignored',
    fixes: [{ title: titleToRemove(line), safety: 'suggestion', edits: [removeLine(line)] }],
  });
}

/**
 * Checks text that 2.4 parses as an expression because it contains `%{`. Reports only errors,
 * because text without an error may be meant as an expression.
 */
function checkExpression(line: Line, word: Word, { isHtaccess, fileContext }: Context): readonly Finding[] {
  const expressionContext = { isHtaccess, modules: fileContext?.modules ?? null };
  const error = word.value.includes('%{')
    ? expressionError(parseStringExpression(word.value), expressionContext)
    : undefined;
  if (!error) return NO_FINDINGS;
  const directiveName = spelledName(line);
  if (error.id === 'jammed')
    return findingsWith('expression', word, {
      what: `\`${directiveName}\`: httpd 2.4 crashes while it reads this value`,
      cause: 'The value is an expression in 2.4. It has a quote in %{name:…}, or a backslash at the end.',
      serverText: 'flex scanner jammed',
    });
  const unescapedVariables = [...word.value.matchAll(/(\\?)%\{[^}]*\}?/g)].filter(([, escape]) => escape === '');
  const isRefused = ([text]: RegExpMatchArray) =>
    expressionError(parseStringExpression(text), expressionContext) !== undefined;
  const refusedText = unescapedVariables.find(isRefused)?.[0] ?? word.value.slice(error.start, error.end);
  const message = {
    what: fittingHeadline(
      `\`${directiveName}\`: \`${refusedText}\` is read as an expression now`,
      `\`${directiveName}\`: \`%{…}\` is read as an expression now`,
    ),
    help: 'To keep the text as it is, write `\\%{`.',
    serverText: error.serverText,
  };
  const isEachRefused =
    !word.value.includes('\\') && unescapedVariables.length > 0 && unescapedVariables.every(isRefused);
  const placedText = placedWord(line, word);
  // If the text has `%{` and `$1`, one fix must escape both. Otherwise the rule text-is-expression
  // would later escape the first one a second time.
  const escapeOffsets = [...word.value.matchAll(/%\{|\$(?=\d)/g)].map(({ index }) => placedText.lineOffsetOf(index));
  const fixes: Fix[] = isEachRefused
    ? [
        {
          title: `Change %{ to \\%{ in ${spelledName(line)}`,
          safety: 'safe',
          edits: escapeOffsets.map((start) => ({ start, end: start, text: '\\' })),
        },
      ]
    : [];
  return findingsWith('expression', word, message, { fixes });
}
