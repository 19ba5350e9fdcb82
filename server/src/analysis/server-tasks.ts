/** What has to be done on the server at the upgrade, as the plan has it (on-server.ts finds it). Apart, because clients have no use for the table. */

export interface PlanPlace {
  readonly file: string;
  /** 0-based. */
  readonly line: number;
}

export interface OnServerItem {
  readonly id: string;
  /** What there is to do in a few words, for a narrow list. */
  readonly title: string;
  readonly what: string;
  readonly because: readonly PlanPlace[];
  /** To be run as they stand, in this order. */
  readonly commands?: readonly string[];
  /** Left out where 2.4 starts without it. */
  readonly isBlocking?: true;
  /** There is nothing to do: somebody may want to know. */
  readonly isNote?: true;
}

/** The items without the notes: what somebody has to do. */
export function tasksOf(items: readonly OnServerItem[]): OnServerItem[] {
  return items.filter(({ isNote }) => !isNote);
}
