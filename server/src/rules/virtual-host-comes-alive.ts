import { parseRequire, MODULE_BY_PROVIDER, PROVIDERS_22 } from '../access/require';
import { openQuestion, questionOfGap } from '../access/open-question';
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { isMainFileTree } from '../config/file-summary';
import { linesOf, type LoadedModules } from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import {
  hostDifferences,
  neededSections,
  NAME_OF_COPY,
  type HostDifference,
  type NeededSection,
} from '../config/virtual-host-changes';
import {
  hasHiddenLines,
  hostReadings,
  doNamesMatter,
  unresolvedNames,
  type HostReading,
} from '../config/virtual-host-lines';
import { serverNameOf } from '../config/virtual-hosts';
import { module as moduleNamed } from '../directives';
import { argumentsOf, indentOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, textOf } from '../syntax/tree';
import { contentSpan, joinedItems, fittingHeadline, lineEnd, removeLine } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Edit, Fix } from './rule';

/** Names of directives that 2.2 has and 2.4 refuses. */
const NAMES_OF_22 = ['lockfile', 'acceptmutex', 'sslmutex', 'rewritelog', 'rewriteloglevel', 'rewritelock'];

/**
 * Finds requests that another virtual host answers in 2.4 than in 2.2. config/virtual-hosts.ts
 * computes which virtual host each version selects.
 */
export const virtualHostComesAlive: ConfigurationRule = {
  id: 'virtual-host-comes-alive',
  title: 'Virtual hosts of which 2.4 selects another one than 2.2',
  consequence: 'meaning changed',
  since: 0,
  fix: 'safe',
  checks: 'configuration',
  names: [
    'namevirtualhost',
    'listen',
    'servername',
    'serveralias',
    'serverpath',
    'order',
    'satisfy',
    'require',
    'includeoptional',
    ...NAMES_OF_22,
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
  examples: [
    {
      title: 'NameVirtualHost for another address',
      before:
        'PidFile run/httpd.pid\nListen 8080\nNameVirtualHost *:80\n<VirtualHost *:8080>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['named', 'comes-alive'],
      after: 'PidFile run/httpd.pid\nListen 8080\n<VirtualHost *:8080>\n    ServerName a.example\n</VirtualHost>\n',
    },
    {
      title: 'Any port, held to the port of NameVirtualHost',
      before:
        'PidFile run/httpd.pid\nListen 80\nListen 8080\nNameVirtualHost 192.0.2.1:80\n<VirtualHost 192.0.2.1>\n    ServerName a.example\n</VirtualHost>\n',
      finds: ['named', 'other-host'],
      after:
        'PidFile run/httpd.pid\nListen 80\nListen 8080\n<VirtualHost 192.0.2.1:80>\n    ServerName a.example\n</VirtualHost>\n',
    },
  ],
  check({ configuration, modules, answerTo }) {
    if (answerTo(openQuestion('running-version', '', [])) === '2.4') return [];
    const reason = reasonNotCompared(configuration, answerTo);
    if (reason !== null) return findingsOfNameVirtualHost(configuration, `${reason} ${UNKNOWN_HOSTS_TEXT}`);
    const evidence = evidenceOf22(configuration, modules, answerTo(openQuestion('running-version', '', [])) === '2.2');
    if (evidence === 'none') return [];
    const readingsAsIs = hostReadings(configuration, false);
    if (readingsAsIs.length === 0) return findingsOfUnknown(configuration);
    if (!readingsAsIs.some(doNamesMatter)) return [];
    const readings = hostReadings(configuration, true);
    const [first] = readings;
    if (first === undefined) return findingsOfUnknown(configuration);
    const differences = differencesInAll(readings);
    if (differences.length === 0) return findingsInSome(readings, configuration, evidence);
    const isReadingKnown = readings.length === 1 && !hasHiddenLines(configuration);
    const fix = isReadingKnown ? sharedFixOf(first, configuration, evidence) : null;
    return [
      ...nameVirtualHostFindings(configuration, fix),
      ...differences.map((difference) => findingOf(difference, first, evidence, fix)),
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * How certain it is that 2.2 reads the configuration as it is. `sure`: it has NameVirtualHost
 * lines. `likely`: something else shows 2.2, but such lines may have been removed for 2.4.
 * `perhaps`: nothing shows whether it is for 2.2 or 2.4. `none`: it has lines that 2.2 refuses.
 */
type EvidenceOf22 = 'sure' | 'likely' | 'perhaps' | 'none';

/**
 * Whether the files are the whole configuration of a server: they include its main file or have
 * Listen lines.
 */
function isWholeConfiguration(configuration: Configuration): boolean {
  return (
    namesInUse(configuration).hasName('listen') ||
    [...configuration.files.values()].some(({ tree, path }) => isMainFileTree(tree.root, path))
  );
}

const UNKNOWN_HOSTS_TEXT = 'So it is not known whether 2.4 selects the same virtual hosts as 2.2.';

/** Why the virtual hosts of a configuration cannot be compared, as a sentence. Null if they can. */
function reasonNotCompared(configuration: Configuration, answerTo: ConfigurationRuleInput['answerTo']): string | null {
  const gap = configuration.gaps.find((each) => answerTo(questionOfGap(each)) !== 'no-hosts');
  if (gap !== undefined) return `Not all lines of the configuration are known (${placeOf(gap)}).`;
  return isWholeConfiguration(configuration) ? null : 'No line opens a port, so other files have more lines.';
}

/**
 * How certain it is that 2.2 reads the configuration as it is. `isAnswered`: the user answered that
 * the server runs 2.2.
 */
function evidenceOf22(configuration: Configuration, modules: LoadedModules, isAnswered: boolean): EvidenceOf22 {
  const usedNames = namesInUse(configuration);
  if (usedNames.hasName('namevirtualhost')) return 'sure';
  // An earlier fix may have removed the NameVirtualHost lines.
  if (isAnswered) return 'likely';
  if (hasLinesOnlyFor24(configuration, modules)) return 'none';
  return ['order', 'satisfy', ...NAMES_OF_22].some((name) => usedNames.hasName(name)) ? 'likely' : 'perhaps';
}

/** Whether a configuration has lines that 2.2 refuses. */
function hasLinesOnlyFor24(configuration: Configuration, { loadLines }: LoadedModules): boolean {
  const usedNames = namesInUse(configuration);
  return (
    usedNames.hasName('includeoptional') ||
    usedNames.sectionNames().some((name) => /^(require(all|any|none)|if|elseif|else)$/.test(name)) ||
    loadLines.some(({ configLine }) => isOnlyIn24(argumentsOf(configLine.line)[0]?.value ?? '')) ||
    usedNames.lines('require').some((line) => {
      const { isNegated, provider } = parseRequire(line);
      const providerName = provider?.value.toLowerCase() ?? '';
      return isNegated || (MODULE_BY_PROVIDER.has(providerName) && !PROVIDERS_22.has(providerName));
    })
  );
}

/**
 * Whether only 2.4 can load the module with this identifier. 2.2 never loads an MPM from a file.
 */
function isOnlyIn24(identifier: string): boolean {
  const facts = moduleNamed(identifier);
  return identifier.startsWith('mpm_') || (facts?.['2.4']?.identifier === identifier && facts['2.2'] === undefined);
}

/**
 * A difference, with the sections that answer in 2.2 and in 2.4. A section is null if the main
 * server answers.
 */
interface AnsweringSections extends HostDifference {
  readonly oldScope: Scope | null;
  readonly newScope: Scope | null;
}

/**
 * The differences that occur in every reading that has their sections (`HostReading`: the virtual
 * hosts under one assumption). Returns only the first difference for each section that answers in
 * 2.4.
 */
function differencesInAll(readings: readonly HostReading[]): readonly AnsweringSections[] {
  const differencesOfReadings = readings.map(({ hosts, scopes, connections }) =>
    hostDifferences(hosts, connections).map(
      (difference): AnsweringSections => ({
        ...difference,
        oldScope: scopes[difference.sectionIn22] ?? null,
        newScope: scopes[difference.sectionIn24] ?? null,
      }),
    ),
  );
  const otherReadings = readings.slice(1).map(({ scopes }, index) => {
    const newScopesByOld = new Map<Scope | null, Set<Scope | null>>();
    for (const { oldScope, newScope } of differencesOfReadings[index + 1]!)
      newScopesByOld.set(oldScope, (newScopesByOld.get(oldScope) ?? new Set()).add(newScope));
    return { scopes: new Set<Scope | null>([null, ...scopes]), newScopesByOld };
  });
  const seenScopes = new Set<Scope | null>();
  return differencesOfReadings[0]!.filter((difference) => {
    const holdsInAll = otherReadings.every(
      ({ scopes, newScopesByOld }) =>
        !scopes.has(difference.oldScope) ||
        !scopes.has(difference.newScope) ||
        newScopesByOld.get(difference.oldScope)?.has(difference.newScope),
    );
    const changedScope = difference.newScope ?? difference.oldScope;
    if (!holdsInAll || changedScope?.section == null || seenScopes.has(changedScope)) return false;
    seenScopes.add(changedScope);
    return true;
  });
}

/**
 * The finding for a difference, at the section that answers in 2.4. If the main server answers in
 * 2.4, it is at the section that answers in 2.2. `note`: a sentence after the cause.
 */
function findingOf(
  { oldScope, newScope, sectionIn22, sectionIn24, request }: AnsweringSections,
  { hosts }: HostReading,
  evidence: EvidenceOf22,
  fix: SharedFix | null,
  note = noteAboutNames([...(oldScope?.words ?? []), ...(newScope?.words ?? [])]),
): ConfigurationFinding {
  const changedScope = (newScope ?? oldScope)!;
  const tag = tagOf(changedScope);
  const section = changedScope.section!;
  const isNewlyUsed = newScope !== null && fix !== null && fix.unusedIndexes.has(sectionIn24);
  const shownRequest = request.name === null ? `\`${request.path}\` without a host name` : `\`${request.name}\``;
  const shownHost = (scope: Scope | null, sectionIndex: number) => {
    if (scope === null) return 'the main server';
    const serverName = serverNameOf(hosts, hosts.sections[sectionIndex]!);
    return `\`${tagOf(scope)}\`${serverName === null ? '' : ` of \`${serverName}\``} (${placeOf(scope)})`;
  };
  const what =
    newScope === null
      ? fittingHeadline(`\`${tag}\` loses requests to the main server in 2.4`, '`<VirtualHost>` loses requests in 2.4')
      : isNewlyUsed
        ? fittingHeadline(
            `\`${tag}\` answers requests in 2.4; 2.2 never used it`,
            '`<VirtualHost>` answers requests in 2.4; 2.2 never used it',
          )
        : fittingHeadline(
            `\`${tag}\` answers requests that ${oldScope === null ? 'the main server' : 'another one'} answered in 2.2`,
            '`<VirtualHost>` answers requests that another one answered in 2.2',
          );
  return {
    file: changedScope.file.path,
    messageId: isNewlyUsed ? 'comes-alive' : 'other-host',
    ...(evidence === 'perhaps' ? { consequence: 'check after the upgrade' as const } : {}),
    what,
    cause:
      `Example: a request to port ${request.connection.port} for ${shownRequest}. 2.2: ${shownHost(oldScope, sectionIn22)}. 2.4: ${shownHost(newScope, sectionIn24)}.` +
      (evidence === 'sure' ? '' : ' This is so only if 2.2 runs these files as they are.') +
      note,
    help: fix
      ? `To keep what 2.2 does: ${fix.help}.`
      : 'Change the addresses or the order of the virtual hosts, and test the request after the upgrade.',
    ...contentSpan(section.open, changedScope.offset),
    fixes: fix ? fix.fixesFor(changedScope.file.path) : [],
  };
}

/**
 * A sentence about host names among the addresses of virtual hosts, which are not looked up, with a
 * space before it. Empty if no address is a name.
 */
function noteAboutNames(words: readonly string[]): string {
  const [name] = unresolvedNames(words);
  return name === undefined
    ? ''
    : ` httpd-upgrade does not look up names: this is so if \`${name}\` is an address of the server.`;
}

/**
 * The finding for a difference that occurs only in some readings. The finding states the assumption
 * of the first such reading.
 */
function findingsInSome(
  readings: readonly HostReading[],
  configuration: Configuration,
  evidence: EvidenceOf22,
): readonly ConfigurationFinding[] {
  for (const reading of readings) {
    const { assumption, omitsLines } = reading;
    const [difference] = omitsLines || assumption === null ? [] : differencesInAll([reading]);
    if (difference === undefined) continue;
    const finding = findingOf(difference, reading, evidence, null, '');
    return [
      ...findingsOfNameVirtualHost(
        configuration,
        `If ${assumption}, 2.4 selects other virtual hosts than 2.2 for some requests.`,
      ),
      {
        ...finding,
        messageId: 'perhaps',
        consequence: 'check after the upgrade',
        what: fittingHeadline(
          `\`${tagOf((difference.newScope ?? difference.oldScope)!)}\`: perhaps 2.4 selects another virtual host`,
          '`<VirtualHost>`: perhaps 2.4 selects another virtual host',
        ),
        cause: `Only if ${assumption}. ${finding.cause}`,
      },
    ];
  }
  return [];
}

/**
 * Findings at the NameVirtualHost lines of a configuration in which addresses or names of virtual
 * hosts are unknown.
 */
function findingsOfUnknown(configuration: Configuration): readonly ConfigurationFinding[] {
  const hostWords = [
    ...configuration.rootScope.children
      .filter(({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive')
      .flatMap((host) => host.words),
    ...linesOf(configuration, 'namevirtualhost').flatMap(
      ({ expandedLine }) => argumentsOf(expandedLine)[0]?.value ?? [],
    ),
  ];
  const variable = hostWords.find((word) => word.includes('${'));
  const [name] = unresolvedNames(hostWords);
  const unknownText =
    variable !== undefined
      ? `The value of \`${variable}\` is not known.`
      : name !== undefined
        ? `httpd-upgrade does not look up names such as \`${name}\`.`
        : 'Not all ports and names of the virtual hosts are known.';
  return findingsOfNameVirtualHost(configuration, `${unknownText} ${UNKNOWN_HOSTS_TEXT}`);
}

/**
 * Findings at the NameVirtualHost lines if it is unknown whether another virtual host answers.
 * `cause`: why it is unknown.
 */
function findingsOfNameVirtualHost(configuration: Configuration, cause: string): readonly ConfigurationFinding[] {
  const isNotInactive = ({ activity }: ConfigLine) => activity !== 'inactive';
  return nameVirtualHostFindings(configuration, null, isNotInactive).map((finding) => ({
    ...finding,
    what: finding.what.replace(/: some requests get another virtual host$/, ': perhaps another virtual host answers'),
    cause,
  }));
}

/**
 * Findings at the NameVirtualHost lines. These lines stay until the sections are changed, because
 * only they show what 2.2 does.
 */
function nameVirtualHostFindings(
  configuration: Configuration,
  fix: SharedFix | null,
  isReported: (at: ConfigLine) => boolean = ({ activity }) => activity === 'active',
): readonly ConfigurationFinding[] {
  return linesOf(configuration, 'namevirtualhost')
    .filter((at) => isReported(at) && at.macro === undefined)
    .map(
      ({ line, file, offset, expandedLine }): ConfigurationFinding => ({
        file: file.path,
        messageId: 'named',
        what: fittingHeadline(
          `\`NameVirtualHost ${argumentsOf(expandedLine)[0]?.value ?? ''}\` is ignored in 2.4: some requests get another virtual host`,
          '`NameVirtualHost` is ignored in 2.4: some requests get another virtual host',
        ),
        cause:
          '2.2 selected by name only at the addresses of such lines, 2.4 selects by name at every address (AH00548). So another virtual host answers some requests.',
        help: fix
          ? `To keep what 2.2 does: ${fix.help}. Then remove this \`NameVirtualHost\` line.`
          : 'Compare the output of `httpd -S` (Debian: `apache2ctl -S`) in 2.2 and 2.4: each name must have the same virtual host. Without the 2.2 server, look at the output of 2.4: it must list each ServerName, and each ServerAlias of an address with several virtual hosts. The virtual host after "default server" answers for all other host names: check that it is the right one. Then remove this line.',
        ...contentSpan(line, offset),
        tag: 'unnecessary',
        fixes: fix ? fix.fixesFor(file.path) : [],
      }),
    );
}

// ---- The change ----

/** One fix for all findings of a configuration. */
interface SharedFix {
  /** The effect of the fix, as a text for `help`. */
  readonly help: string;
  /** The indexes of the sections that 2.2 never uses. */
  readonly unusedIndexes: ReadonlySet<number>;
  /**
   * The fix as it is offered in `file`: its edits in this file, and the other edits in `elsewhere`.
   * Empty if a section cannot be edited.
   */
  fixesFor(file: string): readonly Fix[];
}

/** The fix that keeps what 2.2 does under this reading; null if no change of the sections does. */
function sharedFixOf(reading: HostReading, configuration: Configuration, evidence: EvidenceOf22): SharedFix | null {
  const { hosts, connections, scopes } = reading;
  const changedSections = neededSections(hosts, connections);
  if (changedSections === null || changedSections.length === 0) return null;
  const removedSections = changedSections.filter(({ addresses }) => addresses.length === 0);
  const unusedSections = new Set(removedSections.map(({ section }) => section));
  const edits = editsFor(changedSections, scopes, configuration);
  const changeTexts = changedSections.map((each) => changeText(each, scopes[each.section]!));
  const shownChanges =
    changeTexts.length > 3 ? [...changeTexts.slice(0, 2), `${changeTexts.length - 2} more changes`] : changeTexts;
  const [onlySection] = changedSections;
  const title =
    changedSections.length > 1
      ? fittingHostTitle(
          `Change ${changedSections.length} virtual hosts so that 2.4 selects as 2.2`,
          'Change the virtual hosts',
        )
      : onlySection!.addresses.length === 0
        ? fittingHostTitle(`Remove \`${tagOf(scopes[onlySection!.section]!)}\``, 'Remove the unused `<VirtualHost>`')
        : onlySection!.addedAliases.length > 0
          ? fittingHostTitle(
              `Add \`ServerAlias ${onlySection!.addedAliases.join(' ')}\``,
              `Add a ServerAlias to \`${tagOf(scopes[onlySection!.section]!)}\``,
            )
          : fittingHostTitle(
              `Change \`${tagOf(scopes[onlySection!.section]!)}\` to \`<VirtualHost ${onlySection!.addresses.join(' ')}>\``,
              'Change the addresses in `<VirtualHost>` to those of 2.2',
            );
  return {
    help: joinedItems(shownChanges),
    unusedIndexes: unusedSections,
    fixesFor: (file) =>
      edits === null
        ? []
        : [
            {
              title,
              safety: removedSections.length > 0 || evidence !== 'sure' ? 'suggestion' : 'safe',
              ...(removedSections.length > 0
                ? { assumes: 'the virtual hosts that 2.2 never used are not needed' }
                : {}),
              // If NameVirtualHost lines were removed before, the fix may be wrong, so the user
              // applies it alone.
              ...(evidence === 'sure' ? {} : { isAppliedAlone: true as const }),
              edits: edits.get(file) ?? [],
              elsewhere: new Map([...edits].filter(([each]) => each !== file)),
            },
          ],
  };
}

/** Returns the title if it has at most 60 characters, and `shorterTitle` if not. */
function fittingHostTitle(title: string, shorterTitle: string): string {
  return title.length <= 60 ? title : shorterTitle;
}

/** The change of a section, as a text for `help`. */
function changeText({ addresses, addedAliases, isCopy }: NeededSection, scope: Scope): string {
  const placeText = placeOf(scope);
  if (addresses.length === 0) return `remove \`${tagOf(scope)}\` (${placeText})`;
  if (isCopy) return `copy \`${tagOf(scope)}\` (${placeText}) as \`<VirtualHost ${addresses.join(' ')}>\``;
  if (addedAliases.length > 0)
    return `add \`ServerAlias ${addedAliases.join(' ')}\` to \`${tagOf(scope)}\` (${placeText})`;
  return `write \`<VirtualHost ${addresses.join(' ')}>\` (${placeText})`;
}

/**
 * The edits by file. Null if a section cannot be edited, for example because its file is included
 * twice.
 */
function editsFor(
  changedSections: readonly NeededSection[],
  scopes: readonly Scope[],
  configuration: Configuration,
): ReadonlyMap<string, readonly Edit[]> | null {
  const editsByFile = new Map<string, Edit[]>();
  const addEdits = (file: string, edits: readonly Edit[]) => {
    const earlierEdits = editsByFile.get(file);
    if (earlierEdits) earlierEdits.push(...edits);
    else editsByFile.set(file, [...edits]);
  };
  for (const change of changedSections) {
    const { section, file, offset } = scopes[change.section]!;
    if (section === null || file.readingCount > 1 || /\$\{|\\\r?\n/.test(section.open.text)) return null;
    addEdits(
      file.path,
      change.isCopy ? [editAddingCopy(section, offset, change)] : editsOfSection(section, offset, change),
    );
  }
  for (const { line, file, offset, activity, macro } of linesOf(configuration, 'namevirtualhost')) {
    if (activity === 'active' && macro === undefined && file.readingCount === 1)
      addEdits(file.path, [removeLine(line, offset)]);
  }
  return editsByFile;
}

/** The edits that give a section its new addresses and aliases, or that remove it. */
function editsOfSection(section: Section, offset: number, { addresses, addedAliases }: NeededSection): readonly Edit[] {
  if (addresses.length === 0) return [{ start: offset, end: offset + section.length, text: '' }];
  const edits: Edit[] = [];
  const tagWords = argumentsOf(section.open);
  const addressText = addresses.join(' ');
  const [start, end] = [tagWords[0]!.start, tagWords.at(-1)!.end];
  if (section.open.text.slice(start, end) !== addressText)
    edits.push({ start: offset + start, end: offset + end, text: addressText });
  if (addedAliases.length > 0) {
    const lastNameLine = lastNameLineOf(section);
    const insertOffset =
      offset + section.open.length + (lastNameLine ? lastNameLine.offset + lastNameLine.line.length : 0);
    const modelLine = lastNameLine?.line ?? section.open;
    const indent = lastNameLine ? indentOf(lastNameLine.line) : `${indentOf(section.open)}    `;
    edits.push({
      start: insertOffset,
      end: insertOffset,
      text: `${indent}ServerAlias ${addedAliases.join(' ')}${lineEnd(modelLine)}`,
    });
  }
  return edits;
}

/** The edit that adds a copy of the section with a name that no client requests. */
function editAddingCopy(section: Section, offset: number, { addresses }: NeededSection): Edit {
  const { open } = section;
  const tagWords = argumentsOf(open);
  const newline = lineEnd(open);
  const tag = open.text.slice(0, tagWords[0]!.start) + addresses.join(' ') + open.text.slice(tagWords.at(-1)!.end);
  const body: string[] = [`${indentOf(open)}    ServerName ${NAME_OF_COPY}${newline}`];
  forEachItem(section.body, 0, (item, at) => {
    const isName = !(item instanceof Section) && /^server(name|alias|path)$/.test(item.name);
    if (!isName) body.push(textOf(section.body, at, at + item.length));
  });
  const close = section.close.text;
  return { start: offset, end: offset, text: tag + body.join('') + (close.endsWith('\n') ? close : close + newline) };
}

/**
 * The last ServerName or ServerAlias line of a section, with its offset in the body; null if none.
 */
function lastNameLineOf(section: Section): { readonly line: Line; readonly offset: number } | null {
  let lastLine: { line: Line; offset: number } | null = null;
  forEachItem(section.body, 0, (item, offset) => {
    if (!(item instanceof Section) && item.kind === LineKind.Directive && /^server(name|alias)$/.test(item.name))
      lastLine = { line: item, offset };
  });
  return lastLine;
}

/** The opening tag of the virtual host, for texts. */
function tagOf({ words }: Scope): string {
  return `<VirtualHost ${words.join(' ')}>`;
}

/** The place of a section as text, such as `httpd.conf:12`. */
function placeOf({ file, offset }: Pick<Scope, 'file' | 'offset'>): string {
  return `${file.path.slice(file.path.lastIndexOf('/') + 1)}:${file.tree.positionAt(offset).line + 1}`;
}
