import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommand, removeLine } from './support/edits';
import { isUnderSame, withModuleLevel } from './support/log-level';
import type { Fix, Member, Scope, SectionRule } from './rule';
import { removing } from './support/fix-title';

export const dumpIoLogLevel: SectionRule = {
  id: 'dump-io-log-level',
  title: 'DumpIOLogLevel, now LogLevel dumpio:trace7',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'section',
  standsAlone: true,
  // LogLevel is read for its effect on the fix.
  names: ['dumpiologlevel', 'loglevel'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_dumpio.html',
  page: {
    what: '`DumpIOLogLevel` was removed. In 2.4 mod_dumpio always logs at the level `trace7`.',
    why:
      'In 2.2 `DumpIOLogLevel` set the level of the messages, and `LogLevel` had to include this level. In 2.4 modules have their own levels, so `LogLevel` is enough. ' +
      '`LogLevel debug` was enough in 2.2. It is not enough in 2.4, because `trace7` is a more detailed level.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'DumpIOLogLevel', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      'Both fixes are suggestions, because `LogLevel`, `DumpIOInput` and `DumpIOOutput` can be in another place:\n\n' +
      '- Add `dumpio:trace7` to the `LogLevel` of the same section or file. If there is no `LogLevel` line, a new one replaces the `DumpIOLogLevel` line.\n' +
      '- Remove the line. mod_dumpio then logs nothing.\n\n' +
      'If a `LogLevel` line follows in another conditional section, only the second fix is available: that line would cancel the new level.',
    sources: [
      'modules/debugging/mod_dumpio.c (2.2: modules/debug) of both: dumpio_cmds, dumpit',
      'manual 2.4, mod_dumpio; core: LogLevel',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'DumpIOLogLevel with an existing LogLevel line',
      before: 'LogLevel debug\nDumpIOInput On\nDumpIOLogLevel debug\n',
      after: 'LogLevel debug dumpio:trace7\nDumpIOInput On\n',
      finds: ['removed'],
    },
    {
      title: 'DumpIOLogLevel without a LogLevel line',
      before: '<IfModule mod_dumpio.c>\n    DumpIOOutput On\n    DumpIOLogLevel notice\n</IfModule>\n',
      after: '<IfModule mod_dumpio.c>\n    DumpIOOutput On\n    LogLevel dumpio:trace7\n</IfModule>\n',
      finds: ['removed'],
    },
  ],
  check(scope) {
    const old = scope.members.filter(({ line }) => line.name === 'dumpiologlevel');
    return old.map((member) => ({
      messageId: 'removed',
      what: '`DumpIOLogLevel` was removed; `LogLevel dumpio:trace7` replaces it',
      cause: 'In 2.4 mod_dumpio always logs at the level trace7.',
      serverText: invalidCommand(member.line),
      ...contentSpan(member.line, member.offset),
      tag: 'deprecated',
      fixes: fixesFor(scope, member, old),
    }));
  },
};

function fixesFor(scope: Scope, member: Member, old: readonly Member[]): Fix[] {
  const remove: Fix = {
    title: removing(member.line),
    safety: 'suggestion',
    assumes: 'you do not need the dump of requests and responses',
    edits: [removeLine(member.line, member.offset)],
  };
  const isPlain =
    old.every((other) => isUnderSame(other, member)) &&
    argumentsOf(member.line).length === 1 &&
    !scope.context.isHtaccess;
  const edits = isPlain ? withModuleLevel(scope, old, { module: 'dumpio', level: 'trace7' }) : null;
  return edits
    ? [
        {
          title: 'Change DumpIOLogLevel to LogLevel dumpio:trace7',
          safety: 'suggestion',
          assumes: 'you want the dump of requests and responses in the ErrorLog',
          edits,
        },
        remove,
      ]
    : [remove];
}
