/**
 * Finds template text in a configuration, such as `{{ name }}`. httpd only reads the result of the
 * template, so it is unknown what these lines decide. No answer of the user changes that.
 */
import type { ConfigFile, Configuration, Scope } from '../config/configuration';
import { isCertainMainFileTree } from '../config/file-summary';
import { hasUnknownModules, moduleNamed } from '../config/modules';
import { mayBeDirective, unknownLines, type UnknownLine } from '../config/unknown-names';
import { LineKind, spelledName, type Line } from '../syntax/line';
import { Template, TemplateTrait } from '../syntax/template';
import { forEachItem, Section, someTemplateLine, type List, type PlacedLine } from '../syntax/tree';
import { openQuestion, UNKNOWN_DIRECTIVES, type OpenQuestion, type FilePosition } from './open-question';
import { notConverted, placeText, type NotConverted } from './not-converted';

/**
 * Returns the reason if template text decides which lines and sections a configuration has, so that
 * nothing is converted. Null otherwise.
 */
export function templateReason(files: Iterable<ConfigFile>): NotConverted | null {
  for (const file of files) {
    const { root } = file.tree;
    const isAnyWord = (root.templateTraits & TemplateTrait.AnyWord) !== 0;
    if (root.branchLineCount === 0 && !isAnyWord) continue;
    const found = firstTemplateLine(file, ({ template }) => isAnyWord || template === Template.Structure)!;
    return notConverted('template-line', locationOf(found, file), subjectOf(found.line), placeText(file, found.offset));
  }
  return null;
}

/**
 * Lines whose directive belongs to no known module, as a reason not to convert and as questions.
 */
export interface UnknownDirectives {
  readonly reason: NotConverted;
  /**
   * Questions whose answers may allow the conversion. Empty if a line cannot be a directive,
   * because another program then makes the configuration from this text.
   */
  readonly questions: readonly OpenQuestion[];
}

/**
 * The lines with unknown directives, in all files. Null if there are none, or if they may belong to
 * a module that is loaded or that may be in a missing file.
 */
export function unknownInAll({ files, gaps, modules }: Configuration): UnknownDirectives | null {
  const isWhole =
    gaps.length === 0 &&
    (modules.length > 0 || [...files.values()].some(({ tree }) => isCertainMainFileTree(tree.root)));
  if (!isWhole || hasUnknownModules(new Set(modules.map((name) => moduleNamed(name) ?? name)))) return null;
  let reason: NotConverted | null = null;
  const asks: OpenQuestion[] = [];
  for (const file of files.values()) {
    const found = reasonOfUnknownLines(unknownLines(file.tree.root, 0), file);
    if (found === null) continue;
    if (found.questions.length === 0) return found;
    reason ??= found.reason;
    asks.push(...found.questions);
  }
  return reason === null ? null : { reason, questions: asks };
}

/**
 * Like `unknownInAll`, for one .htaccess file, or for one section with the text that Include and
 * Use lines add.
 */
export function unknownInScope(scope: Scope, { fragments }: Configuration): UnknownDirectives | null {
  const { section, file, kind, offset } = scope;
  if (section === null) return kind === 'htaccess' ? reasonOfUnknownLines(unknownLines(file.tree.root, 0), file) : null;
  const own = reasonOfUnknownLines(unknownLines(section.body, offset + section.open.length), file);
  const others = (fragments.get(scope) ?? []).map(({ file: from, list, fileOffsetOf }) =>
    reasonOfUnknownLines(
      unknownLines(list, 0).map((each) => ({ line: each.line, offset: fileOffsetOf(each.offset) })),
      from,
    ),
  );
  const found = [own, ...others].filter((each) => each !== null);
  const [first] = found;
  if (first === undefined || found.length === 1) return first ?? null;
  return (
    found.find(({ questions }) => questions.length === 0) ?? {
      ...first,
      questions: found.flatMap(({ questions }) => questions),
    }
  );
}

/** Number of unknown directives that a reason names. */
const MAX_NAMED_DIRECTIVES = 4;

function reasonOfUnknownLines(lines: readonly UnknownLine[], file: ConfigFile): UnknownDirectives | null {
  if (lines.length === 0) return null;
  const other = lines.find(({ line }) => !mayBeDirective(line));
  if (other)
    return {
      reason: notConverted(
        'no-directive',
        locationOf(other, file),
        subjectOf(other.line),
        placeText(file, other.offset),
      ),
      questions: [],
    };
  const byName = new Map<string, UnknownLine>();
  for (const each of lines) if (!byName.has(spelledName(each.line))) byName.set(spelledName(each.line), each);
  const first = [...byName.values()];
  const named = first
    .slice(0, MAX_NAMED_DIRECTIVES)
    .map((each) => `${spelledName(each.line)} (${placeText(file, each.offset)})`);
  return {
    reason: notConverted('unknown-directives', locationOf(first[0]!, file), named),
    questions: lines.map((each) => ({
      ...openQuestion('unknown-directives', spelledName(each.line), [{ path: file.path, offset: each.offset }]),
      coveringQuestion: UNKNOWN_DIRECTIVES,
    })),
  };
}

/**
 * Asks about values that a template inserts, at most once for each file. `isOfAccess`: whether a
 * directive decides access.
 */
export function templateQuestions(files: Iterable<ConfigFile>, isOfAccess: (name: string) => boolean): OpenQuestion[] {
  return [...files].flatMap((file) => {
    const found = firstTemplateLine(file, (line) => !isHarmlessValue(line, isOfAccess));
    return found ? [openQuestion('template', subjectOf(found.line), [{ path: file.path, offset: found.offset }])] : [];
  });
}

/** Whether template text decides which lines a configuration has, or what it reads and loads. */
export function isMadeByTemplate(files: Iterable<ConfigFile>): boolean {
  return [...files].some((file) => {
    const { templateLineCount, branchLineCount, templateTraits } = file.tree.root;
    if (templateLineCount === 0) return false;
    return (
      branchLineCount > 0 ||
      (templateTraits & TemplateTrait.AnyWord) !== 0 ||
      firstTemplateLine(file, ({ name }) => FILE_READING_DIRECTIVES.has(name)) !== null
    );
  });
}

/** Why template text prevents the conversion of a section. Null if it does not. */
export function templateProblem({ section, file, kind, offset }: Scope): NotConverted | null {
  if (section !== null && section.open.template !== Template.None)
    return notConverted('tag-template', { path: file.path, offset });
  const body = section?.body ?? (kind === 'htaccess' ? file.tree.root : null);
  if (body === null) return null;
  return hasTemplateAmongAccessLines(body) ? notConverted('template-between', null) : null;
}

/** Whether template text is in, or between, the access lines of a body. */
export function hasTemplateAmongAccessLines(body: List): boolean {
  if (body.templateLineCount === 0) return false;
  if (body.branchLineCount > 0 || (body.templateTraits & TemplateTrait.AnyWord) !== 0) return true;
  let isBehindAccess = false;
  let isBehindBoth = false;
  let isTorn = false;
  const walk = (list: List) =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        isBehindBoth ||= isBehindAccess && item.templateLineCount > 0;
        return walk(item.body);
      }
      if (ACCESS_NAMES.has(item.name)) {
        isTorn ||= isBehindBoth || item.template !== Template.None;
        isBehindAccess = true;
      } else isBehindBoth ||= isBehindAccess && item.template !== Template.None;
    });
  walk(body);
  return isTorn;
}

// ---------------------------------------------------------------------------------------------------------------------

const ACCESS_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * Whether template text in a line is only the value of a directive that does not affect access, as
 * in `ServerName {{ name }}`.
 */
function isHarmlessValue(line: Line, isOfAccess: (name: string) => boolean): boolean {
  if (line.template !== Template.Value) return false;
  if (line.kind === LineKind.Open) return line.name === 'virtualhost';
  return !isOfAccess(line.name) && !FILE_READING_DIRECTIVES.has(line.name);
}

/** Directives that add lines, or decide what httpd reads. */
const FILE_READING_DIRECTIVES: ReadonlySet<string> = new Set([
  'include',
  'includeoptional',
  'loadmodule',
  'define',
  'undefine',
  'use',
  'undefmacro',
  'serverroot',
  'perlrequire',
  'perlmodule',
  'perlconfigrequire',
  'perlconfigset',
]);

function firstTemplateLine({ tree }: ConfigFile, test: (line: Line) => boolean): PlacedLine | null {
  let found: { line: Line; offset: number } | null = null;
  someTemplateLine(tree.root, (line, offset) => {
    if (test(line)) found = { line, offset };
    return found !== null;
  });
  return found;
}

function locationOf({ offset }: PlacedLine, { path }: ConfigFile): FilePosition {
  return { path, offset };
}

function subjectOf({ text }: Line): string {
  const [first = ''] = text.trim().split('\n');
  return first.length > 60 ? `${first.slice(0, 59)}…` : first.trimEnd();
}
