/**
 * Virtual hosts by what they say in a folder and around it. A server has thousands of hosts of which most say the same, or nothing: whoever asks what holds in a
 * folder asks one of each group.
 */
/** Hosts that say the same. */
interface HostGroup<Item> {
  /** What tells it from the others. */
  readonly text: string;
  /** How many there are: at least one. */
  readonly hosts: number;
  /** What one of them says, from the outermost folder in. */
  readonly items: readonly Item[];
}

type ItemsOfHosts<Host, Item> = ReadonlyMap<Host, readonly Item[]>;

/** The hosts that say something in a folder or around it. */
export class HostGroups<Host, Item> {
  /** The groups, by the texts of what their hosts say. */
  private readonly byText: Map<string, HostGroup<Item>>;
  /** What the hosts say that say something in the folder itself; the others say what they say around it. */
  private readonly own = new Map<Host, string>();

  /** `ofHosts`: what they say in the folder itself, or, with `isAll`, what they say at all. `textOf`: items with the same text do the same; no text contains a NUL. */
  constructor(
    private readonly around: HostGroups<Host, Item> | null,
    ofHosts: ItemsOfHosts<Host, Item>,
    textOf: (item: Item) => string,
    private readonly isAll = false,
  ) {
    this.byText = new Map(around?.byText);
    for (const [host, items] of ofHosts) this.add(host, items, items.map(textOf).join('\n'));
  }

  get all(): readonly HostGroup<Item>[] {
    return [...this.byText.values()];
  }

  /** The hosts of one of the groups. */
  hostsOf({ text, hosts }: HostGroup<Item>): readonly Host[] {
    const found = new Set<Host>();
    for (let at: HostGroups<Host, Item> | null = this; at && found.size < hosts; at = at.around)
      for (const host of at.own.keys()) if (this.saidBy(host) === text) found.add(host);
    return [...found];
  }

  /** The same where some hosts say something elsewhere that may hold here, too: each of these is a group of its own. Given is all that they say. */
  with(ofHosts: ItemsOfHosts<Host, Item>): HostGroups<Host, Item> {
    if (ofHosts.size === 0) return this;
    let number = 0;
    return new HostGroups(this, ofHosts, () => `\0${number++}`, true);
  }

  private add(host: Host, added: readonly Item[], text: string): void {
    const before = this.saidBy(host);
    const { hosts, items } = this.byText.get(before) ?? { hosts: 0, items: [] };
    if (hosts > 1) this.byText.set(before, { text: before, hosts: hosts - 1, items });
    else this.byText.delete(before);
    const now = `${before}\n${text}`;
    this.own.set(host, now);
    const others = this.byText.get(now)?.hosts ?? 0;
    this.byText.set(now, { text: now, hosts: others + 1, items: this.isAll ? added : [...items, ...added] });
  }

  private saidBy(host: Host): string {
    return this.own.get(host) ?? this.around?.saidBy(host) ?? '';
  }
}

/** The groups in every folder of a configuration. Each folder in which hosts say something is worked out once, from the one around it. */
export class GroupsInFolders<Host, Item> {
  private readonly known = new Map<string, HostGroups<Host, Item>>();
  private readonly nobody: HostGroups<Host, Item>;

  constructor(
    /** What hosts say in a folder itself. */
    private readonly ofHostsIn: (folder: string) => ItemsOfHosts<Host, Item> | undefined,
    private readonly textOf: (item: Item) => string,
  ) {
    this.nobody = new HostGroups(null, new Map(), textOf);
  }

  /** `folders`: one in the other, from the outermost in. */
  along(folders: readonly string[]): HostGroups<Host, Item> {
    let at = this.nobody;
    for (const folder of folders) {
      const ofHosts = this.ofHostsIn(folder);
      if (ofHosts === undefined || ofHosts.size === 0) continue;
      let known = this.known.get(folder);
      if (known === undefined) this.known.set(folder, (known = new HostGroups(at, ofHosts, this.textOf)));
      at = known;
    }
    return at;
  }
}
