/**
 * Virtual hosts by what they say in a folder and around it. A server has thousands of hosts of which most say the same, or nothing: whoever asks what holds in a
 * folder asks one of each group.
 */
import { counters } from '../syntax/memory';

/** Hosts that were put into groups since the start of the program, for the tests that count. */
export const work = counters({ hosts: 0 });

/** Hosts that say the same. */
interface HostGroup<Item> {
  /** How many there are: at least one. */
  readonly hosts: number;
  /** What one of them says, from the outermost folder in. */
  readonly items: readonly Item[];
}

type ItemsOfHosts<Item> = ReadonlyMap<object, readonly Item[]>;

/** The hosts that say something in a folder or around it. */
export class HostGroups<Item> {
  /** The groups, by the texts of what their hosts say. */
  private readonly byText: Map<string, HostGroup<Item>>;
  /** What the hosts say that say something in the folder itself; the others say what they say around it. */
  private readonly own = new Map<object, string>();

  /** `textOf`: items with the same text do the same. */
  constructor(
    private readonly around: HostGroups<Item> | null,
    ofHosts: ItemsOfHosts<Item>,
    textOf: (item: Item) => string,
  ) {
    this.byText = new Map(around?.byText);
    for (const [host, items] of ofHosts) this.add(host, items, items.map(textOf).join('\n'));
  }

  /** One list of items for each group. */
  get all(): readonly (readonly Item[])[] {
    return [...this.byText.values()].map(({ items }) => items);
  }

  /** How many hosts say something. */
  get hosts(): number {
    let count = 0;
    for (const { hosts } of this.byText.values()) count += hosts;
    return count;
  }

  /** The same with what hosts say elsewhere that may hold here, too: each of these is a group of its own. */
  with(ofHosts: ItemsOfHosts<Item>): HostGroups<Item> {
    if (ofHosts.size === 0) return this;
    let number = 0;
    return new HostGroups(this, ofHosts, () => `${number++}`);
  }

  private add(host: object, added: readonly Item[], text: string): void {
    work.hosts++;
    const before = this.saidBy(host);
    const { hosts, items } = this.byText.get(before) ?? { hosts: 0, items: [] };
    if (hosts > 1) this.byText.set(before, { hosts: hosts - 1, items });
    else this.byText.delete(before);
    const now = `${before}\n${text}`;
    this.own.set(host, now);
    this.byText.set(now, { hosts: (this.byText.get(now)?.hosts ?? 0) + 1, items: [...items, ...added] });
  }

  private saidBy(host: object): string {
    return this.own.get(host) ?? this.around?.saidBy(host) ?? '';
  }
}

/** The groups in every folder of a configuration. Each folder in which hosts say something is worked out once, from the one around it. */
export class GroupsInFolders<Item> {
  private readonly known = new Map<string, HostGroups<Item>>();
  private readonly nobody: HostGroups<Item>;

  constructor(
    /** What hosts say in a folder itself. */
    private readonly ofHostsIn: (folder: string) => ItemsOfHosts<Item> | undefined,
    private readonly textOf: (item: Item) => string,
  ) {
    this.nobody = new HostGroups(null, new Map(), textOf);
  }

  /** `folders`: one in the other, from the outermost in. */
  along(folders: readonly string[]): HostGroups<Item> {
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
