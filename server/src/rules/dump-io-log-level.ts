import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommandText, removeLine } from './support/edits';
import { haveSameEnclosingSections, editsThatSetModuleLevel } from './support/log-level';
import type { Fix, Member, Scope, SectionRule } from './rule';
import { titleToRemove } from './support/fix-title';

export const dumpIoLogLevel: SectionRule = {
  id: 'dump-io-log-level',
  title: 'DumpIOLogLevel, now LogLevel dumpio:trace7',
  consequence: 'will not start',
  fix: 'suggestion',
  needsLineIn22: true,
  checks: 'section',
  isAboutSingleLines: true,
  // The rule does not report LogLevel, but the fix may have to change a LogLevel line.
  names: ['dumpiologlevel', 'loglevel'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_dumpio.html',
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
    const oldMembers = scope.members.filter(({ line }) => line.name === 'dumpiologlevel');
    return oldMembers.map((member) => ({
      messageId: 'removed',
      what: '`DumpIOLogLevel` was removed; `LogLevel dumpio:trace7` replaces it',
      cause: 'In 2.4 mod_dumpio always logs at the level trace7.',
      help: 'Write `LogLevel dumpio:trace7`, or remove the line if you do not need this log.',
      serverText: invalidCommandText(member.line),
      ...contentSpan(member.line, member.offset),
      tag: 'deprecated',
      fixes: fixesFor(scope, member, oldMembers),
    }));
  },
};

function fixesFor(scope: Scope, member: Member, oldMembers: readonly Member[]): Fix[] {
  const removal: Fix = {
    title: titleToRemove(member.line),
    safety: 'suggestion',
    assumes: 'you do not need the dump of requests and responses',
    edits: [removeLine(member.line, member.offset)],
  };
  const canSetLevel =
    oldMembers.every((other) => haveSameEnclosingSections(other, member)) &&
    argumentsOf(member.line).length === 1 &&
    !scope.context.isHtaccess;
  const edits = canSetLevel ? editsThatSetModuleLevel(scope, oldMembers, { module: 'dumpio', level: 'trace7' }) : null;
  return edits
    ? [
        {
          title: 'Change DumpIOLogLevel to LogLevel dumpio:trace7',
          safety: 'suggestion',
          assumes: 'you want the dump of requests and responses in the ErrorLog',
          edits,
        },
        removal,
      ]
    : [removal];
}
