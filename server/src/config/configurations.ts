/**
 * The configurations of a workspace or of a command: one for each root. Says of every file what they say about it, and remembers
 * what it said: `update` tells for which files that is something else now, so that nobody looks at the others again.
 */
import { baseName, parentOf } from './files';
import type { Digest } from './digest';
import { readModel, type ConfigView, type Model, type ServerSettings } from './model';
import { FileSurroundings, Interner, type Surrounded } from './surrounded';
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
}

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
    const earlier = new Map(this.models.map((model) => [model.root, model]));
    const models = roots.flatMap(({ root, target, server }) => readModel({ root, view, target, server, before: earlier.get(view.identity(root)) }) ?? []);
    this.models = models.filter((model, index) => !models.some((other, otherIndex) => includes(other, model) && (otherIndex < index || !includes(model, other))));
    this.surroundings = this.models.map((model) => new FileSurroundings(model, this.interner));
    const before = this.said;
    this.said = new Map();
    const changed = new Set<string>();
    const asked = new Set(files);
    for (const model of this.models) for (const file of model.files.keys()) asked.add(file);
    for (const file of asked) {
      const context = this.contextOf(file, view.digest(file));
      this.said.set(file, context);
      const known = before.get(file);
      if (!known || !isSame(known, context)) changed.add(file);
    }
    for (const file of before.keys()) if (!this.said.has(file)) changed.add(file);
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
  contextOf(file: string, digest: Digest | null): FileContext {
    if (!digest) return NOT_READ;
    const isHtaccess = this.isHtaccess(file);
    if (!isHtaccess) return { isHtaccess, surroundings: unique(this.surroundings.flatMap((each) => each.of(file, digest))) };
    const folder = parentOf(file);
    return { isHtaccess, surroundings: unique(this.surroundings.flatMap((each) => each.ofHtaccess(folder, digest) ?? [])) };
  }

  private isHtaccess(file: string): boolean {
    if (isHtaccessName(file)) return true;
    const name = baseName(file);
    return this.models.some((model) => model.accessFileNames.includes(name) && !model.files.has(file));
  }
}

/** Whether a file's name alone makes it one that httpd reads with each request; AccessFileName may name others. */
export function isHtaccessName(path: string): boolean {
  return /(^|[\\/])\.?htaccess[^\\/]*$/.test(path);
}

// ---------------------------------------------------------------------------------------------------------------------

function includes(model: Model, other: Model): boolean {
  return model !== other && model.files.has(other.root);
}

const NOT_READ: FileContext = { isHtaccess: false, surroundings: [] };

function unique(surroundings: readonly Surrounded[]): readonly Surrounded[] {
  return surroundings.length < 2 ? surroundings : [...new Set(surroundings)].slice(0, MAX_PLACES);
}

function isSame(a: FileContext, b: FileContext): boolean {
  return a.isHtaccess === b.isHtaccess && a.surroundings.length === b.surroundings.length && a.surroundings.every((each, index) => each === b.surroundings[index]);
}
