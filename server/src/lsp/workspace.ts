/**
 * The configurations of the workspace, kept current: all files of all roots, open or not. Whoever wants to know what they say of a
 * file asks here; what changes on the disk or in an editor leads to a new walk only if other files can tell (config/digest.ts).
 * Long work is done in slices, between requests.
 */
import { FileChangeType } from 'vscode-languageserver';
import { placesOf } from '../analysis/places';
import type { FileInfo } from '../analysis/engine';
import { Configurations, isHtaccessName } from '../config/configurations';
import { digestOf, isEqual, isRoot, type Digest } from '../config/digest';
import { resolvePath } from '../config/files';
import type { Model, ServerSettings } from '../config/model';
import type { Surrounded } from '../config/surrounded';
import type { Host } from '../host/host';
import type { ConfigDocument, Tree } from '../syntax/document';
import type { Settings } from './settings';
import { WorkspaceFiles } from './workspace-files';

/** What the workspace needs of the session. */
export interface WorkspaceOptions {
  readonly host: Host;
  /** Folders of the workspace, as URIs. */
  readonly folders: () => readonly string[];
  readonly isTrusted: () => boolean;
  readonly documents: () => readonly ConfigDocument[];
  readonly settingsOf: (uri: string) => Promise<Settings>;
  readonly report?: (message: string) => void;
}

export interface WorkspaceFile {
  /** As it was found. */
  readonly uri: string;
  readonly path: string;
  /** Changes when its findings may. */
  readonly stamp: string;
}

/** How far a first look at the workspace is. */
export type OnProgress = (done: number, total: number) => void;

/** A request for an open file waits this long for a walk; after that it is answered by what is known, and asked again later. */
const PATIENCE_MS = 200;

/** Walks that led to other files to read: includes that nobody found by name, one inside the other. */
const MAX_ROUNDS = 200;

export class Workspace {
  private readonly files: WorkspaceFiles;
  private readonly configurations = new Configurations();
  /** Paths without links of the files that a search found, with the URIs they were found by. */
  private found = new Map<string, string>();
  private isListStale = true;
  /** Settings, which walks depend on, may be others. */
  private isStale = true;
  private areDocumentsStale = true;
  /** Files that changed on the disk. */
  private readonly dirty = new Set<string>();
  /** Open files by path without links, and what they contributed to the last walk. */
  private opened = new Map<string, ConfigDocument>();
  private walked = new Map<string, Digest>();
  private running: Promise<void> | null = null;
  private isReady = false;
  private listeners: ((changed: ReadonlySet<string>) => void)[] = [];
  private progress: OnProgress | null = null;

  constructor(private readonly options: WorkspaceOptions) {
    this.files = new WorkspaceFiles(options.host, (path) => this.uriOf(path), (uri) => this.pathOf(uri), (path) => this.opened.get(path)?.tree ?? null);
  }

  /** Runs with the paths of files of which something else is said than before. */
  onChanged(listener: (changed: ReadonlySet<string>) => void): void {
    this.listeners.push(listener);
  }

  /** Folders, settings or trust changed: everything is looked for again. */
  searchAgain(): void {
    this.isListStale = true;
  }

  settingsChanged(): void {
    this.isStale = true;
  }

  /** Files were made, changed or removed on the disk. */
  changed(changes: readonly { readonly uri: string; readonly type: FileChangeType }[]): void {
    for (const { uri, type } of changes) {
      const path = this.pathOf(uri);
      if (path === null) continue;
      const isOther = type !== FileChangeType.Changed || !this.files.knows(path);
      this.dirty.add(this.files.forget(path, isOther));
      if (!isOther) continue;
      this.isListStale = true;
      this.isStale = true;
    }
  }

  /** A document was opened or closed, or is another one now. */
  documentsChanged(): void {
    this.areDocumentsStale = true;
  }

  /** What is known of an open document. Waits a while for what is under way; whoever got an old answer hears of a new one. */
  async infoOf(document: ConfigDocument): Promise<FileInfo> {
    const lone = { isHtaccess: isHtaccessName(document.uri) };
    const path = this.options.isTrusted() ? this.pathOf(document.uri) : null;
    if (path === null) return lone;
    if (this.needsWork()) await Promise.race([this.settle(), new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    const identity = this.files.identity(path);
    const context = this.configurations.of(identity);
    if (!context) return lone;
    this.configurations.bind(identity, digestOf(document.tree.root));
    return placesOf(context);
  }

  /** Brings everything up to date. Several may wait for one run. */
  async settle(onProgress: OnProgress | null = null): Promise<void> {
    if (onProgress) this.progress = onProgress;
    while (this.needsWork()) {
      this.running ??= this.work().finally(() => (this.running = null));
      await this.running;
    }
  }

  /** All files that there is something to be said of: those that a search found, and those that are included and stand in a folder of the workspace. */
  all(): WorkspaceFile[] {
    const files = new Map<string, string>();
    for (const [path, uri] of this.found) files.set(path, uri);
    const folders = this.options.folders();
    for (const model of this.configurations.all) {
      for (const path of model.files.keys()) {
        const uri = files.has(path) ? '' : this.uriOf(path);
        if (uri !== '' && folders.some((folder) => uri.startsWith(`${folder.replace(/\/$/, '')}/`))) files.set(path, uri);
      }
    }
    return [...files].map(([path, uri]) => ({ uri, path, stamp: this.stampOf(path) })).sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0));
  }

  /** Whether the file is open, by whatever name. */
  isOpen(path: string): boolean {
    return this.opened.has(path);
  }

  /** A file that is not open, and what is known of it. */
  async closed(path: string): Promise<{ readonly tree: Tree; readonly info: FileInfo } | null> {
    const tree = await this.files.take(path);
    if (!tree) return null;
    const digest = digestOf(tree.root);
    this.configurations.bind(path, digest);
    const context = this.configurations.of(path);
    return { tree, info: context ? placesOf(context) : { isHtaccess: isHtaccessName(path) } };
  }

  /** Stands for everything that the findings of a file depend on, but for its text and the settings. */
  stampOf(path: string): string {
    const said = this.configurations.of(path);
    return `${this.opened.has(path) ? '' : this.files.stampOf(path)}:${(said?.surroundings ?? []).map(numberOf).join(',')}${said?.isHtaccess ? 'h' : ''}`;
  }

  /** The configurations that read a file; all of them where none does, or it is nowhere. */
  modelsOf(uri: string): readonly Model[] {
    const path = this.identityOf(uri);
    const own = path === null ? [] : this.configurations.all.filter((model) => model.files.has(path));
    return own.length > 0 ? own : this.configurations.all;
  }

  get models(): readonly Model[] {
    return this.configurations.all;
  }

  /** The path of a file without links, as far as it is known. */
  identityOf(uri: string): string | null {
    const path = this.pathOf(uri);
    return path === null ? null : this.files.identity(path);
  }

  /** What a file contributes, as it is now. */
  digestOf(path: string): Digest | null {
    return this.files.digest(path);
  }

  /** The URI by which the client knows a file, or the one that its path gives. */
  uriFor(path: string): string {
    return this.opened.get(path)?.uri ?? this.found.get(path) ?? this.uriOf(path);
  }

  pathOf(uri: string): string | null {
    const { host } = this.options;
    return host.pathOf ? host.pathOf(uri) : pathOfUri(uri);
  }

  uriOf(path: string): string {
    const { host } = this.options;
    return host.uriOf ? host.uriOf(path) : uriOfPath(path);
  }

  // ---- Work ----

  private needsWork(): boolean {
    if (!this.options.isTrusted()) return false;
    if (this.isListStale || this.isStale || this.areDocumentsStale || this.dirty.size > 0 || !this.isReady) return true;
    return this.options.documents().some((each) => this.isNew(each));
  }

  /** Whether a document contributes something else than it did when the configurations were walked through. */
  private isNew(document: ConfigDocument): boolean {
    const path = this.identityOf(document.uri);
    // Of two documents for one file, by a link and by its own name, one counts.
    if (path === null || this.opened.get(path) !== document) return false;
    const before = this.walked.get(path);
    return !before || !isEqual(before, digestOf(document.tree.root));
  }

  private async work(): Promise<void> {
    const never = () => !this.options.isTrusted();
    let mustWalk = this.isStale || !this.isReady;
    this.isStale = false;
    const changed = new Set<string>();
    if (this.isListStale) {
      this.isListStale = false;
      mustWalk = (await this.search(never)) || mustWalk;
    }
    const dirty = [...this.dirty];
    this.dirty.clear();
    for (const path of dirty) changed.add(path);
    if (await this.files.reloadAll(dirty.filter((path) => this.files.has(path)), never)) mustWalk = true;
    let done = 0;
    const total = this.found.size;
    await this.files.loadAll(this.found.keys(), never, () => {
      done++;
      if (done % 200 === 0) this.progress?.(done, total);
    });
    if (await this.nameDocuments()) mustWalk = true;
    if ([...this.opened.values()].some((document) => this.isNew(document))) mustWalk = true;
    if (mustWalk) for (const path of await this.walk(never)) changed.add(path);
    this.isReady = true;
    this.progress = null;
    if (changed.size > 0) for (const listener of this.listeners) listener(changed);
  }

  /** Says whether there are other files than before. */
  private async search(isCancelled: () => boolean): Promise<boolean> {
    const found = new Map<string, string>();
    await this.options.host.findFiles(this.options.folders(), isCancelled, (uri, identityUri) => {
      const path = this.pathOf(uri);
      const identity = this.pathOf(identityUri);
      if (path === null || identity === null) return;
      this.files.found(path, identity);
      if (!found.has(identity)) found.set(identity, uri);
    });
    const before = this.found;
    this.found = found;
    for (const path of before.keys()) if (!found.has(path)) this.files.drop(path);
    return before.size !== found.size || [...found.keys()].some((path) => !before.has(path));
  }

  /** Open documents by their paths without links. Says whether other files can tell that some were opened or closed. */
  private async nameDocuments(): Promise<boolean> {
    this.areDocumentsStale = false;
    const opened = new Map<string, ConfigDocument>();
    for (const document of this.options.documents()) {
      const path = this.pathOf(document.uri);
      if (path === null) continue;
      const look = await this.files.lookAt(path);
      opened.set(look?.identity ?? path, document);
    }
    this.opened = opened;
    let isTold = false;
    for (const [path, before] of this.walked) {
      if (opened.has(path)) continue;
      // What the disk has is what counts now.
      this.walked.delete(path);
      await this.files.reload(path);
      const digest = this.files.digest(path);
      if (!digest || !isEqual(before, digest)) isTold = true;
    }
    for (const path of opened.keys()) {
      const digest = this.files.closedDigest(path);
      if (!this.walked.has(path) && digest && this.configurations.of(path)) this.walked.set(path, digest);
    }
    return isTold;
  }

  private async walk(isCancelled: () => boolean): Promise<Set<string>> {
    const changed = new Set<string>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const roots = await this.roots();
      this.walked = new Map([...this.opened].map(([path, document]) => [path, digestOf(document.tree.root)]));
      const files = new Set([...this.found.keys(), ...this.opened.keys()]);
      for (const path of this.configurations.update(roots, this.files, files)) changed.add(path);
      if (!this.files.hasWishes || isCancelled()) break;
      await this.files.grant(isCancelled);
    }
    return changed;
  }

  /** Files that say ServerRoot or PidFile at their top level, and those that a person names. */
  private async roots(): Promise<{ root: string; target: Settings['engine']['target']; server: ServerSettings }[]> {
    const paths = new Set<string>();
    for (const folder of this.options.folders()) {
      const base = this.pathOf(folder);
      const { roots } = await this.options.settingsOf(folder);
      if (base !== null) for (const root of roots) paths.add(this.files.identity(resolvePath(base, root)));
    }
    if (paths.size === 0) {
      for (const path of new Set([...this.found.keys(), ...this.opened.keys()])) {
        const digest = this.files.digest(path);
        if (digest && isRoot(digest)) paths.add(path);
      }
    }
    const roots = [];
    for (const root of [...paths].sort()) {
      const { engine, server, mapFolder } = await this.options.settingsOf(this.uriFor(root));
      roots.push({ root, target: engine.target, server: this.here(server, mapFolder ?? this.options.folders()[0]) });
    }
    return roots;
  }

  /** Relative paths of settings are below the folder of the workspace, or of the project file that they stand in. */
  private here(server: ServerSettings, folder: string | undefined): ServerSettings {
    const base = folder === undefined ? null : this.pathOf(folder);
    if (base === null || !server.map) return server;
    return { ...server, map: { entries: server.map.entries.map(({ from, to }) => ({ from, to: resolvePath(base, to) })) } };
  }

}

// ---------------------------------------------------------------------------------------------------------------------

const numbers = new WeakMap<Surrounded, number>();
let nextNumber = 1;

function numberOf(surrounded: Surrounded): number {
  let number = numbers.get(surrounded);
  if (number === undefined) numbers.set(surrounded, (number = nextNumber++));
  return number;
}

/** For a host that knows URIs only: `/vscode-vfs:github/owner/file` for `vscode-vfs://github/owner/file`, so that files of different places stay apart. */
function pathOfUri(uri: string): string | null {
  const match = /^([\w+.-]+):\/\/([^/]*)(\/.*)$/.exec(uri);
  return match && `/${match[1]}:${match[2]}${decoded(match[3])}`;
}

function uriOfPath(path: string): string {
  const match = /^\/([\w+.-]+):([^/]*)(\/.*)?$/.exec(path);
  return match ? `${match[1]}://${match[2]}${(match[3] ?? '').split('/').map(encodeURIComponent).join('/')}` : 'none:';
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
