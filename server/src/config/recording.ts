/**
 * What the lines of a configuration do, recorded by one reading: which files an Include reads, what
 * a Use brings in, the values of variables. A reader that gathers other lines, or decides
 * conditions differently, uses the recording instead of interpreting the lines again
 * (configuration.ts). docs/how-httpd-reads.md.
 *
 * Recording enters all conditions except those of `<IfDefine>` and treats them as unknown.
 * `SectionEffect` says whether a different decision matters.
 */
import type { Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Activity } from './activity';
import type { FileView, PathMap } from './files';
import type { StartOptions } from './service-file';

/** The effects of the lines in one reading of a file, or of the text of a macro. */
export class Frame {
  readonly answers = new Map<Line, unknown>();
  /** Lines with variables as the server reads them there; null if a variable is unknown. */
  readonly expanded = new Map<Line, Line | null>();
}

/**
 * The effect of a section on the reading of later lines, for sections that must be read in order.
 */
export interface SectionEffect {
  /** How it was decided; if `inactive`, its body was not read. */
  readonly activity: Activity;
  /** Whether lines in it depend on that, or change later lines. */
  readonly changes: boolean;
  /** Whether unseen lines in it may define and load more. */
  readonly opens: boolean;
}

/** The result of a recording. */
export interface Recorded {
  readonly top: Frame;
  /** The path of the main file without links. */
  readonly root: string;
  readonly map: PathMap;
  readonly serverRoot: string;
  readonly started: StartOptions | null;
  /** Whether some answer depends on how much of the configuration is seen. */
  readonly asksWhetherSure: boolean;
}

/**
 * Thrown for a line without a recorded answer: its reader has entered a section that the recording
 * did not.
 */
export class NotRecorded extends Error {}

/**
 * The recording for these settings (`key`) and the current contents of a view; made if there is
 * none. null if `make` returns null. Kept as long as the view.
 */
export function recordingOf(key: string, view: FileView, make: (view: FileView) => Recorded | null): Recorded | null {
  let recordingsOfView = recordings.get(view);
  if (!recordingsOfView) recordings.set(view, (recordingsOfView = new Map()));
  const cached = recordingsOfView.get(key);
  if (cached?.asked.isAnsweredBy(view)) return cached.recorded;
  const asked = new RecordedQueries();
  const recorded = make(asked.noting(view));
  recordingsOfView.delete(key);
  recordingsOfView.set(key, { asked, recorded });
  for (const oldest of recordingsOfView.keys()) {
    if (recordingsOfView.size <= MOST_RECORDINGS) break;
    recordingsOfView.delete(oldest);
  }
  return recorded;
}

// ---------------------------------------------------------------------------------------------------------------------

const recordings = cacheOf<FileView, Map<string, CachedRecording>>();

interface CachedRecording {
  readonly asked: RecordedQueries;
  readonly recorded: Recorded | null;
}

/** Limit for recordings: main files times settings. */
const MOST_RECORDINGS = 64;

/**
 * The queries to a view and its answers: while these are the same, a new reading would give the
 * same result.
 */
class RecordedQueries {
  private readonly trees = new Map<string, Tree | null>();
  private readonly lists = new Map<string, readonly string[] | null>();
  private readonly kinds = new Map<string, 'file' | 'folder' | null>();
  private readonly identities = new Map<string, string>();
  private readonly links = new Map<string, string | null>();

  noting(view: FileView): FileView {
    const noted =
      <Answer>(answers: Map<string, Answer>, ask: (path: string) => Answer) =>
      (path: string): Answer => {
        const answer = ask(path);
        answers.set(path, answer);
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
    const same = <Answer>(answers: Map<string, Answer>, ask: (path: string) => Answer): boolean => {
      for (const [path, answer] of answers) if (ask(path) !== answer) return false;
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
