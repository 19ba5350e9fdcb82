/**
 * Makes fixes in .htaccess files suggestions if AllowOverride may forbid the new lines. A line
 * whose class is not allowed makes every request fail with status 500, in both versions. So a fix
 * that removes such a line, or writes a line of another class, is only safe if AllowOverride
 * certainly allows it, or if another line that fails in the same cases remains.
 *
 * Sources: invoke_cmd in server/config.c of both versions (`req_override & cmd->override`),
 * set_options in server/core.c (override_opts); experiments: test/httpd/htaccess-admitted.test.ts.
 *
 * A .htaccess file may be a link to a file of any name, and AccessFileName can give it any name. So
 * each file that no available configuration reads may be one.
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

/** What the check of a file that is or may be a .htaccess file needs to know. */
export interface HtaccessCheckInput {
  readonly tree: Tree;
  /** False if only a link or AccessFileName could make it one. */
  readonly isHtaccess: boolean;
  /**
   * The contexts in which httpd may read the file as a .htaccess file. Null for an unknown context.
   */
  readonly htaccessContexts: readonly (FileContext | null)[];
  /** Whether no available configuration reads the file. */
  readonly isStandalone: boolean;
  /** Whether the user answered that nothing outside a standalone file affects it. */
  readonly isAnsweredStandalone: boolean;
  /** The findings of the file, or of a range of it. Their lines may change, because of fixes. */
  readonly findings: (from?: number, to?: number) => readonly PlacedFinding[];
}

/** Decides for the fixes of one .htaccess file whether AllowOverride may make them unsafe. */
export class HtaccessFixChecker {
  private isRefused: boolean | null = null;
  private cachedStayingKeys: ReadonlySet<string> | null = null;

  constructor(private readonly input: HtaccessCheckInput) {}

  /** Returns the same fixes. Those that AllowOverride may make unsafe are suggestions. */
  checkedFixes({ fixes, baseOffset }: PlacedFixes): PlacedFixes {
    if (fixes.every(({ safety }) => safety !== 'safe')) return { fixes, baseOffset };
    return { fixes: fixes.map((fix) => (fix.safety === 'safe' ? this.checkedFix(fix, baseOffset) : fix)), baseOffset };
  }

  private checkedFix(fix: Fix, base: number): Fix {
    const { tree, isHtaccess, htaccessContexts, isStandalone, isAnsweredStandalone } = this.input;
    const placedEdits = fix.edits.map((edit) => ({ start: base + edit.start, end: base + edit.end, text: edit.text }));
    const before: OverrideNeed[] = [];
    const after: OverrideNeed[] = [];
    for (const { start, end, edits } of editedLinesOf(tree, placedEdits)) {
      const text = tree.text(start, end);
      before.push(...overrideNeedsOfList(Tree.parse(text).root, '2.2'));
      after.push(
        ...overrideNeedsOfList(
          Tree.parse(
            applyEdits(
              text,
              edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
            ),
          ).root,
          '2.4',
        ),
      );
    }
    const changed = changedNeeds(before, after);
    if (changed.length === 0) return fix;
    const refusing = htaccessContexts.filter(
      (place) => !place?.overrides || !changed.every((need) => isGranted(need, place)),
    );
    if (refusing.length === 0) return fix;
    if (
      (this.isRefused ??= isAlwaysRefused(this.input)) ||
      changed.every(({ key }) => key !== null && this.stayingKeys.has(key))
    )
      return fix;
    const allows = `AllowOverride allows ${[...new Set(changed.map(({ shownText }) => shownText))].join(' and ')} there`;
    const assumes = isHtaccess
      ? allows
      : `the file is not a .htaccess file${changed.some(isNeverAllowed) ? '' : `, or ${allows}`}`;
    if (!isStandalone || refusing.some((place) => place !== null))
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
   * The keys (`Need.key`) of lines that stay in any case: no fix changes them, and no condition
   * hides them.
   */
  private get stayingKeys(): ReadonlySet<string> {
    return (this.cachedStayingKeys ??= keysOfStayingLines(this.input));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** What AllowOverride must allow so that httpd accepts a line. */
interface OverrideNeed {
  /**
   * A key that is equal for lines that are refused in the same cases. `REFUSED` for lines that
   * every .htaccess file must not contain. Null if unknown.
   */
  readonly key: string | null;
  /**
   * Classes of AllowOverride in lower case, of which one must be allowed. `all`: any class is
   * enough.
   */
  readonly classes: readonly string[];
  /** The directive's name in lower case. */
  readonly name: string;
  /** For Options: the options that it sets, in lower case. */
  readonly options: readonly string[];
  /** The class of AllowOverride, or the options, as texts for users name them. */
  readonly shownText: string;
}

function overrideNeedsOfList(list: List, version: Version): OverrideNeed[] {
  const needs: OverrideNeed[] = [];
  for (const [line] of linesIn(list, 0, false)) needs.push(...overrideNeedsOfLine(line, version));
  return needs;
}

function overrideNeedsOfLine(line: Line, version: Version): OverrideNeed[] {
  const { name } = line;
  const directiveFacts = directive(name, { section: line.kind === LineKind.Open });
  const factsOfVersion = directiveFacts?.[version];
  if (isForServerOnly(line))
    return [
      { key: REFUSED_KEY, classes: [], name, options: [], shownText: `what ${shortened(line.text.trim(), 80)} needs` },
    ];
  // A line that is for another version may have been written for that version, so the facts of the
  // other version count.
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

/** The needs that are in one list and not in the other. */
function changedNeeds(before: readonly OverrideNeed[], after: readonly OverrideNeed[]): OverrideNeed[] {
  const lacking = (from: readonly OverrideNeed[], other: readonly OverrideNeed[]) =>
    from.filter(({ key, name }) => !other.some((each) => each.key === key && (key !== null || each.name === name)));
  return [...lacking(before, after), ...lacking(after, before)];
}

/** Whether no AllowOverride allows a line: its directive is for the server or for virtual hosts. */
function isNeverAllowed({ key, name }: OverrideNeed): boolean {
  const { '2.2': of22, '2.4': of24 } = directive(name) ?? {};
  return key === REFUSED_KEY || (key === null && (of22 ?? of24)?.contexts.includes('.htaccess') === false);
}

function isGranted({ key, classes, name, options }: OverrideNeed, { overrides, overrideList }: FileContext): boolean {
  if (key === null || key === REFUSED_KEY) return false;
  if (overrides!.has('all') || overrideList?.has(name)) return true;
  if (classes.some((each) => overrides!.has(each))) return true;
  // The word `Options=Indexes` of AllowOverride allows only these options, but all other directives
  // of the class.
  const some = [...overrides!].find((each) => each.startsWith('options='));
  if (some === undefined || !classes.includes('options')) return false;
  const admitted = new Set(some.slice('options='.length).split(','));
  return options.every((each) => admitted.has(each));
}

/** A range of logical lines, with the edits inside. */
interface EditedLines {
  readonly start: number;
  readonly end: number;
  readonly edits: readonly Edit[];
}

/** The logical lines that edits touch. An edit does not touch a line that begins at its end. */
function editedLinesOf(tree: Tree, edits: readonly Edit[]): EditedLines[] {
  const regions: { start: number; end: number; edits: Edit[] }[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const first = tree.lineAt(edit.start);
    const start = first?.offset ?? edit.start;
    const isWhole =
      (first === null || edit.start === start || edit.text.endsWith('\n')) &&
      (edit.text === '' || edit.text.endsWith('\n'));
    const last = tree.lineAt(edit.end);
    const end = last === null || (isWhole && last.offset === edit.end) ? edit.end : last.offset + last.line.length;
    const lastRegion = regions.at(-1);
    if (lastRegion && start < lastRegion.end) {
      lastRegion.end = Math.max(lastRegion.end, end);
      lastRegion.edits.push(edit);
    } else regions.push({ start, end, edits: [edit] });
  }
  return regions;
}

/** The key of lines that are refused in every .htaccess file. */
const REFUSED_KEY = 'refused';

/**
 * Whether a line that no .htaccess file may contain stays, whatever fixes and conditions do. Then
 * every request already gets status 500. If the file is really a file of the main server, such a
 * line is usually near its beginning, so the search is short.
 */
function isAlwaysRefused({ tree, findings }: HtaccessCheckInput): boolean {
  for (const [line, offset] of linesIn(tree.root, 0, true)) {
    if (
      !ACCESS_DIRECTIVES.has(line.name) &&
      !line.text.includes('${') &&
      isForServerOnly(line) &&
      findings(offset, offset + line.length - 1).length === 0
    )
      return true;
  }
  return false;
}

/**
 * The keys of lines without findings and outside of conditions: they stay, and both versions refuse
 * them in the same cases.
 */
function keysOfStayingLines({ tree, findings }: HtaccessCheckInput): ReadonlySet<string> {
  const spansOfFindings = findings().flatMap((finding) => [
    finding,
    ...finding.places,
    ...finding.ownFixes.flatMap(({ edits }) =>
      edits.map(({ start, end }) => ({ start: finding.ownFixBase + start, end: finding.ownFixBase + end })),
    ),
  ]);
  const touched = spansOfFindings.map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start);
  const stays = new Set<string>();
  let next = 0;
  let until = 0;
  for (const [line, offset] of linesIn(tree.root, 0, true)) {
    let isTouched = until > offset;
    for (; next < touched.length && touched[next]!.start < offset + line.length; next++) {
      const { start, end } = touched[next]!;
      until = Math.max(until, end);
      // An insertion at the start of the line may change it, too.
      isTouched ||= end > offset || start === offset;
    }
    if (isTouched || ACCESS_DIRECTIVES.has(line.name) || line.text.includes('${')) continue;
    const [need, ...others] = overrideNeedsOfLine(line, '2.2');
    if (
      need?.key == null ||
      need.key === REFUSED_KEY ||
      others.length > 0 ||
      overrideNeedsOfLine(line, '2.4')[0]?.key !== need.key
    )
      continue;
    stays.add(need.key);
    // If AllowOverride does not allow the class, it allows none of its options.
    if (need.options.length > 0) stays.add(need.classes.join(' '));
  }
  return stays;
}

/** Whether both versions refuse the line in every .htaccess file. */
function isForServerOnly(line: Line): boolean {
  // 2.2 knows this directive and refuses it everywhere (set_nonce_format in
  // modules/aaa/mod_auth_digest.c).
  if (line.name === 'authdigestnonceformat') return true;
  const directiveFacts = directive(line.name, { section: line.kind === LineKind.Open });
  const versions = [directiveFacts?.['2.2'], directiveFacts?.['2.4']].filter((facts) => facts?.arguments !== undefined);
  if (versions.length > 0) return versions.every((facts) => !facts!.contexts.includes('.htaccess'));
  return line.kind === LineKind.Directive && isThirdPartyForServerOnly(line.name);
}

/**
 * Whether every version of a third-party module refuses a directive in every .htaccess file.
 */
function isThirdPartyForServerOnly(name: string): boolean {
  const places = thirdPartyModules(name, false).flatMap((module) =>
    Object.entries(module.places).flatMap(([each, place]) => (each.toLowerCase() === name ? [place] : [])),
  );
  return places.length > 0 && places.every((place) => !/[ho]/.test(place));
}

/** Directives that conversions of access control move or remove. */
const ACCESS_DIRECTIVES: ReadonlySet<string> = new Set([
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
 * The directives and section tags of a text with their offsets, in order. With `isUnconditional`,
 * leaves out those in conditions.
 */
function* linesIn(
  list: List,
  base: number,
  isUnconditional: boolean,
): Generator<readonly [line: Line, offset: number]> {
  let offset = base;
  for (const child of list.children) {
    if (child instanceof List) yield* linesIn(child, offset, isUnconditional);
    else if (child instanceof Section) {
      yield [child.open, offset];
      const kind = sectionKind(child.name);
      const isRead = kind === 'conditional' ? !isUnconditional : kind === 'container' || isTransparent(kind);
      if (isRead) yield* linesIn(child.body, offset + child.open.length, isUnconditional);
    } else if (child.kind === LineKind.Directive || child.kind === LineKind.Open) yield [child, offset];
    offset += child.length;
  }
}
