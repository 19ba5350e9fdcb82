/**
 * The rules for the option `DebugLevel=` of two modules. In 2.4, LogLevel with a module's name
 * replaces it.
 */
import { containsVariable, NO_FINDINGS, removeLine, removeWord, wordsOfInput } from './support/edits';
import type { Finding, Fix, LineRule, LineRuleInput } from './rule';

/** The directive that has the option, and its module. */
interface DebugLevelOption {
  /** The directive with its usual capitals. */
  readonly directive: string;
  /** The name that LogLevel uses for the directive's module. */
  readonly module: string;
}

export const extFilterDebugLevel = debugLevelRule({
  id: 'ext-filter-debug-level',
  title: 'DebugLevel in ExtFilterOptions, now LogLevel ext_filter',
  directive: 'ExtFilterOptions',
  module: 'ext_filter',
  examples: [
    {
      title: 'DebugLevel with another option',
      before: '<Location />\n    ExtFilterOptions DebugLevel=1 LogStderr\n</Location>\n',
      after: '<Location />\n    ExtFilterOptions LogStderr\n</Location>\n',
      finds: ['debug-level'],
    },
    {
      title: 'DebugLevel without other options',
      before: '<Directory "/srv/www">\n    ExtFilterOptions DebugLevel=0\n</Directory>\n',
      after: '<Directory "/srv/www">\n</Directory>\n',
      finds: ['debug-level'],
    },
  ],
});

export const charsetDebugLevel = debugLevelRule({
  id: 'charset-debug-level',
  title: 'DebugLevel in CharsetOptions, now LogLevel charset_lite',
  directive: 'CharsetOptions',
  module: 'charset_lite',
  examples: [
    {
      title: 'DebugLevel with another option',
      before: '<Directory "/srv/www">\n    CharsetOptions NoImplicitAdd DebugLevel=3\n</Directory>\n',
      after: '<Directory "/srv/www">\n    CharsetOptions NoImplicitAdd\n</Directory>\n',
      finds: ['debug-level'],
    },
    {
      title: 'DebugLevel in a .htaccess file',
      file: '.htaccess',
      before: 'CharsetOptions DebugLevel=0\nCharsetSourceEnc ISO-8859-1\n',
      after: 'CharsetSourceEnc ISO-8859-1\n',
      finds: ['debug-level'],
    },
  ],
});

// ---------------------------------------------------------------------------------------------------------------------

/** Makes the rule about the option `DebugLevel` of one directive. */
function debugLevelRule({
  id,
  title,
  directive,
  module,
  examples,
}: DebugLevelOption & Pick<LineRule, 'id' | 'title' | 'examples'>): LineRule {
  return {
    id,
    title,
    consequence: 'will not start',
    fix: 'safe',
    needsLineIn22: true,
    checks: 'line',
    names: [directive.toLowerCase()],
    url: `https://httpd.apache.org/docs/2.4/mod/mod_${module}.html#${directive.toLowerCase()}`,
    examples,
    check: (ruleInput) => debugLevelFindings(ruleInput, { directive, module }),
  };
}

function debugLevelFindings(ruleInput: LineRuleInput, { directive, module }: DebugLevelOption): readonly Finding[] {
  const argumentWords = wordsOfInput(ruleInput);
  const levelWords = argumentWords.filter((word) => /^debuglevel=/i.test(word.value));
  if (levelWords.length === 0) return NO_FINDINGS;
  const hasNoOtherArgument = levelWords.length === argumentWords.length;
  const edits = hasNoOtherArgument
    ? [removeLine(ruleInput.line)]
    : levelWords.map((word) => removeWord(ruleInput.line, argumentWords.indexOf(word)));
  // httpd reads the value with atoi(): text that is no number is 0.
  const isLevelOff = levelWords.every(
    (word) => !containsVariable(word) && (parseInt(word.value.slice('debuglevel='.length), 10) || 0) <= 0,
  );
  const title = hasNoOtherArgument
    ? `Remove ${directive} ${levelWords[0]!.value}`
    : `Remove ${levelWords[0]!.value} from ${directive}`;
  const removal = hasNoOtherArgument ? 'Remove the line' : 'Remove `DebugLevel`';
  const fix: Fix = isLevelOff
    ? { title, safety: 'safe', edits }
    : { title, safety: 'suggestion', assumes: 'you do not need what DebugLevel logged', edits };
  return levelWords.map((word) => ({
    messageId: 'debug-level',
    what: `\`${directive}\`: the option \`DebugLevel\` was removed`,
    help: isLevelOff
      ? `${removal}. With the value 0 it logged nothing.`
      : `${removal}. For the same log, add \`LogLevel ${module}:trace8\`.`,
    start: word.start,
    end: word.end,
    fixes: [fix],
  }));
}
