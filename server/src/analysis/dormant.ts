/**
 * Converts lines of 2.2 that the server does not read. They are in files that no configuration
 * reads, in sections whose condition is false, and in commented-out sections. These lines have no
 * effect, so they are converted only if the user asks for it. Each such part is analyzed alone, as
 * if httpd read it.
 *
 * To analyze a part of a file, everything except the part and the tags of the sections around it is
 * replaced by white space. So the offsets stay the same.
 */
import { openQuestionId, RUNNING_VERSION } from '../access/open-question';
import { activityOf } from '../config/activity';
import { nameInTag } from '../config/condition';
import { moduleNamed } from '../config/modules';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { directive, module } from '../directives/index';
import { accessMixed } from '../rules/access-mixed';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Edit } from '../rules/rule';
import { editsToLoad, loadModuleOf } from '../rules/support/load-module';
import { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import { Engine } from './engine';
import type { FileInfo } from './engine-view';
import type { PlacedFinding } from './findings';
import { applyEdits, fixText, selectFixes, type FixResult, type FixSelection, type PlacedFix } from './fixes';

/** The rows (0-based) of the lines of 2.2 that `convertDormantParts` converts. */
export function dormantRows(engine: Engine, tree: Tree, info: FileInfo): ReadonlySet<number> {
  const fixableFindings = dormantPartsOf(engine, tree, info).flatMap((part) =>
    part.findings.filter((each) => fixesOfPart({ ...part, findings: [each] }).length > 0),
  );
  return rowsOf(fixableFindings, tree);
}

/** The rows (0-based) of the lines of 2.2 that `convertUnreadFile` converts. */
export function unreadFileRows(engine: Engine, tree: Tree, info: FileInfo): ReadonlySet<number> {
  const findings = separateEngine(engine).analyze(tree, infoAsSeparateFile(info)).findings();
  const findings24 = findings.some(isAboutMixedAccess)
    ? engineOf24(separateEngine(engine)).analyze(tree, infoAsSeparateFile(info)).findings()
    : [];
  const fixableFindings = [...findings, ...findings24.filter(({ rule }) => rule === orderAllowDeny)].filter(
    (each) => selectFixes([each]).length > 0 || selectFixes([each], SELECTION_FOR_UNREAD_FILES).length > 0,
  );
  return new Set([...rowsOf(fixableFindings, tree), ...dormantRows(engine, tree, info)]);
}

/** A text after the conversion of lines that no server reads. */
export interface DormantResult {
  /** The text of the file after the fixes. */
  readonly text: string;
  /** Number of applied fixes. */
  readonly fixes: number;
  /**
   * Whether a fix converts access control. Such a fix takes no account of other sections or
   * .htaccess files.
   */
  readonly convertsAccess: boolean;
  /**
   * The tags of the sections with a false condition in which a fix was made, such as `<IfDefine
   * X>`.
   */
  readonly falseConditions: ReadonlySet<string>;
}

/**
 * Converts the parts of a file that httpd does not read. Returns the same text if there is nothing
 * to convert.
 */
export function convertDormantParts(engine: Engine, text: string, info: FileInfo): DormantResult {
  let currentText = text;
  let fixes = 0;
  let convertsAccess = false;
  const falseConditions = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const fixesOfParts = dormantPartsOf(engine, Tree.parse(currentText), info).flatMap((part) =>
      fixesOfPart(part).map((fix) => ({ ...fix, isComment: part.isComment, condition: part.condition })),
    );
    if (fixesOfParts.length === 0) break;
    fixes += fixesOfParts.length;
    convertsAccess ||= fixesOfParts.some(({ finding }) => finding.rule.id === orderAllowDeny.id);
    for (const { condition } of fixesOfParts) if (condition !== undefined) falseConditions.add(condition);
    const earlierText = currentText;
    currentText = applyEdits(
      earlierText,
      fixesOfParts.flatMap(({ edits, isComment }) =>
        isComment ? edits.map((edit) => editAsComment(edit, earlierText)) : edits,
      ),
    );
  }
  return { text: currentText, fixes, convertsAccess, falseConditions };
}

/**
 * Converts a file that no configuration reads, as if there were no other files. Returns the same
 * text if there is nothing to convert.
 */
export function convertUnreadFile(engine: Engine, text: string, info: FileInfo): DormantResult {
  const resultOfSafeFixes = fixText(separateEngine(engine), text, infoAsSeparateFile(info));
  const resultWithNeutralFixes = fixText(
    separateEngine(engine),
    resultOfSafeFixes.text,
    infoAsSeparateFile(info),
    SELECTION_FOR_UNREAD_FILES,
  );
  // An Order, Allow or Deny line beside a Require line of 2.4 shows that the file was written for
  // 2.4 with mod_access_compat.
  const resultFor24 = resultWithNeutralFixes.remainingFindings.some(isAboutMixedAccess)
    ? fixText(engineOf24(separateEngine(engine)), resultWithNeutralFixes.text, infoAsSeparateFile(info), {
        rules: [orderAllowDeny.id],
      })
    : null;
  const convertsActiveAccess = [...resultOfSafeFixes.fixes, ...(resultFor24?.fixes ?? [])].some(isByAccessRule);
  const textOf24 = resultFor24?.text ?? resultWithNeutralFixes.text;
  const textWithModule = convertsActiveAccess ? withModuleOfRequire(textOf24) : textOf24;
  const convertedParts = convertDormantParts(engine, textWithModule, info);
  return {
    text: convertedParts.text,
    fixes:
      resultOfSafeFixes.appliedCount +
      resultWithNeutralFixes.appliedCount +
      (resultFor24?.appliedCount ?? 0) +
      (textWithModule === textOf24 ? 0 : 1) +
      convertedParts.fixes,
    convertsAccess: convertedParts.convertsAccess || convertsActiveAccess,
    falseConditions: convertedParts.falseConditions,
  };
}

/**
 * Corrects or removes the lines about modules of 2.2 that 2.4 does not have, in a file that nothing
 * enables. A 2.4 server cannot load such a module.
 */
export function convertDisabledModule(engine: Engine, text: string, info: FileInfo): FixResult {
  return fixText(engine, text, info, { unsafe: true, rules: RULES_OF_OLD_MODULES });
}

// ---------------------------------------------------------------------------------------------------------------------

/** Ids of rules about modules of 2.2 that 2.4 does not have under the same name. */
const RULES_OF_OLD_MODULES = ['removed-module', 'authn-alias-module', 'disk-cache-module', 'ifmodule-renamed'];

/**
 * Rules whose suggestions are certainly right in a file that no server reads. 2.4 ignores
 * NameVirtualHost, and no virtual host of a 2.2 server depends on the line. A module of 2.2 that
 * 2.4 does not have is not loaded now, and a 2.4 server cannot load it later.
 */
const SELECTION_FOR_UNREAD_FILES: FixSelection = {
  unsafe: true,
  rules: ['name-virtual-host', ...RULES_OF_OLD_MODULES],
};

/** Maximum number of rounds. Overlapping fixes need several rounds. */
const MAX_ROUNDS = 10;

/**
 * Maximum length of a text, in UTF-16 units. The parts of a longer file are not converted, because
 * programs write such files.
 */
const MAX_FILE_LENGTH = 1_000_000;

/** Maximum number of parts of a file that are analyzed. */
const MAX_DORMANT_PARTS = 200;

/** A range of whole lines that httpd does not read. */
interface LineSpan {
  readonly start: number;
  readonly end: number;
  /**
   * Whether the lines are comments. Then the part has their text without the first `#` of each
   * line.
   */
  readonly isComment: boolean;
  /** The tag of the section whose condition is false. Absent for comments. */
  readonly condition?: string;
}

/** A part of a file that httpd does not read, with its findings. */
interface DormantPart extends LineSpan {
  /** The findings about lines of this part. */
  readonly findings: readonly PlacedFinding[];
}

const separateEngineCache = cacheOf<Engine, Engine>();

/** An engine with the same options, except that it assumes that no other file affects access. */
function separateEngine(engine: Engine): Engine {
  let engineForSeparateFile = separateEngineCache.get(engine);
  if (!engineForSeparateFile)
    separateEngineCache.set(
      engine,
      (engineForSeparateFile = new Engine({ ...engine.options, assumeStandalone: true })),
    );
  return engineForSeparateFile;
}

const engineOf24Cache = cacheOf<Engine, Engine>();

/**
 * An engine that assumes that the server runs 2.4, unless the user has answered which version it
 * runs.
 */
function engineOf24(engine: Engine): Engine {
  let engineWithAnswer = engineOf24Cache.get(engine);
  if (!engineWithAnswer) {
    const { answerSet } = engine;
    const answersWith24 = new Map([[openQuestionId(RUNNING_VERSION), '2.4'] as const, ...answerSet.answers]);
    engineOf24Cache.set(
      engine,
      (engineWithAnswer = new Engine({ ...engine.options, answerSet: { ...answerSet, answers: answersWith24 } })),
    );
  }
  return engineWithAnswer;
}

/**
 * Adds the LoadModule line of mod_authz_core before that of mod_authz_host, for a main file that
 * now has Require lines. Without the line, 2.4 does not start. Returns the same text if the file
 * loads no mod_authz_host, or already loads mod_authz_core.
 */
function withModuleOfRequire(text: string): string {
  let edits: readonly Edit[] = [];
  let loadsCore = false;
  const searchList = (list: List, listOffset: number): void =>
    forEachItem(list, listOffset, (item, offset) => {
      if (item instanceof Section) return searchList(item.body, offset + item.open.length);
      const loadModule = item.name === 'loadmodule' && item.kind === LineKind.Directive ? loadModuleOf(item) : null;
      if (loadModule === null) return;
      loadsCore ||= loadModule.identifier.value === 'authz_core_module';
      if (loadModule.identifier.value !== 'authz_host_module' || edits.length > 0) return;
      const newLine = applyEdits(item.text, editsToLoad(loadModule, 'authz_core'));
      edits = [{ start: offset, end: offset, text: /\n$/.test(newLine) ? newLine : `${newLine}\n` }];
    });
  searchList(Tree.parse(text).root, 0);
  return loadsCore ? text : applyEdits(text, edits);
}

/** Whether the finding is about Order, Allow or Deny beside a Require line of 2.4. */
function isAboutMixedAccess({ rule }: PlacedFinding): boolean {
  return rule === accessMixed;
}

/** Whether a fix is one of the rule that converts access control. */
function isByAccessRule({ rule }: { readonly rule: string }): boolean {
  return rule === orderAllowDeny.id;
}

/** The facts about a file as if there were no other files. */
function infoAsSeparateFile(info: FileInfo): FileInfo {
  return { ...info, hasNeighbours: false, isOfConfiguration: false };
}

/** The rows (0-based) of the lines that the findings are about. */
function rowsOf(findings: readonly PlacedFinding[], tree: Tree): Set<number> {
  const placesOfFindings = findings.flatMap((each) => [each, ...each.places]);
  return new Set(placesOfFindings.map(({ start }) => tree.positionAt(start).line));
}

/**
 * The parts of a file that httpd does not read, if they have findings. Empty for a very long file,
 * and for a template.
 */
function dormantPartsOf(engine: Engine, tree: Tree, info: FileInfo): DormantPart[] {
  if (tree.length > MAX_FILE_LENGTH || tree.root.templateLineCount > 0) return [];
  const finder = new DormantPartFinder(engine.target, info);
  finder.searchList(tree.root, 0, []);
  if (finder.spans.length === 0) return [];
  const fileText = tree.text();
  const separateInfo = { isHtaccess: info.isHtaccess };
  return finder.spans.flatMap(({ span, tagsAround }): DormantPart[] => {
    const findings = separateEngine(engine)
      .analyze(Tree.parse(textWithPartOnly(fileText, span, tagsAround)), separateInfo)
      .findings();
    const findingsInside = findings.filter(({ start, end }) => start >= span.start && end <= span.end);
    return findingsInside.length > 0 ? [{ ...span, findings: findingsInside }] : [];
  });
}

/** A tag of a section around a part. */
type PlacedTag = readonly [line: Line, offset: number];

/** Collects the parts of a file that httpd does not read. */
class DormantPartFinder {
  readonly spans: { readonly span: LineSpan; readonly tagsAround: readonly PlacedTag[] }[] = [];

  constructor(
    private readonly target: Target,
    private readonly info: FileInfo,
  ) {}

  /**
   * Searches a list that begins at the offset `base` of the file. `tagsAround`: the tags of the
   * sections around the list.
   */
  searchList(list: List, base: number, tagsAround: readonly PlacedTag[]): void {
    let comments: PlacedTag[] = [];
    const finishComments = () => {
      for (const span of commentedSections(comments)) this.addSpan(span, tagsAround);
      comments = [];
    };
    forEachItem(list, base, (item, offset) => {
      if (!(item instanceof Section)) {
        if (item.kind === LineKind.Comment && !item.isPragma && !item.isJoined) comments.push([item, offset]);
        else finishComments();
        return;
      }
      finishComments();
      const bodyStart = offset + item.open.length;
      const bodyEnd = bodyStart + item.body.length;
      const kindOfSection = sectionKind(item.name);
      if (kindOfSection === 'opaque') return;
      if (kindOfSection === 'conditional' && this.isInactive(item)) {
        if (!isConditionOnVersion(item.open, this.target))
          this.addSpan(
            { start: bodyStart, end: bodyEnd, isComment: false, condition: item.open.text.trim() },
            tagsAround,
          );
        return;
      }
      const tags: readonly PlacedTag[] = [
        [item.open, offset],
        [item.close, bodyEnd],
      ];
      this.searchList(item.body, bodyStart, kindOfSection === 'conditional' ? tagsAround : [...tagsAround, ...tags]);
    });
    finishComments();
  }

  /** Whether httpd does not read the body of a section, in any context of the file. */
  private isInactive(section: Section): boolean {
    const { fileContext, furtherContexts = [] } = this.info;
    const contexts = fileContext ? [fileContext, ...furtherContexts] : [];
    const activityOfTag = activityOf(section.open, this.target);
    if (contexts.length === 0) return activityOfTag === 'inactive';
    return contexts.every((each) => (each.activityOf(section) ?? activityOfTag) === 'inactive');
  }

  /** Adds a part, unless it is empty or there are already `MAX_DORMANT_PARTS` parts. */
  private addSpan(span: LineSpan, tagsAround: readonly PlacedTag[]): void {
    if (span.end > span.start && this.spans.length < MAX_DORMANT_PARTS) this.spans.push({ span, tagsAround });
  }
}

/**
 * Whether a condition is about the version of httpd. Then the lines inside are already written for
 * one version.
 */
function isConditionOnVersion(openingTag: Line, target: Target): boolean {
  if (openingTag.name === 'ifversion') return true;
  const namedModule = openingTag.name === 'ifmodule' ? nameInTag(openingTag, 4) : null;
  // The condition tests for an operating system (BeOS), not for a version.
  if (namedModule && /^(?:mpm_beos_module|beos\.c)$/.test(namedModule.name)) return false;
  if (activityOf(openingTag, target) !== 'unknown') return true;
  const moduleName = namedModule && moduleNamed(namedModule.name);
  const facts = moduleName ? module(moduleName) : undefined;
  return facts !== undefined && (facts['2.2'] === undefined || facts['2.4'] === undefined);
}

/**
 * The outermost commented-out sections. All their lines must be comments, and must be valid without
 * the `#`.
 */
function commentedSections(comments: readonly PlacedTag[]): LineSpan[] {
  const spans: LineSpan[] = [];
  for (let index = 0; index < comments.length; index++) {
    const endIndex = endIndexOfSection(comments, index);
    if (endIndex === null) continue;
    const [last, lastOffset] = comments[endIndex]!;
    spans.push({ start: comments[index]![1], end: lastOffset + last.length, isComment: true });
    index = endIndex;
  }
  return spans;
}

/**
 * The index of the last line of the commented-out section that begins at a comment. Null if no
 * section begins there, or if one of its lines is neither a directive nor a tag.
 */
function endIndexOfSection(comments: readonly PlacedTag[], firstIndex: number): number | null {
  const openNames: string[] = [];
  for (let index = firstIndex; index < comments.length; index++) {
    const uncommentedText = textWithoutHash(comments[index]![0].text).trim();
    const tag = /^<(\/?)([a-z]\w*)(?:\s[^<>]*)?>$/i.exec(uncommentedText);
    if (tag) {
      const tagName = tag[2]!.toLowerCase();
      if (tag[1] === '') {
        if (!directive(tagName, { section: true })) return null;
        openNames.push(tagName);
      } else if (openNames.pop() !== tagName) return null;
      if (openNames.length === 0) return index;
    } else if (openNames.length === 0) return null;
    else if (!/^(?:#.*)?$/.test(uncommentedText) && !directive(/^\S+/.exec(uncommentedText)![0], { section: false }))
      return null;
  }
  return null;
}

/** The text of a comment line, with a space instead of its first `#`. */
function textWithoutHash(text: string): string {
  return text.replace('#', ' ');
}

/**
 * Returns the text of a file in which everything except a part and the tags around it is replaced
 * by white space.
 */
function textWithPartOnly(text: string, { start, end, isComment }: LineSpan, tagsAround: readonly PlacedTag[]): string {
  const copiedTexts: { readonly offset: number; readonly text: string }[] = tagsAround.map(([line, offset]) => ({
    offset,
    text: line.text,
  }));
  const sectionText = text.slice(start, end);
  copiedTexts.push({
    offset: start,
    text: isComment ? sectionText.replace(/(?<![^\n])([^\S\n]*)#/g, '$1 ') : sectionText,
  });
  copiedTexts.sort((a, b) => a.offset - b.offset);
  let newText = '';
  for (const each of copiedTexts) newText += whiteSpace(text.slice(newText.length, each.offset)) + each.text;
  return newText + whiteSpace(text.slice(newText.length));
}

/** White space of the same length as the text, with the same line breaks. */
function whiteSpace(text: string): string {
  return text.replace(/[^\r\n]+/g, (words) => ' '.repeat(words.length));
}

/** The fixes of a part. A fix with an edit outside of the part is left out. */
function fixesOfPart({ start, end, findings }: Pick<DormantPart, 'start' | 'end' | 'findings'>): PlacedFix[] {
  return selectFixes(findings).filter(
    ({ edits, fix }) => !fix.elsewhere && edits.every((edit) => edit.start >= start && edit.end <= end),
  );
}

/**
 * Changes an edit of commented-out text, so that each line that it writes is a comment. `text`: the
 * text of the file before the edit.
 */
function editAsComment(edit: Edit, text: string): Edit {
  const startOfLine = text.lastIndexOf('\n', edit.start - 1) + 1;
  const columnOfHash = text.indexOf('#', startOfLine) - startOfLine;
  const [first = '', ...others] = edit.text.split('\n');
  const rowAsComment = (row: string) => {
    if (row === '') return row;
    return /\s/.test(row.charAt(columnOfHash))
      ? `${row.slice(0, columnOfHash)}#${row.slice(columnOfHash + 1)}`
      : `#${row}`;
  };
  const newRows = [edit.start === startOfLine ? rowAsComment(first) : first, ...others.map(rowAsComment)];
  return { ...edit, text: newRows.join('\n') };
}
