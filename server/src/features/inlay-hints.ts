/**
 * Inlay hints: what a virtual host inherits from the main server, and which defaults differ from
 * those of 2.2. Each hint takes all files of the configuration into account. Hints are computed
 * only for the requested lines, in a time that does not depend on the size of the file or the
 * configuration.
 *
 * Inheritance was tried on a real server (test/httpd/inheritance.test.ts); for SSL it is from
 * ssl_config_server_merge in modules/ssl/ssl_engine_config.c.
 */
import { InlayHintKind, type InlayHint, type InlayHintLabelPart } from 'vscode-languageserver-types';
import type { Engine } from '../analysis/engine';
import { sectionKind } from '../config/sections';
import type { FileContext } from '../config/file-context';
import { directives } from '../directives';
import { Fact, hasFact } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { contentEnd, type Line } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { List, Section, type Item } from '../syntax/tree';
import { linkAddress, codeSpan, escapeMarkdown } from './markdown-text';
import {
  mainServerOf,
  virtualHostNames,
  workCounts,
  type OnlyReader,
  type MainServerLine,
  type MainServer,
} from './main-server';

/** A request for the inlay hints in the visible part of a file. */
export interface InlayHintRequest {
  readonly tree: Tree;
  /** The visible part: UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
  /** The engine that has analyzed the tree. */
  readonly engine: Engine;
  readonly isHtaccess: boolean;
  readonly fileContext?: FileContext | null;
  /** The configuration, if exactly one reads the file; undefined for a standalone file. */
  readonly configuration?: HintConfiguration | null;
  /** The URI of the file. */
  readonly uri?: string;
  /** Whether to show the lines of the main server that a virtual host inherits. */
  readonly showsInherited: boolean;
  /** Whether to show defaults that differ between 2.2 and 2.4. */
  readonly showsDefaults: boolean;
}

/** The configuration that reads the file, and how its other files are shown. */
export interface HintConfiguration extends OnlyReader {
  /** The URI of a file, so that a hint can link to it. */
  uriFor(path: string): string;
  /** Returns the display name of a file. */
  displayName(path: string): string;
}

export { workCounts };

/**
 * The inlay hints in a part of a file: texts between the characters that the editor shows but that
 * are not in the file.
 */
export function inlayHints(request: InlayHintRequest): InlayHint[] {
  const {
    tree,
    start,
    end,
    engine,
    isHtaccess,
    fileContext = null,
    configuration = null,
    showsInherited,
    showsDefaults,
  } = request;
  if (isHtaccess || (!showsInherited && !showsDefaults)) return [];
  const facts = engine.factsIn(tree.root);
  const hints: InlayHint[] = [];
  const addHint = (line: Line, offset: number, label: InlayHintLabelPart[], tooltip: string) => {
    const position = tree.positionAt(offset + contentEnd(line));
    hints.push({
      position,
      label,
      kind: InlayHintKind.Type,
      paddingLeft: true,
      tooltip: { kind: 'markdown', value: tooltip },
    });
  };
  const mainServer = mainServerOf(tree, fileContext, configuration);
  // If the configuration is unknown, the file has all lines only if it includes no other file.
  const areAllLinesKnown = configuration ? mainServer?.areAllLinesKnown === true : !hasFact(facts, Fact.includes);
  const isMainFile = configuration ? configuration.model.mainFile === configuration.path : hasFact(facts, Fact.isRoot);
  const lineForDefaultsHint =
    showsDefaults && isMainFile && mainServer && areAllLinesKnown
      ? (mainServer.lineSetting('serverroot') ?? mainServer.lineSetting('pidfile'))
      : undefined;
  if (mainServer && lineForDefaultsHint?.path === null) {
    const { line, offset } = tree.lineAt(tree.offsetAt({ line: lineForDefaultsHint.row, character: 0 }))!;
    const unsetDefaults =
      offset >= start && offset <= end
        ? changedDefaults().filter(
            ({ name, nameIn24 }) =>
              mainServer.lineSetting(name) === undefined &&
              (!nameIn24 || mainServer.lineSetting(nameIn24) === undefined),
          )
        : [];
    if (unsetDefaults.length > 0) {
      const newDefaults = unsetDefaults.map(({ newDefault }) => newDefault);
      const shownCount = fittingWords(newDefaults, ' · ', 'defaults: '.length);
      addHint(
        line,
        offset,
        [
          {
            value: `defaults: ${newDefaults.slice(0, shownCount).join(' · ')}${moreText(newDefaults.length - shownCount)}`,
          },
        ],
        defaultsTable(unsetDefaults),
      );
    }
  }
  const mayOverrideBeSet =
    hasFact(facts, Fact.allowsOverride, Fact.deniesOverride) ||
    (configuration ? configuration.namesInOtherFiles.hasOverrideLine() !== false : !isMainFile);
  let sectionsLeft = MAX_HINTED_SECTIONS;
  for (const { section, offset } of sectionsIn(tree.root, start, end)) {
    if (sectionsLeft-- <= 0) break;
    if (offset < start || offset > end) continue;
    if (showsInherited && mainServer && section.name === 'virtualhost')
      addVirtualHostHint(section, offset, mainServer, request, addHint);
    if (showsDefaults && section.name === 'directory' && !mayOverrideBeSet && areAllLinesKnown) {
      addHint(
        section.open,
        offset,
        [{ value: 'AllowOverride None' }],
        `No \`AllowOverride\` in this ${configuration ? 'configuration' : 'file'}: 2.4 reads no \`.htaccess\` here. In 2.2 the default was \`All\`.`,
      );
    }
  }
  return hints;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of sections in the visible part that are searched for hints. */
const MAX_HINTED_SECTIONS = 500;

/** Adds a hint at the end of `line`, which starts at `offset` in the file. `tooltip`: Markdown. */
type AddHint = (line: Line, offset: number, label: InlayHintLabelPart[], tooltip: string) => void;

/**
 * Directives that a virtual host inherits from the main server, by their names in lower case. If
 * the host has a line of one directive in a list, it inherits no directive in this list.
 */
const INHERITED_DIRECTIVES: readonly (readonly string[])[] = [
  ['serveradmin'],
  ['documentroot'],
  ['errorlog'],
  ['loglevel'],
  ['customlog', 'transferlog', 'globallog'],
  ['timeout'],
  ['keepalive'],
  ['keepalivetimeout'],
  ['maxkeepaliverequests'],
  ['sslengine'],
  ['sslcertificatefile'],
  ['sslcertificatekeyfile'],
  ['sslcertificatechainfile'],
  ['sslcacertificatefile', 'sslcacertificatepath'],
  ['sslprotocol'],
  ['sslciphersuite'],
  ['sslverifyclient'],
  ['usecanonicalname'],
  ['limitrequestline'],
  ['limitrequestfieldsize'],
  ['limitrequestfields'],
  ['traceenable'],
];

/** Directives that a virtual host does not inherit. */
const NOT_INHERITED_DIRECTIVES: readonly string[] = ['rewriterule'];

/**
 * Adds a hint to a virtual host: which directives it inherits from the main server, and which it
 * does not inherit. Adds none if the lines of the host are not all known.
 */
function addVirtualHostHint(
  section: Section,
  offset: number,
  mainServer: MainServer,
  { fileContext = null, configuration = null, uri }: InlayHintRequest,
  add: AddHint,
): void {
  const hostNames = virtualHostNames(section, fileContext, configuration);
  if (!hostNames) return;
  const mainLine = (name: string) => mainServer.lineSetting(name) ?? undefined;
  const mainServerLines = (names: readonly string[]) => names.flatMap((name) => mainLine(name) ?? []);
  const inheritedLines = INHERITED_DIRECTIVES.filter((names) => !names.some((name) => hostNames.has(name))).flatMap(
    mainServerLines,
  );
  const notInheritedLines =
    hostNames.has('rewriteoptions') || mainServer.lineSetting('rewriteoptions') !== undefined
      ? []
      : mainServerLines(NOT_INHERITED_DIRECTIVES);
  if (inheritedLines.length === 0 && notInheritedLines.length === 0) return;
  const uriOf = ({ path }: MainServerLine) => (path === null ? uri : configuration?.uriFor(path));
  const linkedName = (line: MainServerLine): InlayHintLabelPart => {
    const target = uriOf(line);
    const lineStart = { line: line.row, character: 0 };
    return {
      value: line.name,
      ...(target && { location: { uri: target, range: { start: lineStart, end: lineStart } } }),
    };
  };
  const linkList = (lines: readonly MainServerLine[]) =>
    lines.flatMap((line, index) => (index === 0 ? [linkedName(line)] : [{ value: ', ' }, linkedName(line)]));
  const namesOf = (lines: readonly MainServerLine[]) => lines.map(({ name }) => name);
  const notText = notInheritedLines.length > 0 ? ', not ' : '';
  const shownCount = fittingWords(
    namesOf(inheritedLines),
    ', ',
    `inherits ${notText}${namesOf(notInheritedLines).join(', ')}`.length,
  );
  const unshownText = moreText(inheritedLines.length - shownCount);
  const label = [
    ...(inheritedLines.length > 0
      ? [
          { value: 'inherits ' },
          ...linkList(inheritedLines.slice(0, shownCount)),
          ...(unshownText ? [{ value: unshownText }] : []),
        ]
      : []),
    ...(notInheritedLines.length > 0
      ? [{ value: inheritedLines.length > 0 ? notText : 'not ' }, ...linkList(notInheritedLines)]
      : []),
  ];
  const tooltipRow = (line: MainServerLine) => {
    const target = uriOf(line);
    const location = `${line.path === null || !configuration ? '' : `${configuration.displayName(line.path)}, `}line ${line.row + 1}`;
    const link =
      target && line.path !== null
        ? `[${escapeMarkdown(location)}](${linkAddress(target)}#L${line.row + 1})`
        : escapeMarkdown(location);
    return `- ${codeSpan(line.text)}, ${link}${line.condition ? `, if ${codeSpan(line.condition)} holds` : ''}`;
  };
  const caution = mainServer.areAllLinesKnown
    ? ''
    : configuration
      ? '\n\nSome of what the main server includes is not known, and may set something else.'
      : '\n\nIncluded files may set something else for the main server.';
  const tooltipParts = [
    inheritedLines.length > 0
      ? `Inherited from the main server, because it is not set here:\n\n${inheritedLines.map(tooltipRow).join('\n')}${caution}`
      : '',
    notInheritedLines.length > 0
      ? `A virtual host does not inherit rewrite rules without \`RewriteOptions Inherit\`:\n\n${notInheritedLines.map(tooltipRow).join('\n')}`
      : '',
  ];
  add(section.open, offset, label, tooltipParts.filter(Boolean).join('\n\n'));
}

/**
 * Limit for the characters of a hint: VS Code cuts longer ones (`editor.inlayHints.maximumLength`).
 * The tooltip has the full text.
 */
const MAX_HINT_WIDTH = 43;

/**
 * How many words fit after `usedWidth` characters, together with the number of the words that are
 * left out; at least 1.
 */
function fittingWords(words: readonly string[], separator: string, usedWidth: number): number {
  const width = (count: number) =>
    usedWidth + words.slice(0, count).join(separator).length + moreText(words.length - count).length;
  let fittingCount = words.length;
  while (fittingCount > 1 && width(fittingCount) > MAX_HINT_WIDTH) fittingCount--;
  return fittingCount;
}

/** The end of a hint: the number of words that are left out. */
function moreText(count: number): string {
  return count > 0 ? ` +${count}` : '';
}

/**
 * The sections that overlap the range, outer ones first; at most one more than the limit. Macros,
 * and sections in another language, are not searched for inner sections.
 */
function sectionsIn(root: List, start: number, end: number): { section: Section; offset: number }[] {
  const sections: { section: Section; offset: number }[] = [];
  const walk = (node: List, listOffset: number): void => {
    let offset = listOffset;
    for (const child of node.children as readonly (Item | List)[]) {
      if (offset > end || sections.length > MAX_HINTED_SECTIONS) return;
      if (offset + child.length >= start) {
        if (child instanceof List) walk(child, offset);
        else if (child instanceof Section) {
          workCounts.items++;
          sections.push({ section: child, offset });
          if (sectionKind(child.name) !== 'opaque' && child.name !== 'macro')
            walk(child.body, offset + child.open.length);
        }
      }
      offset += child.length;
    }
  };
  walk(root, 0);
  return sections;
}

/** A default that differs between the versions. Names are in lower case. */
interface ChangedDefault {
  readonly name: string;
  /** The name that 2.4 has for a renamed directive. */
  readonly nameIn24?: string;
  readonly newDefault: string;
  readonly oldDefault: string;
}

/**
 * Defaults of core and the MPMs that differ in 2.4. DefaultType is left out:
 * 2.4 accepts only the value `none`.
 */
const changedDefaults = lazy((): readonly ChangedDefault[] =>
  directives().flatMap((changedDirective) => {
    const [facts22, facts24] = [changedDirective['2.2'], changedDirective['2.4']];
    const isCoreDirective = facts24?.modules.includes('core') ?? false;
    if (
      !facts22?.default ||
      !facts24?.default ||
      !changedDirective.changes.includes('default') ||
      !isCoreDirective ||
      ['DefaultType', 'AllowOverride'].includes(changedDirective.name)
    )
      return [];
    const newName = NAME_IN_24[changedDirective.name.toLowerCase()];
    return [
      {
        name: changedDirective.name.toLowerCase(),
        newDefault: facts24.default,
        oldDefault: facts22.default,
        ...(newName && { nameIn24: newName }),
      },
    ];
  }),
);

/** The new names of renamed directives, by the names that 2.2 knows. */
const NAME_IN_24: Readonly<Record<string, string>> = { maxrequestsperchild: 'maxconnectionsperchild' };

/** The tooltip with the old and new defaults. */
function defaultsTable(unsetDefaults: readonly ChangedDefault[]): string {
  return [
    'Not set for the main server; 2.2 had another default:',
    '',
    '| 2.4 | 2.2 |',
    '| --- | --- |',
    ...unsetDefaults.map(({ newDefault, oldDefault }) => `| ${codeSpan(newDefault)} | ${codeSpan(oldDefault)} |`),
  ].join('\n');
}
