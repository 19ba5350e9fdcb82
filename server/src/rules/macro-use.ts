import { shortened } from './support/edits';
import { lineNumberIn, sourceOfRow, type Expansion, type RefusedUse } from '../config/macro';
import { argumentsOf, contentEnd, contentStart, type Line } from '../syntax/line';
import type { Finding, RelatedPlace, LineRule } from './rule';

/** Finds errors in the text that a macro inserts, and reports them at the Use line. */
export const macroUse: LineRule = {
  id: 'macro-use',
  title: 'A Use line whose macro causes an error',
  consequence: 'will not start',
  fix: 'none',
  checks: 'line',
  names: ['use', 'undefmacro'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_macro.html',
  examples: [
    {
      title: 'A line that is not allowed at this place',
      before:
        '<Macro Site $root>\n    # All that a site has\n    DocumentRoot "$root"\n</Macro>\n<Directory "/srv/www">\n    Use Site /srv/www\n</Directory>\n',
      finds: ['refused'],
    },
    {
      title: 'An invalid argument',
      before: '<Macro Quiet $signature>\n    ServerSignature $signature\n</Macro>\nUse Quiet Off\nUse Quiet Never\n',
      finds: ['refused'],
    },
    {
      title: 'A missing argument',
      before:
        '<Macro Host $name $root>\n    <VirtualHost *:80>\n        ServerName $name\n        DocumentRoot "$root"\n    </VirtualHost>\n</Macro>\nUse Host www.example.org\n',
      finds: ['arguments'],
    },
  ],
  checkUse({ line, useResult, errors }) {
    if (useResult.kind === 'refused') return [findingOfRefusal(line, useResult)];
    const problems = [
      ...useResult.refusedUses.map(({ row, use }) => ({
        row,
        text: '',
        what: textsOfRefusal(use).what,
        isLoop: use.problem === 'recursive',
      })),
      ...errors,
    ].sort((a, b) => a.row - b.row);
    return problems.length === 0 ? NO_FINDINGS : [findingOfRefusedLines(line, useResult, problems)];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

const NO_FINDINGS: readonly Finding[] = [];

/** Maximum number of inserted lines with errors that the finding shows. */
const MAX_SHOWN_LINES = 3;

/** An error in a line that the macro inserts. */
interface InsertedProblem {
  /** The row of the inserted text, counted from 0. */
  readonly row: number;
  readonly text: string;
  readonly what: string;
  /** Whether httpd may accept the line, because a missing file may load the module. */
  readonly isUncertain?: true;
  /** Whether the line uses a macro that contains this line, directly or through another macro. */
  readonly isLoop?: boolean;
}

function findingOfRefusal(line: Line, refusedUse: RefusedUse): Finding {
  const { macro, problem } = refusedUse;
  const relatedPlaces: RelatedPlace[] = macro
    ? [
        {
          file: macro.file,
          line: macro.line,
          row: macro.row,
          rowOffset: 0,
          message: `The macro "${macro.name}" is defined here`,
        },
      ]
    : [];
  return {
    messageId: problem,
    ...(line.name === 'undefmacro' ? textsOfUndefined(refusedUse) : textsOfRefusal(refusedUse)),
    ...spanOf(line),
    related: relatedPlaces,
  };
}

type MessageTexts = Pick<Finding, 'what' | 'cause' | 'help' | 'serverText'>;

function textsOfUndefined({ name }: RefusedUse): MessageTexts {
  return {
    what: `\`UndefMacro\`: no macro \`${shortened(name)}\` is defined before it`,
    serverText: `cannot remove undefined macro '${name}'`,
  };
}

/** The texts for the reason why httpd refuses a Use line. */
function textsOfRefusal({ problem, name, macro, argumentCount, bodyRow }: RefusedUse): MessageTexts {
  const shownName = `\`${shortened(name)}\``;
  switch (problem) {
    case 'no-name':
      return {
        what: '`Use` needs the name of a macro',
        help: 'Write the name of a macro that is defined above.',
        serverText: 'no macro name specified with Use',
      };
    case 'none-defined':
    case 'undefined':
      return {
        what: `\`Use\`: no macro ${shownName} is defined before it`,
        help: 'Define the macro above this line, or use the name of a macro that is defined.',
        serverText: problem === 'undefined' ? `macro '${name.toLowerCase()}' undefined` : 'no macro defined before Use',
      };
    case 'arguments': {
      const macroParameters = macro!.parameters;
      return {
        what: `\`Use\`: macro ${shownName} takes ${macroParameters.length === 0 ? 'no arguments' : countText(macroParameters.length, 'argument')}, not ${argumentCount}`,
        ...(macroParameters.length > 0 && { cause: `The arguments are ${macroParameters.join(' ')}.` }),
        help: 'Give `Use` as many arguments as the macro takes.',
        serverText: `used with ${argumentCount} arguments instead of ${macroParameters.length}`,
      };
    }
    case 'recursive':
      return {
        what: `\`Use\`: macro ${shownName} uses itself, directly or through another macro`,
        help: 'Remove this line from the macro.',
        serverText: `recursive use of macro '${name.toLowerCase()}' is invalid`,
      };
    case 'too-long':
      return {
        what: `\`Use\`: line ${lineNumberIn(macro!, bodyRow)} of macro ${shownName} becomes too long`,
        help: 'Shorten this line of the macro, or the arguments of `Use`.',
        serverText: 'cannot substitute, buffer size too small',
      };
  }
}

/** The finding at a Use line about the inserted lines that httpd refuses. */
function findingOfRefusedLines(line: Line, expansion: Expansion, problems: readonly InsertedProblem[]): Finding {
  const shownProblems = problems.slice(0, MAX_SHOWN_LINES).map((problem) => {
    const { macro, bodyRow } = sourceOfRow(expansion, problem.row);
    const placeText = `Line ${lineNumberIn(macro, bodyRow)} of macro "${macro.name}"${problem.text ? ` (\`${shortenedLine(problem.text)}\`)` : ''}`;
    // An editor shows the text of this place below the message. It leaves out the reason, because
    // the message has it.
    const place: RelatedPlace = {
      file: macro.file,
      line: macro.line,
      row: macro.row,
      rowOffset: macro.line.lineEnds + bodyRow,
      message: placeText,
    };
    return { text: problem.isLoop ? `${placeText} uses it again.` : `${placeText}: ${problem.what}`, place };
  });
  const hiddenCount = problems.length - shownProblems.length;
  const isUncertain = problems.every((problem) => problem.isUncertain);
  const [{ row, isLoop = false, what: firstProblem }] = problems as readonly [InsertedProblem];
  const isOnlyLoop = problems.length === 1 && isLoop;
  const { macro: firstMacro, bodyRow: bodyRowOfFirst } = sourceOfRow(expansion, row);
  const what = isOnlyLoop
    ? firstProblem
    : problems.length === 1
      ? `\`Use\`: httpd 2.4 ${isUncertain ? 'may' : 'does'} not accept line ${lineNumberIn(firstMacro, bodyRowOfFirst)} of macro \`${shortened(firstMacro.name)}\``
      : `\`Use\` inserts ${problems.length} lines that httpd 2.4 ${isUncertain ? 'may' : 'does'} not accept`;
  const cause = [
    ...shownProblems.map(({ text }) => text),
    ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : []),
  ].join('\n');
  return {
    messageId: 'refused',
    ...(isUncertain && { consequence: 'may not start' as const }),
    what,
    cause,
    help: isOnlyLoop
      ? `Remove line ${lineNumberIn(firstMacro, bodyRowOfFirst)} of macro \`${shortened(firstMacro.name)}\`.`
      : argumentsOf(line).length > 1
        ? 'Correct the macro, or the arguments of `Use`.'
        : 'Correct this line of the macro.',
    ...spanOf(line),
    related: shownProblems.map(({ place }) => place),
  };
}

function shortenedLine(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function countText(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function spanOf(line: Line): { start: number; end: number } {
  return { start: contentStart(line), end: contentEnd(line) };
}
