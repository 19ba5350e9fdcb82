import { parseOperand } from '../access/operand';
import {
  forEachNode,
  correctedOperands,
  readRequires,
  REQUIRE_NAMES,
  type RequireContainer,
  type Requirement,
  type RequireRoot,
} from '../access/require';
import { indentOf, type Word } from '../syntax/line';
import { contentSpan, lineEnd, quoted, replaceContent, replaceWord, shortened } from './support/edits';
import { helpForOperand } from './support/operand-help';
import { isIncludable, indentStepAt } from './support/scope';
import type { Finding, Fix, Scope, SectionRule } from './rule';
import { titleToChange, titleToChangeLine, fittingTitle } from './support/fix-title';

/**
 * Finds `Require ip` with an argument that is no address, `Require host` with an address, and
 * `Require env !NAME`.
 */
export const requireIpOperand: SectionRule = {
  id: 'require-ip-operand',
  title: '"Require ip", "Require host" or "Require env" with a wrong argument',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  isAboutSingleLines: true,
  names: [...REQUIRE_NAMES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_host.html#requiredirectives',
  examples: [
    {
      title: 'Addresses and host names on one line',
      before: '<Directory /srv>\n    Require ip 192.0.2.1 www.example.org 10.1\n</Directory>\n',
      after: '<Directory /srv>\n    Require ip 192.0.2.1 10.1\n    Require host www.example.org\n</Directory>\n',
      finds: ['host'],
    },
    {
      title: 'A host name inside RequireAll',
      before:
        '<Directory /srv>\n    <RequireAll>\n        Require ip 192.0.2.0/24 .example.org\n        Require not ip 192.0.2.7 bad.example.org\n        Require method GET\n    </RequireAll>\n</Directory>\n',
      after:
        '<Directory /srv>\n    <RequireAll>\n        <RequireAny>\n            Require ip 192.0.2.0/24\n            Require host .example.org\n        </RequireAny>\n        Require not ip 192.0.2.7\n        Require not host bad.example.org\n        Require method GET\n    </RequireAll>\n</Directory>\n',
      finds: ['host', 'host'],
    },
    {
      title: 'Commas, asterisks and networks such as 10.1/16',
      before:
        '<Directory /srv>\n    Require ip 192.0.2.1, 192.0.2.2,192.0.2.3\n    Require ip 10.1.* 172.16/12\n</Directory>\n',
      after:
        '<Directory /srv>\n    Require ip 192.0.2.1 192.0.2.2 192.0.2.3\n    Require ip 10.1 172.16.0.0/12\n</Directory>\n',
      finds: ['not-an-address', 'not-an-address', 'not-an-address', 'not-an-address'],
    },
    {
      title: 'An address after Require host',
      before: '<Directory /srv>\n    Require host 192.0.2.1\n</Directory>\n',
      after: '<Directory /srv>\n    Require ip 192.0.2.1\n</Directory>\n',
      finds: ['address-for-host'],
    },
    {
      title: 'Require env with !',
      before: '<Location /a>\n    Require env !robot\n    Require valid-user\n</Location>\n',
      after:
        '<Location /a>\n    <RequireAll>\n        Require all granted\n        Require not env robot\n    </RequireAll>\n    Require valid-user\n</Location>\n',
      finds: ['negated-variable'],
    },
  ],
  check(scope) {
    const rootNode = readRequires(scope.members, scope.body, scope.bodyOffset);
    if (rootNode === null || scope.context.containers.includes('macro')) return [];
    const findings: Finding[] = [];
    forEachNode(rootNode, (node, parent) => {
      if (node.type !== 'require' || node.require.hasVariable) return;
      const provider = node.require.provider?.value;
      if (provider === 'ip') findings.push(...findingsOfIp(node, parent, scope));
      else if (provider === 'host') findings.push(...findingsOfHost(node));
      else if (provider === 'env') findings.push(...findingsOfEnv(node, parent, scope));
    });
    return findings;
  },
};

/** What contains a Require line: the top level of a section, or a Require section. */
type RequireParent = RequireRoot | RequireContainer;

/** The findings for wrong arguments of `Require ip`. */
function findingsOfIp(node: Requirement, parent: RequireParent, scope: Scope): Finding[] {
  const { line, offset } = node;
  const { operands } = node.require;
  if (operands.some((word) => word.value.includes('#'))) return [];
  if (operands.length === 0) {
    return [
      {
        messageId: 'nothing',
        what: '`Require ip` needs an address',
        help: 'Add an address or a network, such as `192.0.2.0/24`, or remove the line.',
        serverText: "'require ip' requires an argument",
        ...contentSpan(line, offset),
      },
    ];
  }
  // httpd ignores the words after an empty word.
  const emptyWordIndex = operands.findIndex((word) => word.value === '');
  const wordsReadByHttpd = emptyWordIndex < 0 ? operands : operands.slice(0, emptyWordIndex);
  const wrongWords = wordsReadByHttpd.filter((word) => parseOperand(word.value).kind !== 'ip');
  const hostWords = wrongWords.filter((word) => parseOperand(word.value).kind === 'host');
  // If all wrong words are host names, one fix moves them to a `Require host` line.
  const splitFixes =
    hostWords.length > 0 && hostWords.length === wrongWords.length && emptyWordIndex < 0 && !line.isJoined
      ? [fixSplittingLine(node, hostWords, parent, scope)]
      : [];
  return wrongWords.map((word) => {
    const span = { start: offset + word.start, end: offset + word.end };
    if (hostWords.includes(word)) {
      return {
        messageId: 'host',
        what: `\`Require ip\` does not take the host name \`${shortened(word.value)}\``,
        help: `Use \`Require host ${shortened(word.value)}\`.`,
        serverText: `ip address '${word.value}' appears to be invalid`,
        ...span,
        fixes: splitFixes,
      };
    }
    return {
      messageId: 'not-an-address',
      what: `\`Require ip\`: \`${shortened(word.value)}\` is no valid address or network`,
      help: helpForOperand(word.value, 'Require all granted'),
      serverText: `ip address '${word.value}' appears to be invalid`,
      ...span,
      fixes: fixesToMeantOperands(word, wordsReadByHttpd, node),
    };
  });
}

/** The fixes that replace a wrong argument of `Require ip` by what the user probably meant. */
function fixesToMeantOperands(word: Word, operands: readonly Word[], { line, offset, require }: Requirement): Fix[] {
  const correctedWords = correctedOperands(word.value);
  if (word.value.replace(/[,;]/g, '') === '')
    return [
      {
        title: `Remove ${shortened(word.value)} from Require`,
        safety: 'suggestion',
        edits: [{ start: offset + word.start, end: offset + word.end, text: '' }],
      },
    ];
  if (correctedWords === null) return [];
  if (correctedWords.includes('all')) {
    if (operands.length > 1 || require.isNegated) return [];
    return [
      {
        title: titleToChange(line.text.trim(), 'Require all granted'),
        safety: 'suggestion',
        assumes: 'you want to allow everyone',
        edits: [replaceContent(line, 'Require all granted', offset)],
      },
    ];
  }
  const newOperands = correctedWords.map(quoted).join(' ');
  return [
    {
      title: titleToChangeLine(line, replaceWord(word, newOperands, offset), offset),
      safety: 'suggestion',
      edits: [replaceWord(word, newOperands, offset)],
    },
  ];
}

/** The fix that moves host names from a `Require ip` line to a `Require host` line. */
function fixSplittingLine(node: Requirement, hostWords: readonly Word[], parent: RequireParent, scope: Scope): Fix {
  const { line, offset, require } = node;
  const notWord = require.isNegated ? 'not ' : '';
  const addresses = require.operands.filter((word) => !hostWords.includes(word)).map((word) => quoted(word.value));
  const newLines = [
    ...(addresses.length > 0 ? [`Require ${notWord}ip ${addresses.join(' ')}`] : []),
    `Require ${notWord}host ${hostWords.map((word) => quoted(word.value)).join(' ')}`,
  ];
  const needsNoContainer = newLines.length === 1 || parent.kind !== 'all' || require.isNegated;
  const title =
    addresses.length > 0
      ? fittingTitle(`Move ${hostWords[0]!.value} to a Require host line`, 'Move the names to a Require host line')
      : titleToChange(line.text.trim(), newLines[0]!);
  const isIncludeDoubtful = newLines.length > 1 && !require.isNegated && !('section' in parent) && isIncludable(scope);
  const indentStep = indentStepAt(node, scope);
  const replacementLines = needsNoContainer
    ? newLines
    : ['<RequireAny>', ...newLines.map((text) => indentStep + text), '</RequireAny>'];
  return {
    title,
    assumes: isIncludeDoubtful
      ? 'no <RequireAll> includes this file'
      : 'the line is to allow the clients with these names',
    safety: 'suggestion',
    edits: [replaceContent(line, replacementLines.join(lineEnd(line) + indentOf(line)), offset)],
  };
}

/** The findings for addresses after `Require host`. */
function findingsOfHost({ line, offset, require }: Requirement): Finding[] {
  const commentIndex = require.operands.findIndex((word) => word.value.includes('#'));
  const operands = commentIndex < 0 ? require.operands : require.operands.slice(0, commentIndex);
  const addresses = operands.filter((word) => parseOperand(word.value).kind === 'ip');
  if (addresses.length === 0 || require.provider === null) return [];
  const hasOnlyAddresses = addresses.length === require.operands.length;
  const fix: Fix = {
    title: titleToChangeLine(line, replaceWord(require.provider, 'ip', offset), offset),
    safety: 'suggestion',
    assumes: `you want to allow this address`,
    edits: [replaceWord(require.provider, 'ip', offset)],
  };
  return addresses.map((word) => ({
    messageId: 'address-for-host',
    what: `\`Require host\`: the address \`${shortened(word.value)}\` never matches`,
    cause: '`Require host` compares host names only.',
    help: 'Use `Require ip` for an address.',
    start: offset + word.start,
    end: offset + word.end,
    consequence: 'probably a mistake',
    fixes: hasOnlyAddresses && !line.isJoined ? [fix] : [],
  }));
}

/** The findings for `!NAME` after `Require env`. */
function findingsOfEnv(node: Requirement, parent: RequireParent, scope: Scope): Finding[] {
  const { line, offset, require, sectionsBetween } = node;
  const negatedWords = require.operands.filter((word) => /^!./.test(word.value));
  const canFix = require.operands.length === 1 && !require.isNegated && !line.isJoined && sectionsBetween.length === 0;
  return negatedWords.map((word) => {
    const variableName = word.value.slice(1);
    const indentStep = indentStepAt(node, scope);
    const isBesideAllowingLine =
      parent.kind === 'all' &&
      parent.children.some(
        (child) => child.line !== line && child.type === 'require' && !child.require.isNegated && child.isCertain,
      );
    const linesWithContainer = [
      '<RequireAll>',
      `${indentStep}Require all granted`,
      `${indentStep}Require not env ${quoted(variableName)}`,
      '</RequireAll>',
    ];
    const replacementLines = isBesideAllowingLine ? [`Require not env ${quoted(variableName)}`] : linesWithContainer;
    const fix: Fix = {
      title: isBesideAllowingLine
        ? titleToChange(line.text.trim(), `Require not env ${shortened(variableName)}`)
        : fittingTitle(
            `Write a <RequireAll> with Require not env ${variableName}`,
            'Write a <RequireAll> with Require not env',
          ),
      safety: 'suggestion',
      assumes: `you want to allow requests without the variable ${shortened(variableName)}`,
      edits: [replaceContent(line, replacementLines.join(lineEnd(line) + indentOf(line)), offset)],
    };
    return {
      messageId: 'negated-variable',
      what: `\`Require env ${shortened(word.value)}\` ${require.isNegated ? 'denies nobody' : 'allows nobody'}: the \`!\` is part of the name`,
      help: isBesideAllowingLine
        ? `Write \`Require not env ${shortened(variableName)}\`.`
        : `Write these lines instead: \`<RequireAll>\`, \`Require all granted\`, \`Require not env ${shortened(variableName)}\`, \`</RequireAll>\`.`,
      start: offset + word.start,
      end: offset + word.end,
      consequence: 'probably a mistake',
      fixes: canFix ? [fix] : [],
    };
  });
}
