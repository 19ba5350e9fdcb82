/**
 * The configurations of a workspace or of a command: one for each root. Says of every file what they say about it, and remembers
 * what it said: `update` tells for which files that is something else now, so that nobody looks at the others again.
 */
import { baseName, parentOf } from './files';
import { asksForOldModuleIn, type Digest } from './file-summary';
import type { UsesOfFile } from './macro';
import type { ConfigView } from './config-view';
import type { Model, ServerSettings } from './model';
import { modelInSteps } from './read-model';
import { toEnd, type Steps } from './resumable';
import { FileSurroundings, Interner, type Surrounded } from './file-context-of-walk';
import type { Target } from './target';

export interface RootSettings {
  readonly root: string;
  readonly target: Target;
  readonly server?: ServerSettings;
}

/** What is said of one file. */
export interface FileContext {
  readonly isHtaccess: boolean;
  /** One for each kind of place where it is read; empty where no configuration reads it. */
  readonly surroundings: readonly Surrounded[];
  /** What the Use lines come to, in each of these places; null where there are none. */
  readonly uses: readonly (UsesOfFile | null)[];
  /** Of a .htaccess that no configuration reads and one of them passes over: why, as a sentence without a full stop. */
  readonly unread?: string;
  /** Where a file that a configuration includes is read as a .htaccess, too, and one that is read as a .htaccess may be read besides. */
  readonly asHtaccess?: readonly Surrounded[];
}

/** Where a file is read as a .htaccess, by links to it or to folders around it. */
export interface HtaccessPlaces {
  /** As this machine names them; none where its own name says it all. */
  readonly folders: readonly string[];
  /** `all`: there are no others. `some`: nobody has looked at all that is served. `open`: the server serves what nobody can look at. */
  readonly known: 'all' | 'some' | 'open';
}

/** The folders in which a file, by its path without links, has one of these names, by links; none where it has no other name than its own. */
export type FoldersOf = (file: string, names: readonly string[]) => readonly string[];

/** Places of different kinds that one file is looked at in. */
const MAX_PLACES = 8;

export class Configurations {
  private models: readonly Model[] = [];
  private surroundings: readonly FileSurroundings[] = [];
  private readonly interner = new Interner();
  private said = new Map<string, FileContext>();

  /** By root, in the order given. A root that another one includes is none. */
  get all(): readonly Model[] {
    return this.models;
  }

  /**
   * Walks through all configurations again. `files` are those whose contexts are of interest beside those that are read, by path without links.
   * Returns the files of which something else is said than before.
   */
  update(roots: readonly RootSettings[], view: ConfigView, files: Iterable<string>): Set<string> {
    return toEnd(this.say(toEnd(this.read(roots, view, this.models)), view, files));
  }

  /** The models of the roots, in steps, through files that stay as they are until it ends. Nobody hears of them before `say`. */
  *read(roots: readonly RootSettings[], view: ConfigView, before: readonly Model[]): Steps<readonly Model[]> {
    const earlier = new Map(before.map((model) => [model.root, model]));
    const models: Model[] = [];
    for (const { root, target, server } of roots) {
      const model = yield* modelInSteps({ root, view, target, server, before: earlier.get(view.identity(root)) });
      if (model) models.push(model);
    }
    return models.filter(
      (model, index) =>
        !models.some((other, otherIndex) => includes(other, model) && (otherIndex < index || !includes(model, other))),
    );
  }

  /** Works out what the models say of the files, in steps; until it ends, everybody hears what was said before. */
  *say(
    models: readonly Model[],
    view: ConfigView,
    files: Iterable<string>,
    foldersOf: FoldersOf = NO_FOLDERS,
  ): Steps<Set<string>> {
    const asked = new Set(files);
    let asksForOldModule = false;
    for (const file of asked) {
      if (!isHtaccessOf(models, file)) continue;
      const digest = view.digest(file);
      asksForOldModule ||= digest !== null && asksForOldModuleIn(digest);
    }
    const surroundings = models.map(
      (model) => new FileSurroundings(model, this.interner, model.asksForOldModule || asksForOldModule),
    );
    for (const model of models) for (const file of model.files.keys()) asked.add(file);
    yield;
    const said = new Map<string, FileContext>();
    const changed = new Set<string>();
    const names = [...new Set(['.htaccess', ...models.flatMap((model) => model.accessFileNames)])];
    for (const file of asked) {
      const isHtaccess = isHtaccessOf(models, file);
      const folders = foldersOf(file, names);
      if (isHtaccess || folders.length > 0) for (const model of models) yield* model.serving();
      const context = contextOf(file, view.digest(file), isHtaccess, { folders, known: 'some' }, surroundings);
      said.set(file, context);
      const known = this.said.get(file);
      if (!known || !isSame(known, context)) changed.add(file);
      if (said.size % STEP === 0) yield;
    }
    for (const file of this.said.keys()) if (!said.has(file)) changed.add(file);
    this.models = models;
    this.surroundings = surroundings;
    this.said = said;
    this.interner.turn();
    return changed;
  }

  /** What was said of a file at the last update; undefined where nobody asked. */
  of(file: string): FileContext | undefined {
    return this.said.get(file);
  }

  /** After an edit that no other file can tell: conditions that read alike are told apart by their lines, and these may be new. */
  bind(file: string, digest: Digest): void {
    for (const surrounded of this.said.get(file)?.surroundings ?? []) surrounded.bind(digest);
  }

  /** What is said of a file, by its path without links. */
  contextOf(file: string, digest: Digest | null, places: HtaccessPlaces = { folders: [], known: 'all' }): FileContext {
    return contextOf(file, digest, isHtaccessOf(this.models, file), places, this.surroundings);
  }
}

/** Whether a file's name alone makes it one that httpd reads with each request; AccessFileName may name others. */
export function isHtaccessName(path: string): boolean {
  return /(^|[\\/])(?:[._]?htaccess[^\\/]*|[^\\/]+\.htaccess)$/.test(path);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Files between two places to take a pause. */
const STEP = 16;

function contextOf(
  file: string,
  digest: Digest | null,
  isNamed: boolean,
  { folders: others, known }: HtaccessPlaces,
  surroundings: readonly FileSurroundings[],
): FileContext {
  if (!digest) return NOT_READ;
  const included = isNamed ? [] : unique(surroundings.flatMap((each) => each.of(file, digest)));
  const folders = others.length === 0 && isNamed ? [parentOf(file)] : others;
  if (folders.length === 0)
    return { isHtaccess: false, surroundings: included, uses: included.map(({ uses }) => uses) };
  const said = surroundings.flatMap((of) =>
    folders.map((folder) => ({ admitting: of.ofHtaccess(folder, digest), unread: of.unread(folder) })),
  );
  const admitting = unique(said.flatMap((each) => each.admitting ?? []));
  // A folder that is served by a pattern, or stands above what is served, is no folder of which it is known what is granted.
  const isSure = known === 'all' && said.every((each) => each.admitting !== null || each.unread !== null);
  const elsewhere = isSure ? [] : unique(surroundings.map((each) => each.ofHtaccessAnywhere(digest)));
  if (included.length > 0)
    return {
      isHtaccess: false,
      surroundings: included,
      uses: included.map(({ uses }) => uses),
      asHtaccess: [...admitting, ...elsewhere],
    };
  const unread =
    admitting.length === 0 && known !== 'open'
      ? surroundings
          .map((each) => folders.map((folder) => each.unread(folder)))
          .find((whys) => whys.every((why) => why !== null))?.[0]
      : undefined;
  return {
    isHtaccess: true,
    surroundings: admitting,
    uses: admitting.map(({ uses }) => uses),
    unread: unread ?? undefined,
    asHtaccess: elsewhere,
  };
}

const NO_FOLDERS: FoldersOf = () => [];

function isHtaccessOf(models: readonly Model[], file: string): boolean {
  if (isHtaccessName(file)) return true;
  const name = baseName(file);
  return models.some((model) => model.accessFileNames.includes(name) && !model.files.has(file));
}

function includes(model: Model, other: Model): boolean {
  return model !== other && model.files.has(other.root);
}

const NOT_READ: FileContext = { isHtaccess: false, surroundings: [], uses: [] };

function unique(surroundings: readonly Surrounded[]): readonly Surrounded[] {
  return surroundings.length < 2 ? surroundings : [...new Set(surroundings)].slice(0, MAX_PLACES);
}

function isSame(a: FileContext, b: FileContext): boolean {
  const [own = [], other = []] = [a.asHtaccess, b.asHtaccess];
  if (own.length !== other.length || own.some((each, index) => each !== other[index])) return false;
  return (
    a.isHtaccess === b.isHtaccess &&
    a.unread === b.unread &&
    a.surroundings.length === b.surroundings.length &&
    a.surroundings.every((each, index) => each === b.surroundings[index] && a.uses[index] === b.uses[index])
  );
}
