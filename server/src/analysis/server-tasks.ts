/**
 * The types of tasks on the server in a plan. on-server.ts makes the tasks. This file is separate,
 * because clients do not need the table there.
 */

export interface PlanPlace {
  readonly file: string;
  /** 0-based. */
  readonly line: number;
}

export interface OnServerItem {
  readonly id: string;
  /** The task in a few words, for a narrow list. */
  readonly title: string;
  readonly what: string;
  readonly because: readonly PlanPlace[];
  /** To run unchanged, in this order. */
  readonly commands?: readonly string[];
  /** Absent if 2.4 starts without it. */
  readonly isBlocking?: true;
  /** Set for a note without anything to do. */
  readonly isNote?: true;
}

/** The items without the notes. */
export function tasksOf(items: readonly OnServerItem[]): OnServerItem[] {
  return items.filter(({ isNote }) => !isNote);
}
