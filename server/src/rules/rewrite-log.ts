import { choiceQuestion } from '../access/open-question';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { contentSpan, invalidCommandText, containsVariable, removeLine, argumentValues } from './support/edits';
import { Fact, hasFact } from './support/facts';
import { haveSameEnclosingSections, editsThatSetModuleLevel } from './support/log-level';
import type { Edit, Finding, Fix, Member, Scope, SectionRule } from './rule';

export const rewriteLog: SectionRule = {
  id: 'rewrite-log',
  title: 'RewriteLog and RewriteLogLevel, now LogLevel rewrite:traceN',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  needsLineIn22: true,
  checks: 'section',
  isAboutSingleLines: true,
  // The rule reports only RewriteLog and RewriteLogLevel. The other two change the effect of a fix.
  names: ['rewritelog', 'rewriteloglevel', 'loglevel', 'rewriteoptions'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_rewrite.html#logging',
  examples: [
    {
      title: 'RewriteLog with an existing LogLevel line',
      before: 'LogLevel warn\nRewriteEngine On\nRewriteLog logs/rewrite_log\nRewriteLogLevel 3\n',
      after: 'LogLevel warn rewrite:trace3\nRewriteEngine On\n',
      finds: ['rewrite-log', 'rewrite-log-level'],
    },
    {
      title: 'RewriteLog without a LogLevel line',
      before:
        '<VirtualHost *:80>\n    RewriteEngine On\n    RewriteLog "/var/log/httpd/a-rewrite.log"\n    RewriteLogLevel 9\n</VirtualHost>\n',
      after: '<VirtualHost *:80>\n    RewriteEngine On\n    LogLevel rewrite:trace8\n</VirtualHost>\n',
      finds: ['rewrite-log', 'rewrite-log-level'],
    },
    {
      title: 'A log with level 0',
      before: '<VirtualHost *:80>\n    RewriteLog logs/rewrite_log\n    RewriteLogLevel 0\n</VirtualHost>\n',
      after: '<VirtualHost *:80>\n</VirtualHost>\n',
      finds: ['rewrite-log-off', 'rewrite-log-off'],
    },
  ],
  check(scope) {
    const oldMembers = scope.members.filter(({ line }) => isRewriteLogLine(line));
    const logState = logStateOf(scope, oldMembers);
    const fixes = fixesFor(scope, oldMembers, logState);
    return oldMembers.map(({ line, offset }) => ({
      ...findingOfLine(line, offset, logState, fixes),
      ...(scope.context.isHtaccess && TEXTS_IN_HTACCESS),
    }));
  },
};

/** The effect of RewriteLog and RewriteLogLevel in 2.2: a log, no log, or unknown. */
type LogState =
  | { readonly kind: 'on'; readonly level: number; readonly file: string }
  | { readonly kind: 'off'; readonly hasOnlyLevelZero: boolean; readonly cause: string; readonly shortCause: string }
  | { readonly kind: 'unclear' };

/** The texts for a .htaccess file, where no version allows a log. */
const TEXTS_IN_HTACCESS: Pick<Finding, 'cause' | 'help'> = {
  cause: 'Neither `RewriteLog` nor `LogLevel` is allowed in a .htaccess file.',
  help: 'Remove the line. For a log, ask the administrator of the server to set `LogLevel rewrite:trace2`.',
};

function isRewriteLogLine(line: Line): boolean {
  return line.name === 'rewritelog' || line.name === 'rewriteloglevel';
}

/** What these lines do in 2.2: write a log, write none, or unclear. */
function logStateOf(scope: Scope, oldMembers: readonly Member[]): LogState {
  const isServerContext = scope.context.containers.length === 0 || scope.context.containers.join() === 'virtualhost';
  const areValuesReadable = oldMembers.every(
    ({ line }) =>
      argumentsOf(line).length === 1 &&
      line.template === Template.None &&
      !(line.name === 'rewriteloglevel' && containsVariable(argumentValues(line)[0]!)),
  );
  if (
    !isServerContext ||
    scope.context.isHtaccess ||
    !areValuesReadable ||
    !oldMembers.every((member) => haveSameEnclosingSections(member, oldMembers[0]!))
  )
    return { kind: 'unclear' };
  // Of several lines with one name, the last one applies.
  const lastLineNamed = (name: string) => oldMembers.findLast(({ line }) => line.name === name);
  const file = lastLineNamed('rewritelog') ? argumentValues(lastLineNamed('rewritelog')!.line)[0]! : '';
  // 2.2 reads the number with atoi().
  const level = lastLineNamed('rewriteloglevel')
    ? parseInt(argumentValues(lastLineNamed('rewriteloglevel')!.line)[0]!, 10) || 0
    : 0;
  return level > 0 && file !== '' && file !== '/dev/null'
    ? { kind: 'on', level, file }
    : {
        kind: 'off',
        hasOnlyLevelZero: level <= 0 && !lastLineNamed('rewritelog'),
        shortCause:
          level <= 0 ? 'its level is 0' : file === '' ? 'no `RewriteLog` names a file' : 'it goes to /dev/null',
        cause:
          level > 0
            ? file === ''
              ? 'No `RewriteLog` line here names a file for the log.'
              : 'The log goes to /dev/null.'
            : lastLineNamed('rewriteloglevel')
              ? '`RewriteLogLevel` is 0 here, so 2.2 writes no log.'
              : 'No `RewriteLogLevel` line here turns on the log.',
      };
}

/** The fixes for all RewriteLog and RewriteLogLevel lines of a scope together. */
function fixesFor(scope: Scope, oldMembers: readonly Member[], state: LogState): Fix[] {
  const removalEdits = oldMembers.map(({ line, offset }) => removeLine(line, offset));
  if (state.kind === 'unclear') return [];
  if (state.kind === 'off') return [fixIfOff(scope, state.hasOnlyLevelZero, removalTitle(oldMembers), removalEdits)];
  const level = levelOf(state);
  const question = choiceQuestion(
    'rewrite-log',
    oldMembers.map(({ line }) => line.text.trim()),
  );
  const removalFix: Fix = {
    title: `${removalTitle(oldMembers)} without replacement`,
    safety: 'suggestion',
    assumes: 'you do not need the log of mod_rewrite',
    edits: removalEdits,
    choice: { openQuestion: question, values: ['none'] },
  };
  const edits = editsThatSetModuleLevel(scope, oldMembers, { module: 'rewrite', level });
  if (!edits) return [{ ...removalFix, title: removalTitle(oldMembers) }];
  const inheritingText =
    scope.context.containers.length === 0 ? '; virtual hosts without a LogLevel of their own also write it' : '';
  return [
    {
      title: `Change RewriteLog lines to LogLevel rewrite:${level}`,
      safety: 'suggestion',
      assumes: `you want this log in the ErrorLog and not in ${state.file}${inheritingText}`,
      edits,
      choice: { openQuestion: question, values: ['error-log'] },
    },
    removalFix,
  ];
}

/** The title of the fix, such as `Remove RewriteLog and RewriteLogLevel`. */
function removalTitle(oldMembers: readonly Member[]): string {
  return `Remove ${[...new Set(oldMembers.map(({ line }) => spelledName(line)))].join(' and ')}`;
}

/**
 * The fix for lines that log nothing by themselves. It is a suggestion if the missing level or file
 * may be set in another file, or may be inherited. A line with level 0 turns the log off, which is
 * the default of 2.4.
 */
function fixIfOff(scope: Scope, hasOnlyLevelZero: boolean, title: string, edits: readonly Edit[]): Fix {
  const isVirtualHost = scope.context.containers.length > 0;
  const inherits = isVirtualHost && scope.members.some(({ line }) => line.name === 'rewriteoptions');
  const isWholeScope = (isVirtualHost || hasFact(scope.facts, Fact.isRoot)) && !hasFact(scope.facts, Fact.includes);
  if (isWholeScope && (hasOnlyLevelZero || !inherits)) return { title, safety: 'safe', edits };
  return {
    title,
    safety: 'suggestion',
    assumes: 'no other line turns on the log of mod_rewrite',
    edits,
    choice: { openQuestion: choiceQuestion('rewrite-log'), values: ['error-log', 'none'] },
  };
}

/** The level of 2.4 that logs the same as the level of 2.2: `trace3`, or `traceN` if unknown. */
function levelOf(state: LogState): string {
  return `trace${state.kind === 'on' ? Math.min(state.level, 8) : 'N'}`;
}

/** The help for a line whose log is not known. A level of 2.2 is the same trace level, up to 8. */
function helpIfUnclear(line: Line): string {
  const level = line.name === 'rewriteloglevel' ? Number(argumentValues(line)[0] ?? NaN) : NaN;
  if (level <= 0) return 'Remove the line: with level 0, 2.2 writes no log.';
  if (level > 0)
    return `To log as with this line, write \`LogLevel rewrite:trace${Math.min(Math.trunc(level), 8)}\`. The messages go to the ErrorLog. If you do not need this log, remove the line.`;
  return 'Write `LogLevel rewrite:traceN`. N is the number of the `RewriteLogLevel` line, or 8 if the number is higher. The messages go to the ErrorLog.';
}

function findingOfLine(line: Line, offset: number, state: LogState, fixes: readonly Fix[]): Finding {
  const directiveName = line.name === 'rewritelog' ? 'RewriteLog' : 'RewriteLogLevel';
  const partsByState = {
    on: {
      what: `\`${directiveName}\` was removed; \`LogLevel rewrite:${levelOf(state)}\` replaces it`,
      cause: 'In 2.4 mod_rewrite writes to the ErrorLog.',
      help: `To keep this log, write \`LogLevel rewrite:${levelOf(state)}\`. If you do not need it, remove the line.`,
    },
    off: {
      what: `\`${directiveName}\` was removed; 2.2 writes no log here${state.kind === 'off' ? `, because ${state.shortCause}` : ''}`,
      cause: state.kind === 'off' ? state.cause : undefined,
      help: 'Remove the line.',
    },
    unclear: {
      what: `\`${directiveName}\` was removed; \`LogLevel rewrite:traceN\` (1 to 8) replaces it`,
      cause: 'In 2.4 mod_rewrite writes to the ErrorLog.',
      help: helpIfUnclear(line),
    },
  }[state.kind];
  return {
    messageId:
      state.kind === 'off' ? 'rewrite-log-off' : line.name === 'rewritelog' ? 'rewrite-log' : 'rewrite-log-level',
    ...partsByState,
    serverText: invalidCommandText(line),
    ...contentSpan(line, offset),
    tag: fixes[0]?.safety === 'safe' ? 'unnecessary' : 'deprecated',
    fixes,
  };
}
