/**
 * What the lines of a configuration do, as one reading of it found out: which files an Include brings in, what a Use comes to, what variables are. Whoever asks for other lines, or decides
 * conditions in another way, goes by it and interprets no line again (configuration.ts). docs/how-httpd-reads.md.
 *
 * A recording has no lines of its own choice: it goes into all conditions but those of `<IfDefine>`, and takes them as unknown. `SectionEffect` tells who decides otherwise whether that matters.
 */
import type { Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Activity } from './activity';
import type { FileView, PathMap } from './files';
import type { StartOptions } from './service-file';

/** What the lines do at one reading of a file, or of the text of a macro. */
export class Frame {
  readonly answers = new Map<Line, unknown>();
  /** Lines with variables, as the server reads them there; null where a variable is not known. */
  readonly expanded = new Map<Line, Line | null>();
}

/** What a section does to the reading of what stands behind it; of those that have to be read in their turn. */
export interface SectionEffect {
  /** How it was read; where that is `inactive`, what is in it was not. */
  readonly activity: Activity;
  /** Whether something in it depends on that, or changes what is behind it. */
  readonly changes: boolean;
  /** Whether something in it is not seen that may define and load more. */
  readonly opens: boolean;
}

/** What a recording comes to. */
export interface Recorded {
  readonly top: Frame;
  /** Of the root, without links. */
  readonly root: string;
  readonly map: PathMap;
  readonly serverRoot: string;
  readonly started: StartOptions | null;
  /** Whether some answer would be another one if more, or less, were seen of the configuration. */
  readonly asksWhetherSure: boolean;
}

/** A line that has no answer in the recording: its reader came where the recording did not. */
export class NotRecorded extends Error {}

/** The recording for these settings, `key`, of what a view shows now; made where there is none. null where `make` makes none. It is kept as long as the view. */
export function recordingOf(key: string, view: FileView, make: (view: FileView) => Recorded | null): Recorded | null {
  let own = recordings.get(view);
  if (!own) recordings.set(view, (own = new Map()));
  const known = own.get(key);
  if (known?.asked.isAnsweredBy(view)) return known.recorded;
  const asked = new Asked();
  const recorded = make(asked.noting(view));
  own.delete(key);
  own.set(key, { asked, recorded });
  for (const oldest of own.keys()) {
    if (own.size <= MOST_RECORDINGS) break;
    own.delete(oldest);
  }
  return recorded;
}

// ---------------------------------------------------------------------------------------------------------------------

const recordings = cacheOf<FileView, Map<string, Kept>>();

interface Kept {
  readonly asked: Asked;
  readonly recorded: Recorded | null;
}

/** Main files, and settings that one is read with. */
const MOST_RECORDINGS = 64;

/** What a view was asked, and what it said: as long as it says the same, reading again comes to the same. */
class Asked {
  private readonly trees = new Map<string, Tree | null>();
  private readonly lists = new Map<string, readonly string[] | null>();
  private readonly kinds = new Map<string, 'file' | 'folder' | null>();
  private readonly identities = new Map<string, string>();
  private readonly links = new Map<string, string | null>();

  noting(view: FileView): FileView {
    const noted =
      <Answer>(of: Map<string, Answer>, ask: (path: string) => Answer) =>
      (path: string): Answer => {
        const answer = ask(path);
        of.set(path, answer);
        return answer;
      };
    return {
      ...view,
      read: noted(this.trees, (path) => view.read(path)),
      list: noted(this.lists, (path) => view.list(path)),
      kind: noted(this.kinds, (path) => view.kind(path)),
      identity: noted(this.identities, (path) => view.identity(path)),
      ...(view.link && { link: noted(this.links, (path) => view.link!(path)) }),
    };
  }

  isAnsweredBy(view: FileView): boolean {
    const same = <Answer>(of: Map<string, Answer>, ask: (path: string) => Answer): boolean => {
      for (const [path, answer] of of) if (ask(path) !== answer) return false;
      return true;
    };
    return (
      same(this.trees, (path) => view.read(path)) &&
      same(this.identities, (path) => view.identity(path)) &&
      same(this.kinds, (path) => view.kind(path)) &&
      same(this.links, (path) => view.link?.(path) ?? null) &&
      [...this.lists].every(([path, names]) => isSameList(view.list(path), names))
    );
  }
}

function isSameList(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === b || a === null || b === null) return a === b;
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
