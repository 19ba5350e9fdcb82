/**
 * Groups virtual hosts with equal lines for a folder and its parent folders. A server may have
 * thousands of hosts, most of them with equal lines or none. A query about a folder then looks at
 * one host of each group.
 */
/** Hosts with equal lines. */
interface HostGroup<Item> {
  /** The key of the group. */
  readonly text: string;
  /** The number of hosts, at least one. */
  readonly hosts: number;
  /** The lines of one host, from the outermost folder inwards. */
  readonly items: readonly Item[];
}

type ItemsOfHosts<Host, Item> = ReadonlyMap<Host, readonly Item[]>;

/** The groups of the hosts that have lines for a folder or for a parent of it. */
export class HostGroups<Host, Item> {
  /** The groups, by the texts of their lines. */
  private readonly byText: Map<string, HostGroup<Item>>;
  /**
   * The texts of hosts that have lines for the folder itself; the other hosts only have lines for
   * folders around it.
   */
  private readonly ownTexts = new Map<Host, string>();

  /**
   * `ofHosts`: lines for the folder itself or, with `isAll`, all lines. `textOf`: items with the
   * same text have the same effect. No text contains a NUL.
   */
  constructor(
    private readonly outer: HostGroups<Host, Item> | null,
    ofHosts: ItemsOfHosts<Host, Item>,
    textOf: (item: Item) => string,
    private readonly isAll = false,
  ) {
    this.byText = new Map(outer?.byText);
    for (const [host, items] of ofHosts) this.add(host, items, items.map(textOf).join('\n'));
  }

  get all(): readonly HostGroup<Item>[] {
    return [...this.byText.values()];
  }

  /** The hosts of one of the groups. */
  hostsOf({ text, hosts }: HostGroup<Item>): readonly Host[] {
    const matchingHosts = new Set<Host>();
    for (let level: HostGroups<Host, Item> | null = this; level && matchingHosts.size < hosts; level = level.outer)
      for (const host of level.ownTexts.keys()) if (this.textOfHost(host) === text) matchingHosts.add(host);
    return [...matchingHosts];
  }

  /**
   * Adds hosts whose other lines may apply here, too: each of these becomes a group of its own.
   * `ofHosts` has all of their lines.
   */
  with(ofHosts: ItemsOfHosts<Host, Item>): HostGroups<Host, Item> {
    if (ofHosts.size === 0) return this;
    let number = 0;
    return new HostGroups(this, ofHosts, () => `\0${number++}`, true);
  }

  private add(host: Host, added: readonly Item[], text: string): void {
    const before = this.textOfHost(host);
    const { hosts, items } = this.byText.get(before) ?? { hosts: 0, items: [] };
    if (hosts > 1) this.byText.set(before, { text: before, hosts: hosts - 1, items });
    else this.byText.delete(before);
    const textBelow = `${before}\n${text}`;
    this.ownTexts.set(host, textBelow);
    const others = this.byText.get(textBelow)?.hosts ?? 0;
    this.byText.set(textBelow, {
      text: textBelow,
      hosts: others + 1,
      items: this.isAll ? added : [...items, ...added],
    });
  }

  private textOfHost(host: Host): string {
    return this.ownTexts.get(host) ?? this.outer?.textOfHost(host) ?? '';
  }
}

/**
 * The groups in every folder of a configuration. They are computed once for each folder with lines,
 * from those of its parent.
 */
export class GroupsInFolders<Host, Item> {
  private readonly groupsByFolder = new Map<string, HostGroups<Host, Item>>();
  private readonly noHosts: HostGroups<Host, Item>;

  constructor(
    /** The lines of hosts for a folder itself. */
    private readonly ofHostsIn: (folder: string) => ItemsOfHosts<Host, Item> | undefined,
    private readonly textOf: (item: Item) => string,
  ) {
    this.noHosts = new HostGroups(null, new Map(), textOf);
  }

  /** `folders`: nested folders, the outermost first. */
  along(folders: readonly string[]): HostGroups<Host, Item> {
    let innermost = this.noHosts;
    for (const folder of folders) {
      const ofHosts = this.ofHostsIn(folder);
      if (ofHosts === undefined || ofHosts.size === 0) continue;
      let groups = this.groupsByFolder.get(folder);
      if (groups === undefined)
        this.groupsByFolder.set(folder, (groups = new HostGroups(innermost, ofHosts, this.textOf)));
      innermost = groups;
    }
    return innermost;
  }
}
