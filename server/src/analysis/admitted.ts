/**
 * Makes fixes in .htaccess files suggestions if AllowOverride may forbid the old or the new lines.
 *
 * If AllowOverride does not allow the class of a line, every request fails with status 500, in both
 * versions. A fix that removes such a line, or adds one, can therefore change whether requests
 * fail. So it is safe only if AllowOverride certainly allows the class, or if another line stays
 * that fails in the same cases. Sources: invoke_cmd in server/config.c of both versions
 * (`req_override & cmd->override`), set_options in server/core.c (override_opts); experiments:
 * test/httpd/htaccess-admitted.test.ts.
 *
 * A .htaccess file can be a link to a file of any name, and AccessFileName can give .htaccess files
 * any name. So each file that no known configuration reads may be a .htaccess file.
 */
import { standaloneQuestion } from './access-conversion';
import { applyEdits } from './fixes';
import type { PlacedFinding, PlacedFixes } from './findings';
import { isTransparent, sectionKind } from '../config/sections';
import type { FileContext } from '../config/file-context';
import { directive, type DirectiveFacts, type Version } from '../directives';
import { thirdPartyModules } from '../directives/third-party';
import { changedFix, type Edit, type Fix } from '../rules/rule';
import { shortened } from '../rules/support/edits';
import { Tree } from '../syntax/document';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { List, Section } from '../syntax/tree';

/** The facts for the check of a file that is a .htaccess file or may be one. */
export interface HtaccessCheckInput {
  readonly tree: Tree;
  /**
   * Whether the name of the file shows that it is a .htaccess file. If false, only a link or
   * AccessFileName could make it one.
   */
  readonly isHtaccess: boolean;
  /**
   * The contexts in which httpd may read the file as a .htaccess file. Null stands for an unknown
   * context.
   */
  readonly htaccessContexts: readonly (FileContext | null)[];
  /** Whether no known configuration reads the file. */
  readonly isStandalone: boolean;
  /** Whether the user answered that nothing outside of a standalone file affects it. */
  readonly isAnsweredStandalone: boolean;
  /**
   * The findings of the file, or of a range of the file. The fixes of a finding can change its
   * lines, so only lines without findings certainly stay.
   */
  readonly findings: (from?: number, to?: number) => readonly PlacedFinding[];
}

/** Decides for the fixes of one .htaccess file whether AllowOverride may make them unsafe. */
export class HtaccessFixChecker {
  private cachedIsAlwaysRefused: boolean | null = null;
  private cachedStayingKeys: ReadonlySet<string> | null = null;

  constructor(private readonly input: HtaccessCheckInput) {}

  /** Returns the fixes. A safe fix that AllowOverride may make wrong becomes a suggestion. */
  checkedFixes({ fixes, baseOffset }: PlacedFixes): PlacedFixes {
    if (fixes.every(({ safety }) => safety !== 'safe')) return { fixes, baseOffset };
    return { fixes: fixes.map((fix) => (fix.safety === 'safe' ? this.checkedFix(fix, baseOffset) : fix)), baseOffset };
  }

  /**
   * Returns the fix. If AllowOverride may make it wrong, the result is a suggestion, or depends on
   * the user's answer that nothing outside of the file affects it.
   */
  private checkedFix(fix: Fix, baseOffset: number): Fix {
    const { tree, isHtaccess, htaccessContexts, isStandalone, isAnsweredStandalone } = this.input;
    const placedEdits = fix.edits.map((edit) => ({
      start: baseOffset + edit.start,
      end: baseOffset + edit.end,
      text: edit.text,
    }));
    const needsBefore: OverrideNeed[] = [];
    const needsAfter: OverrideNeed[] = [];
    for (const { start, end, edits } of editedLinesOf(tree, placedEdits)) {
      const editedText = tree.text(start, end);
      needsBefore.push(...overrideNeedsOfList(Tree.parse(editedText).root, '2.2'));
      needsAfter.push(
        ...overrideNeedsOfList(
          Tree.parse(
            applyEdits(
              editedText,
              edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
            ),
          ).root,
          '2.4',
        ),
      );
    }
    const changedOverrideNeeds = changedNeeds(needsBefore, needsAfter);
    if (changedOverrideNeeds.length === 0) return fix;
    const contextsWithoutPermission = htaccessContexts.filter(
      (context) => !context?.overrides || !changedOverrideNeeds.every((need) => isNeedMet(need, context)),
    );
    if (contextsWithoutPermission.length === 0) return fix;
    if (
      (this.cachedIsAlwaysRefused ??= isAlwaysRefused(this.input)) ||
      changedOverrideNeeds.every(({ key }) => key !== null && this.stayingKeys.has(key))
    )
      return fix;
    const allowsText = `AllowOverride allows ${[...new Set(changedOverrideNeeds.map(({ shownText }) => shownText))].join(' and ')} there`;
    const assumes = isHtaccess
      ? allowsText
      : `the file is not a .htaccess file${changedOverrideNeeds.some(isNeverAllowed) ? '' : `, or ${allowsText}`}`;
    if (!isStandalone || contextsWithoutPermission.some((context) => context !== null))
      return changedFix(fix, { safety: 'suggestion', assumes });
    return isAnsweredStandalone
      ? changedFix(fix, { restsOn: [...(fix.restsOn ?? []), standaloneQuestion(isHtaccess)] })
      : changedFix(fix, {
          safety: 'suggestion',
          assumes,
          waitsFor: [...(fix.waitsFor ?? []), standaloneQuestion(isHtaccess)],
        });
  }

  /**
   * The keys (`OverrideNeed.key`) of lines that certainly stay, because no fix changes them and no
   * condition is around them.
   */
  private get stayingKeys(): ReadonlySet<string> {
    return (this.cachedStayingKeys ??= keysOfStayingLines(this.input));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** What AllowOverride must allow so that httpd accepts a line in a .htaccess file. */
interface OverrideNeed {
  /**
   * A text that is equal for lines that httpd refuses in the same cases. `REFUSED_KEY` for a line
   * that no .htaccess file may contain. Null if it is unknown in which cases httpd refuses the
   * line.
   */
  readonly key: string | null;
  /** Classes of AllowOverride, in lower case. At least one of them must be allowed. */
  readonly classes: readonly string[];
  /** The directive's name in lower case. */
  readonly name: string;
  /** For an Options line: the options that it sets, in lower case. Otherwise empty. */
  readonly options: readonly string[];
  /** The classes and options, as texts for users name them. */
  readonly shownText: string;
}

/** What AllowOverride must allow for the lines of a list. `version`: see `overrideNeedsOfLine`. */
function overrideNeedsOfList(list: List, version: Version): OverrideNeed[] {
  const overrideNeeds: OverrideNeed[] = [];
  for (const [line] of linesIn(list, 0, false)) overrideNeeds.push(...overrideNeedsOfLine(line, version));
  return overrideNeeds;
}

/**
 * What AllowOverride must allow for a line. Empty if every AllowOverride allows it. `version`: the
 * version that reads the line.
 */
function overrideNeedsOfLine(line: Line, version: Version): OverrideNeed[] {
  const { name } = line;
  const directiveFacts = directive(name, { section: line.kind === LineKind.Open });
  const factsOfVersion = directiveFacts?.[version];
  if (isRefusedInHtaccess(line))
    return [
      { key: REFUSED_KEY, classes: [], name, options: [], shownText: `what ${shortened(line.text.trim(), 80)} needs` },
    ];
  // If this version does not have the directive, the line may have been written for the other
  // version. Then the facts of that version count.
  const facts: DirectiveFacts | undefined = factsOfVersion?.arguments
    ? factsOfVersion
    : directiveFacts?.[version === '2.2' ? '2.4' : '2.2'];
  if (!facts?.arguments || !facts.contexts.includes('.htaccess') || facts.override.length === 0)
    return [{ key: null, classes: [], name, options: [], shownText: `what ${shortened(line.text.trim(), 80)} needs` }];
  const classes = facts.override.map((each) => each.toLowerCase());
  if (classes.includes('all')) return [];
  const options =
    name === 'options'
      ? [...new Set(argumentsOf(line).map(({ value }) => value.replace(/^[+-]/, '').toLowerCase()))].sort()
      : [];
  return [
    {
      key: [...classes, ...options].join(' '),
      classes,
      name,
      options,
      shownText: [facts.override.join(' or '), ...options].join(' '),
    },
  ];
}

/** The needs that are in only one of the two lists. */
function changedNeeds(before: readonly OverrideNeed[], after: readonly OverrideNeed[]): OverrideNeed[] {
  const needsMissingIn = (from: readonly OverrideNeed[], other: readonly OverrideNeed[]) =>
    from.filter(({ key, name }) => !other.some((each) => each.key === key && (key !== null || each.name === name)));
  return [...needsMissingIn(before, after), ...needsMissingIn(after, before)];
}

/**
 * Whether no AllowOverride allows a line, because its directive is for the server or for virtual
 * hosts only.
 */
function isNeverAllowed({ key, name }: OverrideNeed): boolean {
  const { '2.2': facts22, '2.4': facts24 } = directive(name) ?? {};
  return key === REFUSED_KEY || (key === null && (facts22 ?? facts24)?.contexts.includes('.htaccess') === false);
}

/** Whether AllowOverride certainly allows a line. `overrides` of the context must not be null. */
function isNeedMet({ key, classes, name, options }: OverrideNeed, { overrides, overrideList }: FileContext): boolean {
  if (key === null || key === REFUSED_KEY) return false;
  if (overrides!.has('all') || overrideList?.has(name)) return true;
  if (classes.some((each) => overrides!.has(each))) return true;
  // The word `Options=Indexes` of AllowOverride allows only these options in an Options line. Other
  // directives of the class `Options` are all allowed.
  const optionsWord = [...overrides!].find((each) => each.startsWith('options='));
  if (optionsWord === undefined || !classes.includes('options')) return false;
  const allowedOptions = new Set(optionsWord.slice('options='.length).split(','));
  return options.every((each) => allowedOptions.has(each));
}

/** A range of logical lines, with the edits inside. */
interface EditedLines {
  readonly start: number;
  readonly end: number;
  readonly edits: readonly Edit[];
}

/**
 * The logical lines that edits change. If an edit consists of whole lines, the line that begins at
 * its end is not changed.
 */
function editedLinesOf(tree: Tree, edits: readonly Edit[]): EditedLines[] {
  const editedLines: { start: number; end: number; edits: Edit[] }[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const firstLine = tree.lineAt(edit.start);
    const linesStart = firstLine?.offset ?? edit.start;
    const endsInWholeLines =
      (firstLine === null || edit.start === linesStart || edit.text.endsWith('\n')) &&
      (edit.text === '' || edit.text.endsWith('\n'));
    const lastLine = tree.lineAt(edit.end);
    const linesEnd =
      lastLine === null || (endsInWholeLines && lastLine.offset === edit.end)
        ? edit.end
        : lastLine.offset + lastLine.line.length;
    const lastLines = editedLines.at(-1);
    if (lastLines && linesStart < lastLines.end) {
      lastLines.end = Math.max(lastLines.end, linesEnd);
      lastLines.edits.push(edit);
    } else editedLines.push({ start: linesStart, end: linesEnd, edits: [edit] });
  }
  return editedLines;
}

/** The key of lines that are refused in every .htaccess file. */
const REFUSED_KEY = 'refused';

/**
 * Whether the file certainly keeps a line that no .htaccess file may contain: no fix changes the
 * line, and no condition is around it. Then every request already gets status 500, so no fix can
 * make it fail. If the file is really a file of the server, such a line is usually near the
 * beginning, so the search is short.
 */
function isAlwaysRefused({ tree, findings }: HtaccessCheckInput): boolean {
  for (const [line, offset] of linesIn(tree.root, 0, true)) {
    if (
      !MOVABLE_DIRECTIVES.has(line.name) &&
      !line.text.includes('${') &&
      isRefusedInHtaccess(line) &&
      findings(offset, offset + line.length - 1).length === 0
    )
      return true;
  }
  return false;
}

/**
 * The keys of lines without findings and outside of conditions. Fixes keep these lines. Only lines
 * are included that both versions refuse in the same cases.
 */
function keysOfStayingLines({ tree, findings }: HtaccessCheckInput): ReadonlySet<string> {
  const spansOfFindings = findings().flatMap((finding) => [
    finding,
    ...finding.places,
    ...finding.ruleFixes.flatMap(({ edits }) =>
      edits.map(({ start, end }) => ({ start: finding.ruleFixBase + start, end: finding.ruleFixBase + end })),
    ),
  ]);
  const changeableSpans = spansOfFindings.map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start);
  const stayingKeys = new Set<string>();
  let nextSpanIndex = 0;
  let maxSpanEnd = 0;
  for (const [line, offset] of linesIn(tree.root, 0, true)) {
    let mayChange = maxSpanEnd > offset;
    for (
      ;
      nextSpanIndex < changeableSpans.length && changeableSpans[nextSpanIndex]!.start < offset + line.length;
      nextSpanIndex++
    ) {
      const { start, end } = changeableSpans[nextSpanIndex]!;
      maxSpanEnd = Math.max(maxSpanEnd, end);
      // An insertion at the start of a line may change the line.
      mayChange ||= end > offset || start === offset;
    }
    if (mayChange || MOVABLE_DIRECTIVES.has(line.name) || line.text.includes('${')) continue;
    const [need, ...others] = overrideNeedsOfLine(line, '2.2');
    if (
      need?.key == null ||
      need.key === REFUSED_KEY ||
      others.length > 0 ||
      overrideNeedsOfLine(line, '2.4')[0]?.key !== need.key
    )
      continue;
    stayingKeys.add(need.key);
    // If AllowOverride does not allow the class, a line fails whether it sets these options or not.
    if (need.options.length > 0) stayingKeys.add(need.classes.join(' '));
  }
  return stayingKeys;
}

/** Whether both versions refuse the line in every .htaccess file. */
function isRefusedInHtaccess(line: Line): boolean {
  // 2.2 knows this directive, but refuses it in every file (set_nonce_format in
  // modules/aaa/mod_auth_digest.c).
  if (line.name === 'authdigestnonceformat') return true;
  const directiveFacts = directive(line.name, { section: line.kind === LineKind.Open });
  const directiveFactsOfVersions = [directiveFacts?.['2.2'], directiveFacts?.['2.4']].filter(
    (facts) => facts?.arguments !== undefined,
  );
  if (directiveFactsOfVersions.length > 0)
    return directiveFactsOfVersions.every((facts) => !facts!.contexts.includes('.htaccess'));
  return line.kind === LineKind.Directive && isThirdPartyForServerOnly(line.name);
}

/**
 * Whether every version of the third-party modules with this directive refuses it in .htaccess
 * files.
 */
function isThirdPartyForServerOnly(name: string): boolean {
  const allowedPlaces = thirdPartyModules(name, false).flatMap((module) =>
    Object.entries(module.places).flatMap(([each, place]) => (each.toLowerCase() === name ? [place] : [])),
  );
  return allowedPlaces.length > 0 && allowedPlaces.every((place) => !/[ho]/.test(place));
}

/** Directives that the conversion of access control can move or remove. */
const MOVABLE_DIRECTIVES: ReadonlySet<string> = new Set([
  'order',
  'allow',
  'deny',
  'satisfy',
  'require',
  'authtype',
  'authmerging',
  'limit',
  'limitexcept',
  'files',
  'filesmatch',
]);

/**
 * The directives and section tags of a list with their offsets, in order. `skipsConditional`:
 * whether to leave out the lines inside conditional sections.
 */
function* linesIn(
  list: List,
  base: number,
  skipsConditional: boolean,
): Generator<readonly [line: Line, offset: number]> {
  let offset = base;
  for (const child of list.children) {
    if (child instanceof List) yield* linesIn(child, offset, skipsConditional);
    else if (child instanceof Section) {
      yield [child.open, offset];
      const kindOfSection = sectionKind(child.name);
      const areLinesWanted =
        kindOfSection === 'conditional'
          ? !skipsConditional
          : kindOfSection === 'container' || isTransparent(kindOfSection);
      if (areLinesWanted) yield* linesIn(child.body, offset + child.open.length, skipsConditional);
    } else if (child.kind === LineKind.Directive || child.kind === LineKind.Open) yield [child, offset];
    offset += child.length;
  }
}
