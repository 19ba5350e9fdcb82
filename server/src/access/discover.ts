/** The .htaccess files that a configuration lets decide: below the folders it serves, where AllowOverride admits them. */
import { readHtaccess, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { baseName, mapped, parentOf, resolvePath, type FileView } from '../config/files';
import { argumentsOf, LineKind } from '../syntax/line';
import { forEachItem, Section } from '../syntax/tree';
import { doubt, mergedDoubts, type Doubt, type DoubtPlace } from './doubt';
import { isOverrideDefault, overrideAt, overrideFolders, overrideInHosts } from './override';
import { ACCESS_NAMES, type Htaccess } from './whole';

export interface Discovered {
  readonly htaccess: readonly Htaccess[];
  /** Why there may be others. */
  readonly doubts: readonly Doubt[];
}

/** More folders than this are not searched. */
const MAX_FOLDERS = 100_000;

export function discoverHtaccess(configuration: Configuration, view: FileView): Discovered {
  const doubts: Doubt[] = [];
  const unseen: { readonly folder: string; readonly line: ConfigLine }[] = [];
  const found: Htaccess[] = [];
  const seen = new Map<string, string>();
  const linked: { identity: string; name: string }[] = [];
  let folders = 0;
  const names = accessFileNames(configuration);
  for (const [served, line] of servedFolders(configuration)) search(served, line);
  const unnamed = servingUnnamed(configuration, view);
  // What is not there below a folder that was searched has no files.
  const isSearched = (folder: string): boolean => seen.has(view.identity(mapped(folder, configuration.map))) || (folder !== '/' && isSearched(parentOf(folder)));
  if (unnamed !== null && overrideFolders(configuration).some(({ folder, words }) => admits(words) && (folder === null || !isSearched(folder)))) {
    doubts.push(doubt('served-anywhere', unnamed.line.text.trim(), [placeOf(unnamed)]));
  }
  for (const { identity, name } of linked) {
    // By another name other sections apply, and so its .htaccess files stand on something else.
    if (found.some(({ scope }) => scope.file.path.startsWith(`${identity}/`))) doubts.push(doubt('linked', name, [], seen.get(identity)));
  }
  for (const subject of coverOf(unseen.map(({ folder }) => folder))) {
    doubts.push(doubt('htaccess-unseen', subject, unseen.filter(({ folder }) => isWithin(folder, subject)).map(({ line }) => placeOf(line))));
  }
  return { htaccess: found, doubts: mergedDoubts(doubts) };

  /** `folder` is as the configuration names it; where it is here, the map tells. */
  function search(folder: string, line: ConfigLine): void {
    const here = mapped(folder, configuration.map);
    const override = overrideAt(configuration, folder);
    if (view.kind(here) !== 'folder') {
      if (admits(override)) unseen.push({ folder, line });
      return;
    }
    const pending = [folder];
    while (pending.length > 0) {
      const current = pending.pop()!;
      const place = mapped(current, configuration.map);
      const identity = view.identity(place);
      if (seen.has(identity)) {
        if (seen.get(identity) !== current) linked.push({ identity, name: current });
        continue;
      }
      seen.set(identity, current);
      if (++folders > MAX_FOLDERS) {
        doubts.push(doubt('too-many-directories', String(MAX_FOLDERS)));
        return;
      }
      for (const name of view.list(place) ?? []) {
        const path = `${place}/${name}`;
        if (names.includes(name)) consider(path, current);
        else if (view.kind(path) === 'folder') pending.push(`${current}/${name}`);
      }
    }
  }

  function consider(path: string, folder: string): void {
    const everywhere = overrideAt(configuration, folder);
    const override = everywhere ?? overrideInHosts(configuration, folder);
    if (override !== null && !admits(override)) return;
    const scope = readHtaccess({ root: path, folder, view, names: ACCESS_NAMES, map: configuration.map });
    if (!scope) return void doubts.push(doubt('unreadable', path, [{ path, offset: 0 }]));
    found.push({ scope, override, isEverywhere: everywhere !== null });
    if (override === null && saysAnything(scope)) doubts.push(doubt('override-unknown', folder, [{ path, offset: 0 }], baseName(path)));
    // Experiment, test/httpd/access-claims.test.ts: only an explicit AllowOverride None keeps the file from being read.
    if (isOverrideDefault(configuration, folder) && saysAnything(scope)) {
      doubts.push(doubt('override-default', folder, [{ path, offset: 0 }], baseName(path)));
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a .htaccess can decide access there at all. */
function admits(override: readonly string[] | null): boolean {
  return override === null || override.some((word) => word === 'all' || word === 'limit' || word === 'authconfig');
}

function saysAnything({ file }: Scope): boolean {
  let found = false;
  forEachItem(file.tree.root, 0, (item) => {
    found ||= item instanceof Section || item.kind === LineKind.Directive;
  });
  return found;
}

function accessFileNames(configuration: Configuration): string[] {
  const lines = allLines(configuration.root).filter(({ line }) => line.name === 'accessfilename');
  const names = lines.flatMap(({ expanded }) => argumentsOf(expanded).map((word) => word.value));
  return names.length > 0 ? names : ['.htaccess'];
}

/** Each with the first line that serves it, in the order of their names. */
function servedFolders(configuration: Configuration): [string, ConfigLine][] {
  const folders = new Map<string, ConfigLine>();
  for (const at of allLines(configuration.root)) {
    const index = SERVED_BY.get(at.line.name);
    const path = index === undefined ? undefined : argumentsOf(at.expanded)[index]?.value;
    if (!path || path.includes('${')) continue;
    const folder = resolvePath(configuration.serverRoot, path);
    if (!folders.has(folder)) folders.set(folder, at);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The fewest directories that cover these: a directory around two of them, unless it is one of the few at the top of a machine, where everything is. */
function coverOf(folders: readonly string[]): string[] {
  const cover: string[] = [];
  for (const folder of [...new Set(folders)].sort()) {
    const last = cover.at(-1);
    const shared = last === undefined ? '' : commonFolder(last, folder);
    if (last !== undefined && (shared === last || shared.split('/').length > 2)) cover[cover.length - 1] = shared;
    else cover.push(folder);
  }
  return cover;
}

function commonFolder(a: string, b: string): string {
  const [first, second] = [a.split('/'), b.split('/')];
  const end = first.findIndex((part, i) => part !== second[i]);
  return (end < 0 ? first : first.slice(0, end)).join('/') || '/';
}

function isWithin(folder: string, other: string): boolean {
  return other === '/' || folder === other || folder.startsWith(`${other}/`);
}

function placeOf({ file, offset }: ConfigLine): DoubtPlace {
  return { path: file.path, offset };
}

/** Which argument of a line is the folder that it serves. */
const SERVED_BY: ReadonlyMap<string, number> = new Map([['documentroot', 0], ['alias', 1], ['scriptalias', 1]]);

/** A line that serves folders which the configuration does not name, if there is one. */
function servingUnnamed(configuration: Configuration, view: FileView): ConfigLine | null {
  const isOne = ({ line, expanded }: ConfigLine): boolean => {
    const word = (index: number) => argumentsOf(expanded)[index]?.value;
    switch (line.name) {
      case 'userdir':
        return !['disabled', 'enabled'].includes(word(0)?.toLowerCase());
      case 'virtualdocumentroot':
      case 'virtualdocumentrootip':
      case 'virtualscriptalias':
        return word(0)?.toLowerCase() !== 'none';
      case 'aliasmatch':
      case 'scriptaliasmatch':
        return true;
      case 'documentroot':
      case 'alias':
      case 'scriptalias':
        return (expanded.mayVary || expanded.isJoined) && word(SERVED_BY.get(line.name)!)?.includes('${');
      case 'rewriterule':
        return leadsToFile(argumentsOf(expanded).map(({ value }) => value), (folder) => view.kind(mapped(folder, configuration.map)) === 'folder');
    }
    return false;
  };
  const perServer = [configuration.root, ...configuration.root.children.filter(({ kind }) => kind === 'virtualhost')].flatMap(({ lines }) => lines);
  // In a directory a RewriteRule makes URLs.
  return [...perServer, ...allLines(configuration.root).filter(({ line }) => line.name !== 'rewriterule')].find(isOne) ?? null;
}

/**
 * Whether a RewriteRule of a server may make a path of the file system: its result is one where the first component exists as a folder
 * (prefix_stat in modules/mappers/mod_rewrite.c), and a URL otherwise.
 */
function leadsToFile([, to = '-', flags = '']: readonly string[], isFolder: (path: string) => boolean): boolean {
  if (/[[,]\s*(PT|passthrough|F|forbidden|G|gone|P|proxy)\s*[,\]]/i.test(flags)) return false;
  if (!to.startsWith('/')) return /^[$%]/.test(to) && !/^%\{DOCUMENT_ROOT\}/i.test(to);
  const first = to.split('/')[1];
  return /[$%]/.test(first) || isFolder(`/${first}`);
}

function allLines(scope: Scope, found: ConfigLine[] = []): readonly ConfigLine[] {
  for (const line of scope.lines) found.push(line);
  for (const child of scope.children) allLines(child, found);
  return found;
}
