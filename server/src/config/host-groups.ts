/**
 * Groups virtual hosts with equal lines for a folder and its parent folders. A server may have
 * thousands of hosts, and most have equal lines or none. So a query about a folder visits only one
 * host of each group.
 */
/** A group of hosts with equal lines. */
interface HostGroup<Item> {
  /** Identifies the group: equal for hosts with the same texts of lines. */
  readonly hostKey: string;
  /** The number of hosts, at least one. */
  readonly hostCount: number;
  /** The lines of any host of the group, from the outermost folder inwards. */
  readonly allItems: readonly Item[];
}

type ItemsOfHosts<Host, Item> = ReadonlyMap<Host, readonly Item[]>;

/** The groups of the hosts that have lines for a folder or for a parent of it. */
export class HostGroups<Host, Item> {
  /** The groups, by the keys in `keyByHost` and `outerGroups`. */
  private readonly groupByKey: Map<string, HostGroup<Item>>;
  /**
   * The key of the group of each host that has lines for the folder itself. For a host that only
   * has lines for folders around it, `outerGroups` has the key.
   */
  private readonly keyByHost = new Map<Host, string>();

  /**
   * `itemsByHost`: the lines of each host for the folder itself or, with `hasAllItems`, all lines
   * of the host. `textOf`: returns a text for a line. Lines with equal texts must have the same
   * effect, and no text contains a NUL.
   */
  constructor(
    private readonly outerGroups: HostGroups<Host, Item> | null,
    itemsByHost: ItemsOfHosts<Host, Item>,
    textOf: (item: Item) => string,
    private readonly hasAllItems = false,
  ) {
    this.groupByKey = new Map(outerGroups?.groupByKey);
    for (const [host, items] of itemsByHost) this.addHost(host, items, items.map(textOf).join('\n'));
  }

  /** The groups, one for each set of equal lines. */
  get allGroups(): readonly HostGroup<Item>[] {
    return [...this.groupByKey.values()];
  }

  /** The hosts of one of the groups. */
  hostsOf({ hostKey, hostCount }: HostGroup<Item>): readonly Host[] {
    const matchingHosts = new Set<Host>();
    for (
      let level: HostGroups<Host, Item> | null = this;
      level && matchingHosts.size < hostCount;
      level = level.outerGroups
    )
      for (const host of level.keyByHost.keys()) if (this.keyOfHost(host) === hostKey) matchingHosts.add(host);
    return [...matchingHosts];
  }

  /**
   * Adds hosts with lines that may apply to any folder. `itemsByHost` has all lines of these hosts.
   * With `textOf`, hosts with the same texts in the same order are one group. Without it, each of
   * these hosts becomes a group of its own.
   */
  withHosts(itemsByHost: ItemsOfHosts<Host, Item>, textOf?: (item: Item) => string): HostGroups<Host, Item> {
    if (itemsByHost.size === 0) return this;
    let nextHostNumber = 0;
    return new HostGroups(this, itemsByHost, (item) => `\0${textOf?.(item) ?? nextHostNumber++}`, true);
  }

  /**
   * Moves a host to the group for its present lines and the added ones. `text`: the text of the
   * added lines.
   */
  private addHost(host: Host, addedItems: readonly Item[], text: string): void {
    const keyBefore = this.keyOfHost(host);
    const { hostCount, allItems } = this.groupByKey.get(keyBefore) ?? { hostCount: 0, allItems: [] };
    if (hostCount > 1) this.groupByKey.set(keyBefore, { hostKey: keyBefore, hostCount: hostCount - 1, allItems });
    else this.groupByKey.delete(keyBefore);
    const newKey = `${keyBefore}\n${text}`;
    this.keyByHost.set(host, newKey);
    const otherHostCount = this.groupByKey.get(newKey)?.hostCount ?? 0;
    this.groupByKey.set(newKey, {
      hostKey: newKey,
      hostCount: otherHostCount + 1,
      allItems: this.hasAllItems ? addedItems : [...allItems, ...addedItems],
    });
  }

  private keyOfHost(host: Host): string {
    return this.keyByHost.get(host) ?? this.outerGroups?.keyOfHost(host) ?? '';
  }
}

/**
 * The groups in each folder of a configuration. The groups of a folder with lines are computed
 * once, from those of its parent.
 */
export class GroupsInFolders<Host, Item> {
  private readonly groupsByFolder = new Map<string, HostGroups<Host, Item>>();
  private readonly groupsWithoutHosts: HostGroups<Host, Item>;

  constructor(
    /** The lines of hosts for a folder itself. */
    private readonly itemsByHostIn: (folder: string) => ItemsOfHosts<Host, Item> | undefined,
    private readonly textOf: (item: Item) => string,
  ) {
    this.groupsWithoutHosts = new HostGroups(null, new Map(), textOf);
  }

  /** The groups in the last of these folders. `folders`: nested folders, the outermost first. */
  groupsAlongFolders(folders: readonly string[]): HostGroups<Host, Item> {
    let innermostGroups = this.groupsWithoutHosts;
    for (const folder of folders) {
      const itemsOfHosts = this.itemsByHostIn(folder);
      if (itemsOfHosts === undefined || itemsOfHosts.size === 0) continue;
      let groups = this.groupsByFolder.get(folder);
      if (groups === undefined)
        this.groupsByFolder.set(folder, (groups = new HostGroups(innermostGroups, itemsOfHosts, this.textOf)));
      innermostGroups = groups;
    }
    return innermostGroups;
  }
}
