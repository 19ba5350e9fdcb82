/**
 * Finds out who gains access and who loses it between two configurations. For each section, the
 * result has one request that shows the change. Each URL is tried with several clients, one for
 * each group of clients that a section treats differently. Each request is decided with both
 * configurations.
 */
import {
  accessSections,
  clientsOf,
  sectionKeyParts,
  leftOutSections,
  maxWorkFor,
  requestFor,
  urlClasses,
  type AccessSection,
  type UrlClass,
  type WorkBudget,
} from './access-sections';
import type { Scope } from '../config/configuration';
import { hasWildcard, joinedPath, resolvePath } from '../config/files';
import { patternOf } from './applied';
import { SIMPLE_CLIENT, type ClientToTry } from './clients';
import type { ComputedAnswer } from './decide';
import type { Access, Request, RequestConfiguration, RequestServer, UnknownFact } from './model';
import { globSample, regexSamples } from './sample';
import { sectionsText, serverText } from './same-text';
import { siteOf, type Site } from './site';
import {
  accessAt,
  answersTogether,
  usualAnswersTogether,
  type AnswersOfServers,
  type Outcome,
  type UsualAnswers,
} from './together';
import { hostsToTry, type HostToTry } from './urls';
import { mayServeDirectory, unreachedReasons, type UnreachedReason } from './urls-of-file';

/** One side of a comparison: a configuration, and the server that reads it. */
export interface ConfigurationOfServer {
  readonly configuration: RequestConfiguration;
  readonly server: RequestServer;
}

/** How access changes for the clients of a section. `both`: some gain access and others lose it. */
export type DirectionOfChange = 'gain' | 'loss' | 'both' | 'none' | 'unknown';

/** A request that shows a change, and its answers in the old and in the new configuration. */
export interface DiffWitness {
  readonly request: Request;
  readonly before: Access;
  readonly after: Access;
}

/** The change of access in a section, and requests that show it. */
export interface ChangeOfSection {
  readonly change: DirectionOfChange;
  /**
   * The request that shows the gain, or the unknown answer; if there is only a loss, the request
   * that shows the loss. Null if nothing changes, or if no URL of the section was tried.
   */
  readonly witness: DiffWitness | null;
  /** The request that shows a loss, if `witness` shows something else. Otherwise null. */
  readonly loss: DiffWitness | null;
}

/** The change of access in one section. */
export interface SectionDiff extends ChangeOfSection {
  /** The tag as written, the path of the .htaccess file, or the name of a virtual host. */
  readonly name: string;
  readonly file: string;
  /** Zero-based. */
  readonly line: number;
  /** Whether only the old configuration has the section. */
  readonly isOnlyInOld: boolean;
  /**
   * The number of left-out sections that this one row stands for. Absent if it stands for one
   * section.
   */
  readonly sectionCount?: number;
  /**
   * The change if the parts that are missing in this copy of the server's files do not matter. Null
   * if the change depends on no missing part, or if it is still unknown.
   */
  readonly changeInCopy: ChangeOfSection | null;
  /** The facts about missing parts on which the change depends. Empty if `changeInCopy` is null. */
  readonly missingFacts: readonly UnknownFact[];
}

/** Options of `compareAccess`, which explains them. */
export interface DiffOptions {
  readonly ignoresOldErrors?: boolean;
  readonly triesCopy?: boolean;
  readonly limit?: WorkBudget;
}

/**
 * Compares two configurations. Null if a main file cannot be read. `ignoresOldErrors`: whether to
 * leave out requests that the old server answers with 500. `triesCopy`: whether to compute
 * `SectionDiff.changeInCopy`. `limit`: the work that may be done for the answers. The work that is
 * done is subtracted from it.
 */
export function compareAccess(
  configurationBefore: ConfigurationOfServer,
  configurationAfter: ConfigurationOfServer,
  { ignoresOldErrors = false, triesCopy = false, limit }: DiffOptions = {},
): readonly SectionDiff[] | null {
  const sites = [
    siteOf(configurationBefore.configuration, configurationBefore.server),
    siteOf(configurationAfter.configuration, configurationAfter.server),
  ];
  const [oldSite, newSite] = sites;
  return oldSite && newSite
    ? new AccessComparison([oldSite, newSite], {
        reasonsUnreached: [configurationBefore, configurationAfter].map(({ configuration }) =>
          unreachedReasons(configuration),
        ),
        ignoresOldErrors,
        triesCopy,
        limit,
      }).sectionDiffs()
    : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A section of one of the two configurations. */
interface ComparedSection extends AccessSection {
  /** A key that is equal for the same section in the other configuration. */
  readonly sectionKey: string;
}

/** The options of `AccessComparison`. */
interface ComparisonOptions {
  /** For the old and the new configuration: the reason why no URL leads to a section. */
  readonly reasonsUnreached: readonly ((scope: Scope) => UnreachedReason | null)[];
  readonly ignoresOldErrors: boolean;
  readonly triesCopy: boolean;
  readonly limit: WorkBudget | undefined;
}

/** The changes of one section, each with the simplest request that shows it. */
interface WitnessesOfSection {
  gain: DiffWitness | null;
  loss: DiffWitness | null;
  unknown: DiffWitness | null;
}

/**
 * The changes of one section. `foundWitnesses`: as the files show them. `witnessesInCopy`: the
 * changes if the parts that are missing in this copy of the server's files do not matter.
 */
interface ResultsOfSection {
  readonly foundWitnesses: WitnessesOfSection;
  readonly witnessesInCopy: WitnessesOfSection;
  /** The facts about missing parts that make a change or its answers unknown. */
  readonly missingFacts: Set<UnknownFact>;
}

/** Makes the changes of a section for which no request was found yet. */
const noWitnesses = (): WitnessesOfSection => ({ gain: null, loss: null, unknown: null });

/** Numbers that compare accesses: the larger one gives a client more. */
const ACCESS_RANK: Readonly<Record<Exclude<Access, 'unknown'>, number>> = { error: 0, denied: 1, login: 2, granted: 3 };

/** Compares two sites. It is made for one comparison. */
class AccessComparison {
  private readonly resultsBySection = new Map<string, ResultsOfSection>();
  private readonly oldSectionByKey: ReadonlyMap<string, ComparedSection>;
  private readonly newSectionByKey: ReadonlyMap<string, ComparedSection>;
  private readonly oldSectionsByPlace: SectionsByPlace;
  private readonly newSectionsByPlace: SectionsByPlace;
  private readonly isSameServer: boolean;
  /** The keys of the sections that apply to at least one tried URL. */
  private readonly reachedKeys = new Set<string>();
  /** Whether no limit left out URLs. */
  private isComplete = true;
  /** The work that may still be done for `changeInCopy`; negative if it is not computed. */
  private workLeftForCopy: number;

  private readonly limit: WorkBudget;
  private readonly ignoresOldErrors: boolean;

  constructor(
    private readonly sites: readonly [oldSite: Site, newSite: Site],
    private readonly options: ComparisonOptions,
  ) {
    const [oldSite, newSite] = sites;
    const { ignoresOldErrors, triesCopy, limit = { workLeft: maxWorkFor(sites) } } = options;
    this.limit = limit;
    this.ignoresOldErrors = ignoresOldErrors;
    this.oldSectionByKey = sectionsByKey(oldSite);
    this.newSectionByKey = sectionsByKey(newSite);
    this.oldSectionsByPlace = sectionsByPlace(this.oldSectionByKey.values());
    this.newSectionsByPlace = sectionsByPlace(this.newSectionByKey.values());
    this.isSameServer = oldSite.server === newSite.server;
    this.workLeftForCopy = triesCopy ? this.limit.workLeft : -1;
  }

  /**
   * Tries URLs until the work limit is reached. Returns an entry for each section, for places where
   * access changes outside of these, and for sections that were left out.
   */
  sectionDiffs(): SectionDiff[] {
    const searchState = { isComplete: true };
    for (const each of urlClasses(this.sites, searchState, { limit: this.limit })) {
      for (const { sections } of each.answersToSimpleClient.usualAnswers)
        for (const { scope } of sections) this.reachedKeys.add(keyOfPlace(scope));
      this.compareAnswers(each);
      if (this.limit.workLeft < 0) break;
    }
    this.isComplete = searchState.isComplete && this.limit.workLeft >= 0;
    // A URL that was left out may be the only one that shows the change of a section. So no section
    // counts as reached.
    if (this.limit.workLeft < 0) this.reachedKeys.clear();
    const newSectionDiffs = [...this.newSectionByKey.values()].map((section) => this.diffOfSection(section, false));
    const sectionsOnlyInOld = [...this.oldSectionByKey.values()].filter(
      ({ sectionKey }) => !this.newSectionByKey.has(sectionKey),
    );
    const restOfSections = leftOutSections(this.sites[1]) ?? leftOutSections(this.sites[0]);
    const keysOfPlaces = [...this.resultsBySection.keys()].filter(
      (key) => !this.newSectionByKey.has(key) && !this.oldSectionByKey.has(key),
    );
    return [
      ...newSectionDiffs,
      ...sectionsOnlyInOld.map((section) => this.diffOfSection(section, true)),
      ...keysOfPlaces.map((key) => this.diffOfPlace(key)),
      ...(restOfSections === null ? [] : [entryForLeftOutSections(restOfSections)]),
    ];
  }

  /**
   * Compares the answers to a URL, for one client of each group. Adds the changes that they show.
   */
  private compareAnswers({ host, path, answersToSimpleClient, findClients }: UrlClass): void {
    if (this.isSameServer && this.hasSameText(answersToSimpleClient)) return;
    const seenChangeKeys = new Set<string>();
    for (const client of findClients()) {
      if (this.limit.workLeft < 0) return;
      const request = requestFor(host, path, client);
      const comparedAnswers = this.answersTo(request);
      if (comparedAnswers === null) return;
      this.addChange(request, client, comparedAnswers, seenChangeKeys);
    }
  }

  /** The answers of both servers. Null if the limit of the work is reached. */
  private answersTo(request: Request): AnswersOfServers | null {
    const comparedAnswers = answersTogether(request, this.sites, { maxWork: this.limit.workLeft });
    this.limit.workLeft -= comparedAnswers.workDone;
    return comparedAnswers.isStopped ? null : comparedAnswers;
  }

  /**
   * Adds the change that a request shows. `seenChangeKeys`: the changes that a simpler client has
   * shown.
   */
  private addChange(
    request: Request,
    client: ClientToTry,
    comparedAnswers: AnswersOfServers,
    seenChangeKeys: Set<string>,
  ): void {
    const change = changeOf(comparedAnswers.outcomes);
    if (change === 'none') return;
    const accesses = [accessAt(0, comparedAnswers), accessAt(1, comparedAnswers)];
    if (this.ignoresOldErrors && accesses[0] === 'error') return;
    const keyOfSection = this.causingSectionKey(comparedAnswers);
    const answersOfCopy =
      change === 'unknown' || accesses.includes('unknown') ? this.answersInCopy(request) : comparedAnswers;
    const changeInCopy = answersOfCopy === null ? 'unknown' : changeOf(answersOfCopy.outcomes);
    const resultsOfKey = this.resultsBySection.get(keyOfSection) ?? {
      foundWitnesses: noWitnesses(),
      witnessesInCopy: noWitnesses(),
      missingFacts: new Set(),
    };
    this.resultsBySection.set(keyOfSection, resultsOfKey);
    if (answersOfCopy !== comparedAnswers)
      for (const fact of comparedAnswers.decisiveFacts) if (fact.isOfMissingPart) resultsOfKey.missingFacts.add(fact);
    // The simplest clients come first, and the first one that shows a change is used.
    if (seenChangeKeys.has(`${change} ${changeInCopy} ${keyOfSection}`)) return;
    seenChangeKeys.add(`${change} ${changeInCopy} ${keyOfSection}`);
    resultsOfKey.foundWitnesses[change] ??= witnessOf(request, client, comparedAnswers);
    if (changeInCopy !== 'none')
      resultsOfKey.witnessesInCopy[changeInCopy] ??= witnessOf(request, client, answersOfCopy ?? comparedAnswers);
  }

  /** The answers if the missing parts do not matter. Null if the limit of the work is reached. */
  private answersInCopy(request: Request): AnswersOfServers | null {
    if (this.workLeftForCopy < 0) return null;
    const answersOfCopy = answersTogether(request, this.sites, {
      ignoresMissingParts: true,
      maxWork: this.workLeftForCopy,
    });
    this.workLeftForCopy -= answersOfCopy.workDone;
    return answersOfCopy.isStopped ? null : answersOfCopy;
  }

  /** Whether the lines that decide access to a URL are the same in both configurations. */
  private hasSameText({ usualAnswers }: UsualAnswers): boolean {
    const [textBefore, textAfter] = usualAnswers.map((each) => sectionsText(each));
    if (textBefore !== textAfter) return false;
    this.serverTexts ??= this.sites.map((site) => serverText(site));
    return this.serverTexts[0] === this.serverTexts[1];
  }

  private serverTexts: readonly string[] | null = null;

  /**
   * The key of the section that causes a change. That is a section with a deciding line and a
   * changed text. Without such a section, it is the last section with a changed text. If no text is
   * changed, it is the section that decides.
   */
  private causingSectionKey({ usualAnswers }: AnswersOfServers): string {
    const [answerBefore, answerAfter] = usualAnswers as [ComputedAnswer, ComputedAnswer];
    const decidingSections = [
      ...sectionsOfAnswer(answerAfter, this.newSectionsByPlace, true),
      ...sectionsOfAnswer(answerBefore, this.oldSectionsByPlace, true),
    ];
    const appliedSections = [
      ...sectionsOfAnswer(answerAfter, this.newSectionsByPlace, false).reverse(),
      ...sectionsOfAnswer(answerBefore, this.oldSectionsByPlace, false).reverse(),
    ];
    const isChanged = ({ sectionKey: key }: ComparedSection) => this.isChanged(key);
    const decisiveSection =
      decidingSections.find(isChanged) ?? appliedSections.find(isChanged) ?? decidingSections[0] ?? appliedSections[0];
    if (decisiveSection) return decisiveSection.sectionKey;
    const { place, name } = answerAfter.answer.host;
    return `at ${place?.file ?? this.sites[1].root.file.path}:${place?.line ?? 0} ${name}`;
  }

  /**
   * Whether the text of a section differs between the configurations, or only one of them has it.
   */
  private isChanged(key: string): boolean {
    return this.oldSectionByKey.get(key)?.text() !== this.newSectionByKey.get(key)?.text();
  }

  /** The row for a section. */
  private diffOfSection(section: ComparedSection, isOnlyInOld: boolean): SectionDiff {
    const { name, file, line, sectionKey } = section;
    const result = this.isUnknown(section) ? UNTRIED_RESULT : this.resultOf(sectionKey);
    return { name, file, line, isOnlyInOld, ...result };
  }

  /**
   * Whether it is unknown if access to a section changes. Three cases: both servers read some lines
   * in a way that this program does not know, and the text of the section changed; a limit left out
   * URLs of the section; or no tried URL leads to it, and access may change if another URL does.
   */
  private isUnknown({ sectionKey }: ComparedSection): boolean {
    if (this.resultsBySection.has(sectionKey)) return false;
    const isChanged = this.isChanged(sectionKey);
    const areAnswersUnknown =
      this.isSameServer && this.sites.every((site) => site.differentlyReadLine || site.hasQuotedTag);
    if (isChanged && areAnswersUnknown) return true;
    if (this.isSectionReached(sectionKey)) return false;
    return this.isComplete ? isChanged && this.mayChangeUnreached(sectionKey) : !this.isSameServer || isChanged;
  }

  /** Whether a tried URL leads to a section in at least one of the configurations. */
  private isSectionReached(sectionKey: string): boolean {
    return this.sectionsWithKey(sectionKey).some(({ section }) => this.reachedKeys.has(keyOfPlace(section.scope)));
  }

  /** The section in the old (index 0) and in the new configuration (1), if they have it. */
  private sectionsWithKey(sectionKey: string): { readonly section: ComparedSection; readonly index: number }[] {
    return [this.oldSectionByKey, this.newSectionByKey].flatMap((byKey, index) => {
      const section = byKey.get(sectionKey);
      return section === undefined ? [] : [{ section, index }];
    });
  }

  /**
   * Whether access to a changed section may change, if no tried URL leads to it. It cannot change
   * if no line leads to its directory. Otherwise the answers for a file in the directory are
   * compared, as if a URL led to it.
   */
  private mayChangeUnreached(sectionKey: string): boolean {
    const sections = this.sectionsWithKey(sectionKey);
    const { reasonsUnreached } = this.options;
    if (sections.every(({ section, index }) => reasonsUnreached[index]!(section.scope)?.isCertain)) return false;
    return sections.some(({ section: { scope }, index }) => {
      const site = this.sites[index]!;
      const example = exampleFor(scope, site.configuration.serverRoot);
      if (example === null) return true;
      const folder = example.file.slice(0, example.file.lastIndexOf('/')) || '/';
      const hosts = hostsOfSection(scope, site).filter((host) => mayServeDirectory(folder, host.scope, site));
      return hosts.some((host) => !this.isAccessSameFor(host, example, sections, index));
    });
  }

  /**
   * Whether access to `file` is the same in both configurations for each client, if `url` leads to
   * it. False if one of the sections does not apply to the file. True if another virtual host
   * answers the request. `host`: a virtual host of the site with the index `indexOfHost`.
   */
  private isAccessSameFor(
    host: HostToTry,
    { url, file }: { readonly url: string; readonly file: string },
    sections: readonly { readonly section: ComparedSection; readonly index: number }[],
    indexOfHost: number,
  ): boolean {
    const requestOf = (client: ClientToTry): Request => ({
      ...requestFor(host, url, client),
      assumedFile: file,
    });
    const { usualAnswers, workDone } = usualAnswersTogether(requestOf(SIMPLE_CLIENT), this.sites);
    this.limit.workLeft -= workDone;
    // Another virtual host answers all requests.
    if (usualAnswers[indexOfHost]!.hostScope !== host.scope) return true;
    // httpd does not read a .htaccess file that AllowOverride forbids.
    const doesApply = sections.every(
      ({ section, index }) =>
        section.scope.kind === 'htaccess' ||
        usualAnswers[index]!.sections.some(({ scope }) => keyOfPlace(scope) === keyOfPlace(section.scope)),
    );
    return (
      doesApply &&
      clientsOf(usualAnswers, this.sites).every((client) => {
        const comparedAnswers = this.limit.workLeft < 0 ? null : this.answersTo(requestOf(client));
        return comparedAnswers !== null && changeOf(comparedAnswers.outcomes) === 'none';
      })
    );
  }

  /**
   * The row for a change that no section causes. Its place is the virtual host or the main file.
   */
  private diffOfPlace(key: string): SectionDiff {
    const [, file = '', line = '0', name = ''] = /^at (.*):(\d+) (.*)$/s.exec(key) ?? [];
    return { name, file, line: Number(line), isOnlyInOld: false, ...this.resultOf(key) };
  }

  /**
   * The result of a section. If a limit left out requests, a section with a loss counts as unknown,
   * because the other requests may show a gain.
   */
  private resultOf(key: string): ResultOfSection {
    const resultsOfKey = this.resultsBySection.get(key);
    const result = changeAndWitnesses(resultsOfKey?.foundWitnesses);
    if (this.limit.workLeft < 0 && result.change === 'loss')
      return { ...UNTRIED_RESULT, change: 'unknown', loss: result.witness };
    const changeInCopy = changeAndWitnesses(resultsOfKey?.witnessesInCopy);
    const isCopyResultShown =
      result.change === 'unknown' ? changeInCopy.change !== 'unknown' : changeInCopy.change === result.change;
    const missingFacts = [...(resultsOfKey?.missingFacts ?? [])];
    return missingFacts.length > 0 && isCopyResultShown && this.limit.workLeft >= 0
      ? { ...result, changeInCopy, missingFacts }
      : { ...UNTRIED_RESULT, ...result };
  }
}

/**
 * The fields of a `SectionDiff` that come from the compared requests. The other fields only name
 * the section.
 */
type ResultOfSection = ChangeOfSection & Pick<SectionDiff, 'changeInCopy' | 'missingFacts'>;

/** The result of a section to which no request was compared. */
const UNTRIED_RESULT: ResultOfSection = {
  change: 'unknown',
  witness: null,
  loss: null,
  changeInCopy: null,
  missingFacts: [],
};

/**
 * A URL and a file to which a section applies if the URL leads to the file. Null if no such example
 * is found.
 */
function exampleFor(scope: Scope, serverRoot: string): { readonly url: string; readonly file: string } | null {
  let name: string | null = null;
  let folder: string | null = null;
  let url: string | null = null;
  for (let currentScope: Scope | null = scope; currentScope !== null; currentScope = currentScope.parent) {
    if (currentScope.kind === 'htaccess') folder ??= currentScope.folder ?? null;
    if (!/^(?:directory|files|location)(?:match)?$/.test(currentScope.kind)) continue;
    const sample = textMatchedBy(patternOf(currentScope), currentScope.kind);
    if (sample === null) return null;
    if (currentScope.kind.startsWith('files')) name ??= sample;
    else if (currentScope.kind.startsWith('directory')) folder ??= resolvePath(serverRoot, sample);
    else url ??= sample;
  }
  const file = joinedPath(folder ?? '/', name ?? 'x');
  return { url: url ?? file, file };
}

/**
 * A path or name that the argument of a section (`isRegex`, `text`) matches. Null if none is found.
 */
function textMatchedBy({ isRegex, text }: ReturnType<typeof patternOf>, kind: string): string | null {
  if (!isRegex) return hasWildcard(text) ? globSample(text) : text;
  const samples = regexSamples(text);
  return kind.startsWith('files') ? (samples[0] ?? null) : (samples.find((each) => each.startsWith('/')) ?? null);
}

/** The virtual host with the section; for a section of the main server, all hosts. */
function hostsOfSection(scope: Scope, site: Site): readonly HostToTry[] {
  const hosts = hostsToTry(site);
  for (let currentScope: Scope | null = scope; currentScope !== null; currentScope = currentScope.parent) {
    const hostsWithScope =
      currentScope.kind === 'virtualhost' ? hosts.filter((host) => host.scope === currentScope) : [];
    if (hostsWithScope.length > 0) return hostsWithScope;
  }
  return hosts;
}

/** The entry that stands for the sections that were left out. */
function entryForLeftOutSections({
  name,
  file,
  line,
  count,
}: NonNullable<ReturnType<typeof leftOutSections>>): SectionDiff {
  return { name, file, line, isOnlyInOld: false, sectionCount: count, ...UNTRIED_RESULT };
}

/** A key that identifies a section or .htaccess file within one of the two configurations. */
function keyOfPlace(scope: AccessSection['scope']): string {
  return scope.kind === 'htaccess' ? scope.file.path : JSON.stringify(sectionKeyParts(scope));
}

/** The change of a section from the requests that show it. Undefined stands for no request. */
function changeAndWitnesses(witnesses: WitnessesOfSection | undefined): ChangeOfSection {
  if (!witnesses) return { change: 'none', witness: null, loss: null };
  const { gain, loss, unknown } = witnesses;
  if (gain) return { change: loss ? 'both' : 'gain', witness: gain, loss };
  // An unknown answer may be a gain, so it comes before a loss.
  if (unknown) return { change: 'unknown', witness: unknown, loss };
  return { change: loss ? 'loss' : 'none', witness: loss, loss: null };
}

/**
 * The change of access. `outcomes`: a pair (old, new) for each combination of unknown facts. If the
 * pairs show different changes, the result is `unknown`; but if each shows `none` or `loss`, it is
 * `loss`.
 */
function changeOf(outcomes: readonly (readonly Outcome[])[]): 'gain' | 'loss' | 'unknown' | 'none' {
  const changes = new Set(
    outcomes.map(([outcomeBefore, outcomeAfter]) => changeBetween(outcomeBefore!, outcomeAfter!)),
  );
  if (changes.size === 1) return [...changes][0]!;
  changes.delete('none');
  return changes.size === 1 && changes.has('loss') ? 'loss' : 'unknown';
}

/**
 * The change between two outcomes. Two unknown outcomes count as equal if their reasons are equal.
 */
function changeBetween(outcomeBefore: Outcome, outcomeAfter: Outcome): 'gain' | 'loss' | 'unknown' | 'none' {
  if (outcomeBefore.access === 'unknown' || outcomeAfter.access === 'unknown')
    return outcomeBefore.access === outcomeAfter.access && outcomeBefore.why === outcomeAfter.why ? 'none' : 'unknown';
  const difference = ACCESS_RANK[outcomeAfter.access] - ACCESS_RANK[outcomeBefore.access];
  return difference === 0 ? 'none' : difference > 0 ? 'gain' : 'loss';
}

/** The request with its answers, as a row shows it. */
function witnessOf(request: Request, client: ClientToTry, comparedAnswers: AnswersOfServers): DiffWitness {
  return {
    request: { ...request, from: client.from },
    before: accessAt(0, comparedAnswers),
    after: accessAt(1, comparedAnswers),
  };
}

/** The sections of a site by a key: their tags, and a number for sections with the same tags. */
function sectionsByKey(site: Site): Map<string, ComparedSection> {
  const sectionByKey = new Map<string, ComparedSection>();
  const countByTags = new Map<string, number>();
  for (const section of accessSections(site)) {
    const tagsText = section.tags();
    const timesSeen = (countByTags.get(tagsText) ?? 0) + 1;
    countByTags.set(tagsText, timesSeen);
    const sectionKey = `${tagsText} ${timesSeen}`;
    sectionByKey.set(sectionKey, { ...section, sectionKey });
  }
  return sectionByKey;
}

/** The sections of one configuration by their scopes, and its .htaccess files by their paths. */
type SectionsByPlace = ReadonlyMap<Scope | string, readonly ComparedSection[]>;

/** Groups sections by their scopes, and .htaccess files also by their paths. */
function sectionsByPlace(sections: Iterable<ComparedSection>): SectionsByPlace {
  const sectionsOfPlaces = new Map<Scope | string, ComparedSection[]>();
  for (const section of sections)
    for (const place of [section.scope, ...(section.scope.kind === 'htaccess' ? [section.file] : [])])
      sectionsOfPlaces.set(place, [...(sectionsOfPlaces.get(place) ?? []), section]);
  return sectionsOfPlaces;
}

/**
 * The sections with access lines that apply to a request, in order. If `onlyDeciding`, only the
 * sections that decide.
 */
function sectionsOfAnswer(
  { answer, sections }: ComputedAnswer,
  knownSections: SectionsByPlace,
  onlyDeciding: boolean,
): ComparedSection[] {
  const matchingSections = [
    ...new Set(
      sections.flatMap(({ scope }) => [
        ...(knownSections.get(scope) ?? []),
        ...(knownSections.get(scope.file.path) ?? []),
      ]),
    ),
  ];
  const orderByScope = new Map(sections.map(({ scope }, index) => [scope, index]));
  matchingSections.sort((a, b) => (orderByScope.get(a.scope) ?? 0) - (orderByScope.get(b.scope) ?? 0));
  if (!onlyDeciding) return matchingSections;
  return matchingSections.filter(({ scope, file, line }) =>
    answer.because.some((reason) => {
      if (reason.file !== file) return false;
      if (scope.kind === 'htaccess') return true;
      const sectionLineCount = scope.section ? lineCountOf(scope) : 0;
      return reason.line >= line && reason.line <= line + sectionLineCount;
    }),
  );
}

/** The number of line ends in a section. */
function lineCountOf({ section, file, offset }: AccessSection['scope']): number {
  const firstLine = file.tree.positionAt(offset).line;
  return file.tree.positionAt(Math.min(offset + section!.length, file.tree.length)).line - firstLine;
}
