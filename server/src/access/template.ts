/**
 * Finds text in a configuration that prevents its conversion: template text, such as `{{ name }}`,
 * and unknown directives. httpd reads only the result of a template. So it is unknown what lines
 * with template text decide, and the user cannot answer that.
 */
import type { ConfigFile, Configuration, Scope } from '../config/configuration';
import { isCertainMainFileTree } from '../config/file-summary';
import { hasUnknownModules, moduleNamed } from '../config/modules';
import { mayBeDirective, unknownLines, type UnknownLine } from '../config/unknown-names';
import { LineKind, spelledName, type Line } from '../syntax/line';
import { Template, TemplateTrait } from '../syntax/template';
import { forEachItem, Section, someTemplateLine, type List, type PlacedLine } from '../syntax/tree';
import { openQuestion, UNKNOWN_DIRECTIVES_QUESTION, type OpenQuestion, type FilePosition } from './open-question';
import { notConverted, placeText, type NotConverted } from './not-converted';

/**
 * Returns the reason why nothing is converted, if template text decides which lines and sections a
 * configuration has. Otherwise null.
 */
export function templateReason(files: Iterable<ConfigFile>): NotConverted | null {
  for (const file of files) {
    const { root } = file.tree;
    const mayBeAnywhere = (root.templateTraits & TemplateTrait.AnyWord) !== 0;
    if (root.branchLineCount === 0 && !mayBeAnywhere) continue;
    const decidingLine = firstTemplateLine(file, ({ template }) => mayBeAnywhere || template === Template.Structure)!;
    return notConverted(
      'template-line',
      positionOf(decidingLine, file),
      shortenedFirstRow(decidingLine.line),
      placeText(file, decidingLine.offset),
    );
  }
  return null;
}

/**
 * Unknown directives, or lines that are no directives: why they prevent the conversion, and what to
 * ask the user.
 */
export interface UnknownDirectives {
  readonly reason: NotConverted;
  /**
   * Questions whose answers may allow the conversion. Empty if a line cannot be a directive, so
   * that probably another program makes the configuration from this text.
   */
  readonly questions: readonly OpenQuestion[];
}

/**
 * The lines with unknown directives in all files. Null if there are none, or if the directives may
 * belong to a loaded module that this program does not know. Also null if the configuration may
 * have further LoadModule lines, because a file is missing or no file is a main file.
 */
export function unknownDirectivesInConfiguration({
  files,
  gaps,
  modules,
  unreadSections,
}: Configuration): UnknownDirectives | null {
  const isComplete =
    gaps.length === 0 &&
    (modules.length > 0 || [...files.values()].some(({ tree }) => isCertainMainFileTree(tree.root)));
  if (!isComplete || hasUnknownModules(new Set(modules.map((name) => moduleNamed(name) ?? name)))) return null;
  let reason: NotConverted | null = null;
  const questions: OpenQuestion[] = [];
  for (const file of files.values()) {
    const foundDirectives = unknownDirectivesOf(unknownLines(file.tree.root, 0, unreadSections), file);
    if (foundDirectives === null) continue;
    if (foundDirectives.questions.length === 0) return foundDirectives;
    reason ??= foundDirectives.reason;
    questions.push(...foundDirectives.questions);
  }
  return reason === null ? null : { reason, questions };
}

/**
 * The lines with unknown directives in a .htaccess file, or in a section with the text that Include
 * and Use lines add to it. Null if there are none, and for all other scopes.
 */
export function unknownDirectivesInScope(
  scope: Scope,
  { fragments, unreadSections }: Configuration,
): UnknownDirectives | null {
  const { section, file, kind, offset } = scope;
  if (section === null) return kind === 'htaccess' ? unknownDirectivesOf(unknownLines(file.tree.root, 0), file) : null;
  const directivesInSection = unknownDirectivesOf(
    unknownLines(section.body, offset + section.open.length, unreadSections),
    file,
  );
  const directivesInInsertedTexts = (fragments.get(scope) ?? []).map(({ file: insertedFile, list, fileOffsetOf }) =>
    unknownDirectivesOf(
      unknownLines(list, 0, unreadSections).map((each) => ({ line: each.line, offset: fileOffsetOf(each.offset) })),
      insertedFile,
    ),
  );
  const foundDirectives = [directivesInSection, ...directivesInInsertedTexts].filter((each) => each !== null);
  const [first] = foundDirectives;
  if (first === undefined || foundDirectives.length === 1) return first ?? null;
  return (
    foundDirectives.find(({ questions }) => questions.length === 0) ?? {
      ...first,
      questions: foundDirectives.flatMap(({ questions }) => questions),
    }
  );
}

/** Maximum number of unknown directives that the text of a reason names. */
const MAX_NAMED_DIRECTIVES = 4;

/**
 * The reason and the questions for lines with unknown directives. Null if there are no such lines.
 */
function unknownDirectivesOf(lines: readonly UnknownLine[], file: ConfigFile): UnknownDirectives | null {
  if (lines.length === 0) return null;
  const lineWithoutDirective = lines.find(({ line }) => !mayBeDirective(line));
  if (lineWithoutDirective)
    return {
      reason: notConverted(
        'no-directive',
        positionOf(lineWithoutDirective, file),
        shortenedFirstRow(lineWithoutDirective.line),
        placeText(file, lineWithoutDirective.offset),
        file.path,
      ),
      questions: [],
    };
  const firstLineByName = new Map<string, UnknownLine>();
  for (const each of lines)
    if (!firstLineByName.has(spelledName(each.line))) firstLineByName.set(spelledName(each.line), each);
  const firstLines = [...firstLineByName.values()];
  const namesWithPlaces = firstLines
    .slice(0, MAX_NAMED_DIRECTIVES)
    .map((each) => `${spelledName(each.line)} (${placeText(file, each.offset)})`);
  return {
    reason: notConverted('unknown-directives', positionOf(firstLines[0]!, file), namesWithPlaces),
    questions: lines.map((each) => ({
      ...openQuestion('unknown-directives', spelledName(each.line), [{ path: file.path, offset: each.offset }]),
      coveringQuestion: UNKNOWN_DIRECTIVES_QUESTION,
    })),
  };
}

/**
 * Makes the questions about values that a template inserts, at most one for each file.
 * `decidesAccess`: whether a directive decides access.
 */
export function templateQuestions(
  files: Iterable<ConfigFile>,
  decidesAccess: (name: string) => boolean,
): OpenQuestion[] {
  return [...files].flatMap((file) => {
    const harmfulLine = firstTemplateLine(file, (line) => !isHarmlessValue(line, decidesAccess));
    return harmfulLine
      ? [
          openQuestion('template', shortenedFirstRow(harmfulLine.line), [
            { path: file.path, offset: harmfulLine.offset },
          ]),
        ]
      : [];
  });
}

/**
 * Whether template text decides which lines a configuration has, or which files and modules httpd
 * reads.
 */
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

/** Whether template text is in the access lines of a list, or between them. */
export function hasTemplateAmongAccessLines(body: List): boolean {
  if (body.templateLineCount === 0) return false;
  if (body.branchLineCount > 0 || (body.templateTraits & TemplateTrait.AnyWord) !== 0) return true;
  let isAfterAccess = false;
  let isAfterAccessAndTemplate = false;
  let isAmongAccessLines = false;
  const walk = (list: List) =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        isAfterAccessAndTemplate ||= isAfterAccess && item.templateLineCount > 0;
        return walk(item.body);
      }
      if (ACCESS_DIRECTIVES_OF_22.has(item.name)) {
        isAmongAccessLines ||= isAfterAccessAndTemplate || item.template !== Template.None;
        isAfterAccess = true;
      } else isAfterAccessAndTemplate ||= isAfterAccess && item.template !== Template.None;
    });
  walk(body);
  return isAmongAccessLines;
}

// ---------------------------------------------------------------------------------------------------------------------

const ACCESS_DIRECTIVES_OF_22: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * Whether the template text in a line is only the value of a directive that does not affect access,
 * such as `ServerName {{ name }}`.
 */
function isHarmlessValue(line: Line, decidesAccess: (name: string) => boolean): boolean {
  if (line.template !== Template.Value) return false;
  if (line.kind === LineKind.Open) return line.name === 'virtualhost';
  return !decidesAccess(line.name) && !FILE_READING_DIRECTIVES.has(line.name);
}

/** Directives that add lines, or decide which lines httpd reads. */
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

/** The first line with template text that fulfils `test`. Null if there is none. */
function firstTemplateLine({ tree }: ConfigFile, test: (line: Line) => boolean): PlacedLine | null {
  let foundLine: { line: Line; offset: number } | null = null;
  someTemplateLine(tree.root, (line, offset) => {
    if (test(line)) foundLine = { line, offset };
    return foundLine !== null;
  });
  return foundLine;
}

function positionOf({ offset }: PlacedLine, { path }: ConfigFile): FilePosition {
  return { path, offset };
}

/** The first row of a line, cut to 60 characters. */
function shortenedFirstRow({ text }: Line): string {
  const [first = ''] = text.trim().split('\n');
  return first.length > 60 ? `${first.slice(0, 59)}…` : first.trimEnd();
}
