/**
 * Who gains access and who loses it between two configurations: for each section one request that
 * shows it. The same requests are decided on both sides, with one of each kind of client that the
 * sections of either side tell apart.
 */
import { accessSections, requestFor, urlClasses, type AccessSection, type UrlClass } from './access-sections';
import type { ClientToTry } from './clients';
import type { Computed } from './decide';
import type { Access, Request, RequestConfiguration, RequestServer } from './model';
import { sectionsText, serverText } from './same-text';
import { siteOf, type Site } from './site';
import { accessAt, answersTogether, type Outcome, type Together } from './together';

export interface DiffSide {
  readonly configuration: RequestConfiguration;
  readonly server: RequestServer;
}

export type AccessChange = 'gain' | 'loss' | 'both' | 'none' | 'unknown';

/** A request that shows a change. */
export interface DiffWitness {
  readonly request: Request;
  readonly before: Access;
  readonly after: Access;
}

export interface SectionDiff {
  readonly name: string;
  readonly file: string;
  /** Zero-based. */
  readonly line: number;
  /** Whether only the old configuration has the section. */
  readonly isGone: boolean;
  readonly change: AccessChange;
  /**
   * Of a gain, if there is one. Null if nothing changes, and if no URL of the section was tried.
   */
  readonly witness: DiffWitness | null;
  /** Of the loss, for `both`. Null otherwise. */
  readonly loss: DiffWitness | null;
}

/**
 * Null if a main file cannot be read. `ignoresOldErrors`: leaves out requests that the old server
 * answers with a configuration error.
 */
export function accessDiff(before: DiffSide, after: DiffSide, ignoresOldErrors = false): readonly SectionDiff[] | null {
  const sites = [siteOf(before.configuration, before.server), siteOf(after.configuration, after.server)];
  const [old, now] = sites;
  return old && now ? new Diff(old, now, ignoresOldErrors).run() : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The changes of one section, each with the simplest request that shows it. */
interface Seen {
  gain: DiffWitness | null;
  loss: DiffWitness | null;
  unknown: DiffWitness | null;
}

const RANK: Readonly<Record<Exclude<Access, 'unknown'>, number>> = { error: 0, denied: 1, login: 2, granted: 3 };

class Diff {
  private readonly seen = new Map<string, Seen>();
  private readonly oldByKey: ReadonlyMap<string, AccessSection>;
  private readonly nowByKey: ReadonlyMap<string, AccessSection>;
  private readonly isSameServer: boolean;
  /** The places of sections to which a tried URL leads. */
  private readonly reached = new Set<string>();
  private isComplete = true;

  constructor(
    private readonly old: Site,
    private readonly now: Site,
    private readonly ignoresOldErrors: boolean,
  ) {
    this.oldByKey = byKey(old);
    this.nowByKey = byKey(now);
    this.isSameServer = old.server === now.server;
  }

  run(): SectionDiff[] {
    const tried = { isComplete: true };
    for (const each of urlClasses([this.old, this.now], tried)) {
      for (const { sections } of each.first.usual) for (const { scope } of sections) this.reached.add(placeOf(scope));
      this.compare(each);
    }
    this.isComplete = tried.isComplete;
    const rows = [...this.nowByKey.values()].map((section) => this.rowOf(section, false));
    const gone = [...this.oldByKey.values()].filter(({ key }) => !this.nowByKey.has(key));
    const others = [...this.seen.keys()].filter((key) => !this.nowByKey.has(key) && !this.oldByKey.has(key));
    return [...rows, ...gone.map((section) => this.rowOf(section, true)), ...others.map((key) => this.rowOfPlace(key))];
  }

  private compare({ host, path, first, clients }: UrlClass): void {
    if (this.isSameServer && this.hasSameText(first)) return;
    const done = new Set<string>();
    for (const client of clients()) {
      const request = requestFor(host, path, client);
      const together = answersTogether(request, [this.old, this.now]);
      const change = changeOf(together.outcomes);
      if (change === 'none') continue;
      if (this.ignoresOldErrors && accessAt(0, together) === 'error') continue;
      const key = this.sectionKey(together);
      // The clients come in order: the first that shows a change is the simplest.
      if (done.has(`${change} ${key}`)) continue;
      done.add(`${change} ${key}`);
      const seen = this.seen.get(key) ?? { gain: null, loss: null, unknown: null };
      this.seen.set(key, seen);
      seen[change] ??= {
        request: shown(request, client),
        before: accessAt(0, together),
        after: accessAt(1, together),
      };
    }
  }

  /** Whether everything that decides access to a URL reads the same on both sides. */
  private hasSameText({ usual }: Together): boolean {
    const [before, after] = usual.map((each) => sectionsText(each));
    if (before !== after) return false;
    this.serverText ??= [this.old, this.now].map((site) => serverText(site));
    return this.serverText[0] === this.serverText[1];
  }

  private serverText: readonly string[] | null = null;

  /**
   * The section that a change belongs to: one with a deciding line, if its text is another one now;
   * otherwise the last section whose text is another one; otherwise the deciding one.
   */
  private sectionKey({ usual }: Together): string {
    const [before, after] = usual as [Computed, Computed];
    const deciding = [...sectionsOf(after, this.nowByKey, true), ...sectionsOf(before, this.oldByKey, true)];
    const all = [
      ...sectionsOf(after, this.nowByKey, false).reverse(),
      ...sectionsOf(before, this.oldByKey, false).reverse(),
    ];
    const isChanged = ({ key }: AccessSection) => this.oldByKey.get(key)?.text !== this.nowByKey.get(key)?.text;
    const found = deciding.find(isChanged) ?? all.find(isChanged) ?? deciding[0] ?? all[0];
    if (found) return found.key;
    const { place, name } = after.answer.host;
    return `at ${place?.file ?? this.now.root.file.path}:${place?.line ?? 0} ${name}`;
  }

  private rowOf(section: AccessSection, isGone: boolean): SectionDiff {
    const { name, file, line, key } = section;
    const result = this.isUnknown(section) ? NOT_TRIED : resultOf(this.seen.get(key));
    return { name, file, line, isGone, ...result };
  }

  /**
   * Whether a section may have changed, and its URLs were left out by a limit, or no answer of
   * either side is known.
   */
  private isUnknown({ key, scope }: AccessSection): boolean {
    if (this.seen.has(key)) return false;
    const isChanged = this.oldByKey.get(key)?.text !== this.nowByKey.get(key)?.text;
    const isVague = this.isSameServer && [this.old, this.now].every((site) => site.misread || site.hasQuotedTag);
    if (isChanged && isVague) return true;
    if (this.isComplete || this.reached.has(placeOf(scope))) return false;
    return !this.isSameServer || isChanged;
  }

  /** For a change that belongs to no section: the virtual host, or the main file. */
  private rowOfPlace(key: string): SectionDiff {
    const [, file = '', line = '0', name = ''] = /^at (.*):(\d+) (.*)$/s.exec(key) ?? [];
    return { name, file, line: Number(line), isGone: false, ...resultOf(this.seen.get(key)) };
  }
}

const NOT_TRIED = { change: 'unknown', witness: null, loss: null } as const;

/** Identifies a section of one side, or a .htaccess file. */
function placeOf({ file, offset, kind }: AccessSection['scope']): string {
  return kind === 'htaccess' ? file.path : `${file.path} ${offset}`;
}

function resultOf(seen: Seen | undefined): Pick<SectionDiff, 'change' | 'witness' | 'loss'> {
  if (!seen) return { change: 'none', witness: null, loss: null };
  const { gain, loss, unknown } = seen;
  if (gain) return { change: loss ? 'both' : 'gain', witness: gain, loss };
  // An unknown answer counts as a gain, so it comes before a loss.
  if (unknown) return { change: 'unknown', witness: unknown, loss };
  return { change: loss ? 'loss' : 'none', witness: loss, loss: null };
}

/** A change that hangs on facts that the files do not show is unknown, unless all facts agree. */
function changeOf(outcomes: readonly (readonly Outcome[])[]): 'gain' | 'loss' | 'unknown' | 'none' {
  const changes = new Set(outcomes.map(([before, after]) => changeFrom(before!, after!)));
  if (changes.size === 1) return [...changes][0]!;
  changes.delete('none');
  return changes.size === 1 && changes.has('loss') ? 'loss' : 'unknown';
}

function changeFrom(before: Outcome, after: Outcome): 'gain' | 'loss' | 'unknown' | 'none' {
  if (before.access === 'unknown' || after.access === 'unknown')
    return before.access === after.access && before.why === after.why ? 'none' : 'unknown';
  const difference = RANK[after.access] - RANK[before.access];
  return difference === 0 ? 'none' : difference > 0 ? 'gain' : 'loss';
}

function shown(request: Request, client: ClientToTry): Request {
  return { ...request, from: client.from };
}

function byKey(site: Site): Map<string, AccessSection> {
  return new Map(accessSections(site).map((section) => [section.key, section]));
}

/** The sections with access lines that apply to a request, in order. `isDeciding`: only those. */
function sectionsOf(
  { answer, sections }: Computed,
  known: ReadonlyMap<string, AccessSection>,
  isDeciding: boolean,
): AccessSection[] {
  const applied = new Set(sections.map(({ scope }) => scope));
  const all = [...known.values()].filter(
    ({ scope, file }) =>
      applied.has(scope) || (scope.kind === 'htaccess' && sections.some((each) => each.scope.file.path === file)),
  );
  const order = new Map(sections.map(({ scope }, index) => [scope, index]));
  all.sort((a, b) => (order.get(a.scope) ?? 0) - (order.get(b.scope) ?? 0));
  if (!isDeciding) return all;
  return all.filter(({ scope, file, line }) =>
    answer.because.some((reason) => {
      if (reason.file !== file) return false;
      if (scope.kind === 'htaccess') return true;
      const lines = scope.section ? textLines(scope) : 0;
      return reason.line >= line && reason.line <= line + lines;
    }),
  );
}

function textLines({ section, file, offset }: AccessSection['scope']): number {
  const start = file.tree.positionAt(offset).line;
  return file.tree.positionAt(Math.min(offset + section!.length, file.tree.length)).line - start;
}
