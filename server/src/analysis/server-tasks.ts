/**
 * The types of the plan's tasks that must be done on the server. on-server.ts makes the tasks. The
 * types are in a file of their own, so that clients can import them without the large table of
 * on-server.ts.
 */

/** A line of a file, as the plan shows it. */
export interface PlanPlace {
  /** The display name of the file, as users see it. */
  readonly file: string;
  /** The number of the line, 0-based. */
  readonly line: number;
}

/** A task on the server that the plan lists besides the changes of files. */
export interface OnServerItem {
  /** Identifies the kind of task: all plans have the same id for it. */
  readonly id: string;
  /** The task in a few words, for a narrow list. */
  readonly title: string;
  /** The task in full sentences. */
  readonly what: string;
  /** The lines that make the task necessary. */
  readonly because: readonly PlanPlace[];
  /** Commands to run unchanged, in this order. */
  readonly commands?: readonly string[];
  /** Whether 2.4 does not start before this task is done. Absent if it does. */
  readonly isBlocking?: true;
  /** Set if the item only informs, and the user has nothing to do. */
  readonly isNote?: true;
}

/** The tasks without the notes, which need no action. */
export function tasksOf(items: readonly OnServerItem[]): OnServerItem[] {
  return items.filter(({ isNote }) => !isNote);
}
