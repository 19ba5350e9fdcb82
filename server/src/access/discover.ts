/** The .htaccess files that a configuration lets decide: below the folders it serves, where AllowOverride admits them. */
import { readHtaccess, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { baseName, mapped, parentOf, resolvePath, type FileView } from '../config/files';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section } from '../syntax/tree';
import { isOverrideDefault, overrideAt, overrideFolders, overrideInHosts } from './override';
import { ACCESS_NAMES, type Htaccess } from './whole';

export interface Discovered {
  readonly htaccess: readonly Htaccess[];
  /** Why there may be others. */
  readonly doubts: readonly string[];
}

/** More folders than this are not searched. */
const MAX_FOLDERS = 100_000;

export function discoverHtaccess(configuration: Configuration, view: FileView): Discovered {
  const doubts = new Set<string>();
  const found: Htaccess[] = [];
  const seen = new Map<string, string>();
  const linked: { identity: string; name: string }[] = [];
  let folders = 0;
  const names = accessFileNames(configuration);
  for (const served of servedFolders(configuration)) search(served);
  const unnamed = servingUnnamed(configuration, view);
  // What is not there below a folder that was searched has no files.
  const isSearched = (folder: string): boolean => seen.has(view.identity(mapped(folder, configuration.map))) || (folder !== '/' && isSearched(parentOf(folder)));
  if (unnamed !== null && overrideFolders(configuration).some(({ folder, words }) => admits(words) && (folder === null || !isSearched(folder)))) {
    doubts.add(`"${unnamed.text.trim()}" may serve any folder, and .htaccess files are admitted in folders that are not searched`);
  }
  for (const { identity, name } of linked) {
    // By another name other sections apply, and so its .htaccess files stand on something else.
    if (found.some(({ scope }) => scope.file.path.startsWith(`${identity}/`))) doubts.add(`${name} leads to ${seen.get(identity)}, whose .htaccess files decide under both names`);
  }
  return { htaccess: found, doubts: [...doubts] };

  /** `folder` is as the configuration names it; where it is here, the map tells. */
  function search(folder: string): void {
    const here = mapped(folder, configuration.map);
    const override = overrideAt(configuration, folder);
    if (view.kind(here) !== 'folder') {
      if (admits(override)) doubts.add(`${folder} is not here, and AllowOverride admits .htaccess files there`);
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
        doubts.add(`there are more than ${MAX_FOLDERS} folders to look for .htaccess files in`);
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
    if (!scope) return void doubts.add(`${path} cannot be read`);
    found.push({ scope, override, isEverywhere: everywhere !== null });
    if (override === null && saysAnything(scope)) doubts.add(`which AllowOverride holds over ${folder}, and so what of the ${baseName(path)} there counts, is not known`);
    // Experiment, test/httpd/access-claims.test.ts: only an explicit AllowOverride None keeps the file from being read.
    if (isOverrideDefault(configuration, folder) && saysAnything(scope)) {
      doubts.add(`no AllowOverride stands over ${folder}: 2.2 takes the ${baseName(path)} there, and 2.4 refuses every line of it and answers 500`);
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

function servedFolders(configuration: Configuration): string[] {
  const folders = new Set<string>();
  for (const { line, expanded } of allLines(configuration.root)) {
    const index = SERVED_BY.get(line.name);
    const path = index === undefined ? undefined : argumentsOf(expanded)[index]?.value;
    if (path && !path.includes('${')) folders.add(resolvePath(configuration.serverRoot, path));
  }
  return [...folders].sort();
}

/** Which argument of a line is the folder that it serves. */
const SERVED_BY: ReadonlyMap<string, number> = new Map([['documentroot', 0], ['alias', 1], ['scriptalias', 1]]);

/** A line that serves folders which the configuration does not name, if there is one. */
function servingUnnamed(configuration: Configuration, view: FileView): Line | null {
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
  return [...perServer, ...allLines(configuration.root).filter(({ line }) => line.name !== 'rewriterule')].find(isOne)?.line ?? null;
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
