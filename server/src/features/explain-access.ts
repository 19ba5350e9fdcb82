/**
 * Explains which access the lines of one section give, in words and as a table: in 2.2, in 2.4 with
 * mod_access_compat, and after the conversion. If the enclosing section has Satisfy or Require, the
 * lines of that section count, too. Other sections are not considered, and the text says so.
 */
import { readByMethod, type LimitedLine } from '../access/by-method';
import { decide22 } from '../access/decide22';
import { decide24 } from '../access/decide24';
import { decideCompat } from '../access/decide-compat';
import type { Decision, Section22, Tree24, Assignment } from '../access/model';
import { isReason, reasonText } from '../access/not-converted';
import { textIfOneLine, printTree } from '../access/print';
import { readSection } from '../access/read';
import { translate } from '../access/translate';
import type { Operand } from '../access/operand';
import { isTransparent, sectionKind } from '../config/sections';
import { codeSpan, codeBlock, escapeMarkdown } from './markdown-text';
import type { Tree } from '../syntax/document';
import { type Line, LineKind, rawArguments, spelledName } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, List, Section } from '../syntax/tree';
import { addTo } from '../syntax/groups';

/** Directives whose lines the explanation reads. */
const ACCESS_DIRECTIVES = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

/**
 * Writes the parts of an explanation in some markup. `text`, `code` and `block` escape their input,
 * which may be any text of a configuration. The input of `strong` is already marked up.
 */
export interface MarkupWriter {
  /** Plain text. */
  text(plain: string): string;
  /** A part of a line of configuration within a sentence. */
  code(plain: string): string;
  /** Whole lines of configuration, as a paragraph of their own. */
  block(plain: string): string;
  /** Emphasized text; the input is already marked up. */
  strong(marked: string): string;
}

/**
 * The access table for all methods, or for some. All strings except those in `head` contain markup.
 */
export interface AccessTable {
  /** The methods: `GET, POST`; null for all. */
  readonly methods: string | null;
  /**
   * Who has access, as a part of a sentence; '' in a table for all methods, because
   * `AccessAnswer.sentenceEnd` says it.
   */
  readonly inWords: string;
  /** The titles of the columns, as plain text. */
  readonly head: readonly string[];
  /** The cells of each row: a group of clients, and what the servers answer. */
  readonly rows: readonly (readonly string[])[];
  /**
   * Whether 2.2, 2.4 with mod_access_compat, and 2.4 after the conversion give equal answers. Then
   * the table has one column for all three.
   */
  readonly isSame: boolean;
}

/** Who has access to a section by its own lines. */
export interface AccessAnswer {
  /** The section: `<Directory /srv>`, or `this file`. */
  readonly name: string;
  /** The end of a sentence that begins with "Who has access by the lines of …". */
  readonly sentenceEnd: string;
  /** The access table for all methods, or one for each group of methods. */
  readonly tables: readonly AccessTable[];
  /** The converted lines for 2.4; null if unknown. */
  readonly convertedLines: string | null;
  /** A sentence below the tables; null if there is none. */
  readonly remark: string | null;
}

const MARKDOWN_WRITER: MarkupWriter = {
  text: escapeMarkdown,
  code: codeSpan,
  block: (text) => `\n\n${codeBlock(text)}`,
  strong: (text) => `**${text}**`,
};

/** Writes plain text. */
export const PLAIN_TEXT_WRITER: MarkupWriter = {
  text: (plain) => plain,
  code: (plain) => plain,
  block: (plain) => plain,
  strong: (marked) => marked,
};

/**
 * The explanation of the section with the access line at a UTF-16 offset, as Markdown; null if
 * there is no old access line. With `isShort`, clients with the same access share a row, and the
 * converted lines are left out, because the finding shows them.
 */
export function explainAccess(tree: Tree, offset: number, { isShort = false } = {}): string | null {
  const explanation = accessExplanationAt(tree, offset, MARKDOWN_WRITER, { isShort });
  if (!explanation) return null;
  const { name, sentenceEnd, tables, convertedLines, remark } = explanation;
  return [
    `**Who has access** by the lines of ${name}${sentenceEnd}`,
    ...(isShort ? shortTables(tables) : tables.map(methodsText)),
    convertedLines === null || isShort ? '' : `In 2.4: ${convertedLines}`,
    remark ?? '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

function methodsText(table: AccessTable): string {
  return table.methods === null
    ? markdownTable(table)
    : `${table.methods}: ${table.inWords}.\n\n${markdownTable(table)}`;
}

/**
 * The tables in a short form. Several tables become a list of their sentences. A table that only
 * repeats the sentence before it is left out.
 */
function shortTables(tables: readonly AccessTable[]): string[] {
  if (tables.length > 1)
    return [tables.map(({ methods, inWords: accessWords }) => `- ${methods}: ${accessWords}.`).join('\n')];
  return tables.flatMap((table) => (table.isSame && table.rows.length === 1 ? [] : [methodsText(table)]));
}

/**
 * The offset of the first access line of the section that begins on a 0-based line. If no such
 * section begins there, the offset of the line itself.
 */
export function accessLineAt(tree: Tree, line: number): number {
  const placedLine = tree.lineAt(tree.offsetAt({ line, character: 0 }));
  if (!placedLine) return 0;
  let lineStart = placedLine.offset + placedLine.line.length;
  const section = enclosingSections(tree, lineStart).at(-1);
  if (section?.open !== placedLine.line) return placedLine.offset;
  while (enclosingSections(tree, lineStart).includes(section)) {
    const innerLine = tree.lineAt(lineStart);
    if (!innerLine) break;
    if (innerLine.line.kind === LineKind.Directive && ACCESS_DIRECTIVES.has(innerLine.line.name))
      return innerLine.offset;
    lineStart = innerLine.offset + innerLine.line.length;
  }
  return placedLine.offset;
}

/** The access of a section as data; null if there is no old access line at the offset. */
export function accessExplanationAt(
  tree: Tree,
  offset: number,
  markup: MarkupWriter,
  { isShort = false } = {},
): AccessAnswer | null {
  const style: ExplanationStyle = { markup, isShort };
  const placedLine = tree.lineAt(offset);
  if (!placedLine || !ACCESS_DIRECTIVES.has(placedLine.line.name) || placedLine.line.kind !== LineKind.Directive)
    return null;
  const { section, lines, limitedLines, enclosingLines, hasLimitedLine } = scopeAt(tree, placedLine.offset);
  if (
    !lines.some(
      (line) => line.name === 'order' || line.name === 'allow' || line.name === 'deny' || line.name === 'satisfy',
    )
  )
    return null;
  const placeName = section
    ? markup.code(`<${spelledName(section.open)} ${rawArguments(section.open).value}>`)
    : 'this file';
  if (areLinesInherited(enclosingLines))
    return answerForMethods(`${placeName} and the sections around it`, { limitedLines, enclosingLines }, style);
  if (hasLimitedLine) return answerForMethods(placeName, { limitedLines, enclosingLines: [] }, style);
  const section22 = readSection(lines);
  if (section22.obstacle && section22.obstacle !== 'mixed-modules') return null;
  const accessSentence = `: ${accessInWords(section22, style)}.`;
  if (hasUnknownOperand(section22))
    return { name: placeName, sentenceEnd: accessSentence, tables: [], convertedLines: null, remark: null };
  const convertedTree = translate(section22);
  const hasAuthType = lines.some((line) => line.name === 'authtype');
  return {
    name: placeName,
    sentenceEnd: accessSentence,
    tables: [{ methods: null, inWords: '', ...accessTable(section22, hasAuthType, convertedTree, style) }],
    convertedLines: treeText(convertedTree, markup),
    // The remark is left out if the section denies everyone, because other sections cannot
    // change that.
    remark:
      accessSentence !== `: ${NO_CLIENT}.` && (section?.name === 'location' || section22.userRequirements.length === 0)
        ? 'Sections of parent directories, and others, can restrict access further.'
        : null,
  };
}

/** The word in a sentence if no client has access. */
const NO_CLIENT = 'nobody';

/** A note below a table whose columns differ. */
export const COMPAT_NOTE = 'mod_access_compat does not keep what 2.2 did: see the columns that differ.';

// ---------------------------------------------------------------------------------------------------------------------

/** Whether an operand is unknown, because it is a parameter or a placeholder. */
function hasUnknownOperand({ hostRules }: Section22): boolean {
  return hostRules !== null && [...hostRules.allow, ...hostRules.deny].some(({ kind }) => kind === 'unknown');
}

/**
 * Whether inner sections inherit the lines, because Satisfy, or Require of 2.2, is among the lines.
 */
function areLinesInherited(lines: readonly LimitedLine[]): boolean {
  const hasLine = (name: string) => lines.some(({ line }) => line.name === name);
  return hasLine('satisfy') || (hasLine('require') && !isReason(readByMethod(linesWithoutAuthType(lines))));
}

function linesWithoutAuthType(lines: readonly LimitedLine[]): readonly LimitedLine[] {
  return lines.filter(({ line }) => line.name !== 'authtype');
}

/**
 * The answer for a section with `<Limit>` sections, or with access lines in the section around it.
 * It has one table for each group of methods with equal access.
 */
function answerForMethods(
  name: string,
  { limitedLines, enclosingLines }: Pick<ScopeLines, 'limitedLines' | 'enclosingLines'>,
  style: ExplanationStyle,
): AccessAnswer {
  const { markup } = style;
  const unknownAnswer = (reason: string): AccessAnswer => ({
    name,
    sentenceEnd: ` is not shown: ${reason.replace(/, then run again$/, '')}.`,
    tables: [],
    convertedLines: null,
    remark: null,
  });
  const access = readByMethod(linesWithoutAuthType(limitedLines), linesWithoutAuthType(enclosingLines));
  if (isReason(access)) return unknownAnswer(markup.text(reasonText(access)));
  // AuthType without a Require line causes 500, but only if no method has a Require line.
  const allLines = [...enclosingLines, ...limitedLines];
  const hasAuthType =
    allLines.some(({ line }) => line.name === 'authtype') && !allLines.some(({ line }) => line.name === 'require');
  if ([...access.rulesByMethod.values()].some(hasUnknownOperand))
    return unknownAnswer('the value of some arguments is not known');
  const methodsBySection = new Map<string, string[]>();
  for (const [method, section] of access.rulesByMethod)
    addTo(methodsBySection, JSON.stringify([section, access.rulesInCompat.get(method)]), method);
  const isSameForAll = methodsBySection.size === 1;
  const tables = [...methodsBySection.values()].map((methods): AccessTable => {
    const section = access.rulesByMethod.get(methods[0]!)!;
    return {
      methods: isSameForAll ? null : methodWords(methods, markup),
      inWords: accessInWords(section, style),
      ...accessTable(section, hasAuthType, translate(section), style, access.rulesInCompat.get(methods[0]!)),
    };
  });
  return {
    name,
    sentenceEnd: isSameForAll ? `: ${tables[0]!.inWords}.` : ' depends on the method.',
    tables,
    convertedLines: treeText(access.tree, markup),
    remark: null,
  };
}

/** The methods of a table in words. `*` stands for all methods that no line names. */
function methodWords(methods: readonly string[], markup: MarkupWriter): string {
  const methodNames = methods
    .filter((method) => method !== '*')
    // httpd decides about HEAD by the lines for GET.
    .map((method) => (method === 'GET' ? `${markup.code('GET')} (with ${markup.code('HEAD')})` : markup.code(method)));
  if (!methods.includes('*')) return methodNames.join(', ');
  return methodNames.length > 0 ? `${methodNames.join(', ')} and all other methods` : 'All other methods';
}

/** The converted lines: code within a sentence if it is one line, otherwise a block. */
function treeText(tree: Tree24, markup: MarkupWriter): string {
  const singleLine = textIfOneLine(tree);
  return singleLine
    ? markup.code(singleLine)
    : markup.block(printTree(tree, { indent: '', indentStep: '    ', eol: '\n' }).trimEnd());
}

/** The access lines of a scope: a container section, or the top level of a file. */
interface ScopeLines {
  /** The container section; null for the top level of the file. */
  readonly section: Section | null;
  readonly lines: readonly Line[];
  /** The access lines, each with the `<Limit>` sections around it. */
  readonly limitedLines: readonly LimitedLine[];
  /**
   * The access lines of the enclosing section, or of the file, which the scope inherits. Empty if a
   * condition decides about them.
   */
  readonly enclosingLines: readonly LimitedLine[];
  /** Whether a line other than AuthType is in a `<Limit>` or `<LimitExcept>` section. */
  readonly hasLimitedLine: boolean;
}

/** The innermost container section around an offset, with its access lines. */
function scopeAt(tree: Tree, offset: number): ScopeLines {
  const containers = enclosingSections(tree, offset).filter(({ name }) => !isTransparent(sectionKind(name)));
  const section = containers.at(-1) ?? null;
  const { limitedLines } = linesOfScope(section ? section.body : tree.root);
  const linesOfEnclosingScope = section === null ? null : linesOfScope(containers.at(-2)?.body ?? tree.root);
  return {
    section,
    lines: limitedLines.map(({ line }) => line),
    limitedLines,
    enclosingLines: linesOfEnclosingScope?.isUnconditional ? linesOfEnclosingScope.limitedLines : [],
    hasLimitedLine: limitedLines.some(
      ({ line, limitSections }) => limitSections.length > 0 && line.name !== 'authtype',
    ),
  };
}

/** The access lines of a scope, and whether none of them is in a condition or a Require section. */
interface LinesOfScope {
  readonly limitedLines: readonly LimitedLine[];
  readonly isUnconditional: boolean;
}

/** Cached, because all inner sections of a file ask for the lines of the file. */
const linesByBody = cacheOf<List, LinesOfScope>();

function linesOfScope(body: List): LinesOfScope {
  let linesOfBody = linesByBody.get(body);
  if (!linesOfBody) linesByBody.set(body, (linesOfBody = readLinesOfScope(body)));
  return linesOfBody;
}

/**
 * Reads the access lines of a scope, including those in sections such as `<Limit>` and
 * `<IfModule>`.
 */
function readLinesOfScope(body: List): LinesOfScope {
  const limitedLines: LimitedLine[] = [];
  let isUnconditional = true;
  const gatherLines = (list: List, limitSections: readonly Section[], isInCondition: boolean): void =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        const isLimit = item.name.startsWith('limit');
        if (isTransparent(sectionKind(item.name)))
          gatherLines(item.body, isLimit ? [...limitSections, item] : limitSections, isInCondition || !isLimit);
      } else if (item.kind === LineKind.Directive && ACCESS_DIRECTIVES.has(item.name)) {
        limitedLines.push({ line: item, limitSections });
        isUnconditional &&= !isInCondition;
      }
    });
  gatherLines(body, [], false);
  return { limitedLines, isUnconditional };
}

/** The sections around an offset, outermost first. */
function enclosingSections(tree: Tree, offset: number): Section[] {
  const sections: Section[] = [];
  let innerList: List = tree.root;
  let remainingOffset = offset;
  descend: for (;;) {
    for (const child of innerList.children) {
      if (remainingOffset >= child.length) {
        remainingOffset -= child.length;
        continue;
      }
      if (child instanceof Section) {
        remainingOffset -= child.open.length;
        if (remainingOffset < 0 || remainingOffset >= child.body.length) return sections;
        sections.push(child);
        innerList = child.body;
        continue descend;
      }
      if (!(child instanceof List)) return sections;
      innerList = child;
      continue descend;
    }
    return sections;
  }
}

/** How to write an explanation: its markup, and whether it is short. */
interface ExplanationStyle {
  readonly markup: MarkupWriter;
  readonly isShort: boolean;
}

/** Who has access by the lines of a section, as a part of a sentence. */
function accessInWords(section: Section22, style: ExplanationStyle): string {
  const { hostRules, userRequirements, satisfy } = section;
  const login =
    userRequirements.length > 0
      ? `a login (${listedAlternatives(
          userRequirements.map(({ text }) => style.markup.text(text)),
          style,
        )})`
      : '';
  if (!hostRules) return login ? `everyone with ${login}` : 'everyone';
  const hosts = hostWords(section, style);
  if (!login || (hosts === NO_CLIENT && satisfy === 'all')) return hosts;
  if (hosts === NO_CLIENT) return `everyone with ${login}`;
  return satisfy === 'any' ? `${hosts}, or everyone with ${login}` : `${hosts}, but only with ${login}`;
}

/** The clients that Order, Allow and Deny allow, as a part of a sentence. */
function hostWords({ hostRules }: Section22, style: ExplanationStyle): string {
  const operandWord = (operand: Operand) => operandText(operand, style.markup);
  const allowText = listedAlternatives(hostRules!.allow.map(operandWord), style);
  const denyText = listedAlternatives(hostRules!.deny.map(operandWord), style);
  const allowsAll = hostRules!.allow.some(({ kind }) => kind === 'all');
  const deniesAll = hostRules!.deny.some(({ kind }) => kind === 'all');
  if (hostRules!.order === 'deny,allow') {
    if (allowsAll || !denyText) return 'everyone';
    if (deniesAll) return allowText || NO_CLIENT;
    return allowText
      ? `everyone except ${denyText}; but these are allowed: ${allowText}`
      : `everyone except ${denyText}`;
  }
  if (!allowText || deniesAll) return NO_CLIENT;
  if (allowsAll) return denyText ? `everyone except ${denyText}` : 'everyone';
  return denyText ? `${allowText}, except ${denyText}` : allowText;
}

/** An operand of Allow or Deny in words. */
function operandText(operand: Operand, markup: MarkupWriter): string {
  switch (operand.kind) {
    case 'all':
      return 'everyone';
    case 'ip':
      return markup.text(operand.text);
    case 'host':
      return markup.text(operand.name);
    case 'env':
      return operand.isNegated
        ? `requests without the variable ${markup.text(operand.name)}`
        : `requests with the variable ${markup.text(operand.name)}`;
    case 'unknown':
      return `"${markup.text(operand.text)}", whose value is not known`;
    default:
      return `"${markup.text(operand.text)}", which matches no client`;
  }
}

/**
 * The operands as alternatives: `a, b or c`. A long list names only its first operands and the
 * number of the others.
 */
function listedAlternatives(words: readonly string[], { isShort }: Pick<ExplanationStyle, 'isShort'>): string {
  const differentWords = [...new Set(words)];
  const maxListed = isShort ? 3 : 20;
  const unlistedCount = differentWords.length - maxListed;
  return alternativesText(
    unlistedCount > 0 ? [...differentWords.slice(0, maxListed), `${unlistedCount} more`] : differentWords,
  );
}

/** Joins alternatives: `a`, `a or b`, `a, b or c`. */
function alternativesText(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The words in a cell of the table. `broken`: the server answers with a configuration error. */
const DECISION_WORDS: Record<Decision | 'broken', string> = {
  allowed: 'allowed',
  unauthorized: 'login (401)',
  forbidden: 'denied (403)',
  broken: 'error (500)',
};

/** The access of one kind of client, without a login or with one. */
interface ClientAccess {
  readonly name: string;
  readonly loginState: string;
  /**
   * The answers in this order: of 2.2, of 2.4 with mod_access_compat, and of 2.4 after the
   * conversion.
   */
  readonly answers: readonly [string, string, string];
}

/**
 * The access table with one row for each kind of client. If the answers of the three servers are
 * equal in all rows, the table has one column for them. `sectionInCompat`: what mod_access_compat
 * reads, if it is not what 2.2 reads.
 */
function accessTable(
  section: Section22,
  hasAuthType: boolean,
  convertedTree: Tree24,
  { markup, isShort }: ExplanationStyle,
  sectionInCompat = section,
): Pick<AccessTable, 'head' | 'rows' | 'isSame'> {
  const users: readonly [string, Assignment['user']][] =
    section.userRequirements.length === 0
      ? [['', null]]
      : [
          [', no login', null],
          [', logged in', () => true],
        ];
  const { shownKinds, leftOutCount, otherKinds } = clientKinds(
    section,
    markup,
    isShort ? MAX_GROUPED_CLIENT_KINDS : MAX_CLIENT_KINDS,
  );
  const answersFor = ({ name, assignment }: ClientKind): ClientAccess[] =>
    users.map(([loginState, user]) => {
      const assignmentWithUser = { ...assignment, user };
      return {
        name,
        loginState,
        answers: [
          DECISION_WORDS[decide22(section, assignmentWithUser)],
          DECISION_WORDS[decideCompat(sectionInCompat, hasAuthType, assignmentWithUser)],
          DECISION_WORDS[decide24(convertedTree, assignmentWithUser)],
        ],
      };
    });
  const namedAnswers = shownKinds.flatMap(answersFor);
  const otherAnswers = answersFor(otherKinds);
  const areAnswersEqual = [...namedAnswers, ...otherAnswers].every(
    ({ answers: [answerOf22, answerOfCompat, answerAfterConversion] }) =>
      answerOf22 === answerOfCompat && answerOf22 === answerAfterConversion,
  );
  const headCells = areAnswersEqual
    ? ['client', 'answer']
    : ['client', '2.2', '2.4 with mod_access_compat', '2.4 after the conversion'];
  const cells = ({
    name,
    loginState,
    answers: [answerOf22, answerOfCompat, answerAfterConversion],
  }: ClientAccess): readonly string[] =>
    areAnswersEqual
      ? [name + loginState, answerOf22]
      : [
          name + loginState,
          answerOf22,
          answerOfCompat === answerOf22 ? answerOfCompat : markup.strong(answerOfCompat),
          answerAfterConversion,
        ];
  const answerRows = (isShort ? sharedRows(namedAnswers, otherAnswers) : [...namedAnswers, ...otherAnswers]).map(cells);
  if (leftOutCount > 0)
    answerRows.splice(-users.length, 0, [`${leftOutCount} more`, ...headCells.slice(1).map(() => '…')]);
  return { head: headCells, rows: answerRows, isSame: areAnswersEqual };
}

/**
 * Joins the rows of clients with the same access. A row names a login only if the access with a
 * login differs from the access without it.
 */
function sharedRows(namedAnswers: readonly ClientAccess[], otherAnswers: readonly ClientAccess[]): ClientAccess[] {
  const mergedNamedAnswers = withoutNeedlessLogins(namedAnswers);
  const mergedOtherAnswers = withoutNeedlessLogins(otherAnswers);
  const keyOf = ({ loginState, answers }: ClientAccess) => JSON.stringify([loginState, answers]);
  const groups = groupsOf(mergedNamedAnswers, keyOf);
  if (
    mergedOtherAnswers.length === 1 &&
    mergedNamedAnswers.every((each) => keyOf(each) === keyOf(mergedOtherAnswers[0]!))
  )
    return [{ ...mergedOtherAnswers[0]!, name: 'everyone' }];
  return [
    ...groups.map((group) => ({
      ...group[0]!,
      name: alternativesText(
        group.length <= 2 ? group.map(({ name }) => name) : [group[0]!.name, `${group.length - 1} more`],
      ),
    })),
    ...mergedOtherAnswers,
  ];
}

/** The rows of a client become one row without a login if all of them have the same answers. */
function withoutNeedlessLogins(rows: readonly ClientAccess[]): ClientAccess[] {
  return groupsOf(rows, ({ name }) => name).flatMap((rowsOfClient) =>
    new Set(rowsOfClient.map(({ answers }) => answers.join())).size === 1
      ? [{ ...rowsOfClient[0]!, loginState: '' }]
      : rowsOfClient,
  );
}

function markdownTable({ head, rows, isSame }: AccessTable): string {
  const tableLines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...tableLines, ...(isSame ? [] : ['', COMPAT_NOTE])].join('\n');
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return [...groups.values()];
}

/**
 * Limits for the kinds of clients in a table. `MAX_GROUPED_CLIENT_KINDS` is for tables in which
 * clients with the same access share a row.
 */
const MAX_CLIENT_KINDS = 8;
const MAX_GROUPED_CLIENT_KINDS = 250;

/** Clients that the lines cannot tell apart, by their name in the table and what they match. */
interface ClientKind {
  readonly name: string;
  readonly assignment: Pick<Assignment, 'matches'>;
}

/**
 * The kinds of clients that the table shows: one for each operand of Allow and Deny, and in
 * `otherKinds` all other clients. `leftOutCount`: the number of operands without a row.
 */
function clientKinds(
  { hostRules }: Section22,
  markup: MarkupWriter,
  maxKinds: number,
): { readonly shownKinds: readonly ClientKind[]; readonly leftOutCount: number; readonly otherKinds: ClientKind } {
  const nameByKey = new Map<string, string>();
  for (const operand of [...(hostRules?.allow ?? []), ...(hostRules?.deny ?? [])]) {
    if (operand.kind === 'ip') nameByKey.set(`ip ${operand.text}`, `from ${markup.text(operand.text)}`);
    else if (operand.kind === 'host') nameByKey.set(`host ${operand.name}`, `from ${markup.text(operand.name)}`);
    else if (operand.kind === 'env')
      nameByKey.set(`env ${operand.name}`, `with the variable ${markup.text(operand.name)}`);
  }
  const assignment = (key: string | null): Pick<Assignment, 'matches'> => ({
    matches: (provider, operand) => `${provider} ${operand}` === key,
  });
  return {
    shownKinds: [...nameByKey].slice(0, maxKinds).map(([key, name]) => ({ name, assignment: assignment(key) })),
    leftOutCount: Math.max(0, nameByKey.size - maxKinds),
    otherKinds: { name: nameByKey.size > 0 ? 'everyone else' : 'everyone', assignment: assignment(null) },
  };
}
