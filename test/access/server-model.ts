/**
 * A model of httpd 2.2 and 2.4: takes the texts of a configuration and a request, and returns the
 * answer. It finds the file for the URL, the sections that apply, their order, and the decision of
 * their lines. It shares no code with server/src/access, so that both need the same error for a
 * test to miss it.
 *
 * It applies sections as ap_directory_walk, ap_file_walk and ap_location_walk in server/request.c
 * do, with directories in the order of ap_core_reorder_directories (server/core.c).
 */
export type Version = '2.2' | '2.4';
export type Status = 200 | 401 | 403 | 500;

/** A configuration and the folders it serves. */
export interface Site {
  /** The main file. */
  readonly root: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly serverRoot: string;
  /** What `<IfDefine>` and `<IfModule>` find, for each version. */
  readonly defined: Readonly<Record<Version, ReadonlySet<string>>>;
  readonly folders: ReadonlySet<string>;
  /** Files that are there. */
  readonly files?: ReadonlySet<string>;
}

/** Whoever asks. */
export interface Client {
  readonly address: string;
  /** What a double reverse look-up gives. */
  readonly name: string | null;
  readonly variables: ReadonlySet<string>;
  /** With the right password, or nobody. */
  readonly user: string | null;
  readonly groups: readonly string[];
  /** Whether checkers of other modules refuse the request. */
  readonly isRefused?: boolean;
}

/** Lines and sections as written. */
interface Item {
  readonly name: string;
  readonly words: readonly string[];
  readonly body: readonly Item[] | null;
}

/** What one section, or one .htaccess, says: what the modules' records are made of. */
export interface Saying {
  readonly id: number;
  readonly host: readonly {
    readonly kind: 'order' | 'allow' | 'deny';
    readonly words: readonly string[];
    readonly limits: Limits;
  }[];
  readonly satisfy: readonly { readonly isAny: boolean; readonly limits: Limits }[];
  readonly requires: readonly Node[];
  readonly merging: 'off' | 'and' | 'or' | null;
  readonly authType: string | null;
  readonly hasGroupFile: boolean;
  /** Something that the server refuses to read. */
  readonly isBroken: boolean;
  /**
   * A module that looks at requests beside the hosts, as mod_ssl's SSLRequireSSL and mod_authz_svn
   * do (docs/access-control.md, "What has no exact translation").
   */
  readonly hasChecker?: boolean;
  /** The walk over directories, files or locations that found it: each merges its own first. */
  readonly walk?: 'directories' | 'files' | 'locations';
}

export type Limits = readonly { readonly isExcept: boolean; readonly methods: readonly string[] }[];

export type Node =
  | { readonly type: 'require'; readonly isNot: boolean; readonly words: readonly string[]; readonly limits: Limits }
  | { readonly type: 'all' | 'any' | 'none'; readonly of: readonly Node[] };

interface Section {
  readonly kind: 'directory' | 'files' | 'location';
  readonly matches: (text: string) => boolean;
  readonly isRegex: boolean;
  /** For directories: how many slashes the argument has as the server counts them. */
  readonly depth: number;
  readonly saying: Saying;
  readonly files: readonly Section[];
  readonly override: readonly string[] | null;
}

interface Host {
  readonly directories: Section[];
  readonly files: Section[];
  readonly locations: Section[];
  readonly aliases: { readonly url: string; readonly target: string }[];
  documentRoot: string | null;
}

export class Server {
  private count = 0;
  private readonly main: Host;
  private readonly hosts: Host[] = [];
  private readonly htaccess = new Map<string, Section>();
  private readonly modules: string[] = [];

  constructor(
    private readonly site: Site,
    private readonly version: Version,
  ) {
    this.main = this.host(this.read(site.root));
  }

  /** Whether something in the server's own files keeps it from starting. */
  get isRefused(): boolean {
    const isBroken = ({ saying, files }: Section): boolean => saying.isBroken || files.some(isBroken);
    return [this.main, ...this.hosts].some(({ directories, files, locations }) =>
      [...directories, ...files, ...locations].some(isBroken),
    );
  }

  get hostCount(): number {
    return this.hosts.length;
  }

  /**
   * The sections that apply to a URL at a virtual host (-1: the main server), in the order they are
   * merged.
   */
  applied(url: string, hostIndex: number): Saying[] {
    const own = hostIndex < 0 ? null : this.hosts[hostIndex];
    const hosts = own ? [this.main, own] : [this.main];
    const whole = this.pathOf(url, hosts);
    const folders = this.foldersTo(whole);
    // Behind the first part that is no folder begins what the server calls PATH_INFO.
    const path = this.site.files?.has(whole)
      ? whole
      : whole.slice(0, folders.at(-1)!.length) + whole.slice(folders.at(-1)!.length).split('/', 1)[0];
    const directories = hosts.flatMap((host) => host.directories);
    const found: Section[] = [];
    let override: readonly string[] = this.version === '2.2' ? ['all'] : ['none'];
    for (const folder of folders) {
      const depth = folder === '/' ? 0 : slashes(folder);
      for (const section of directories.filter(
        (known) => !known.isRegex && known.depth === depth && known.matches(folder),
      )) {
        found.push(section);
        override = section.override ?? override;
      }
      const file = `${folder}.htaccess`;
      if (this.site.texts[file] !== undefined && !override.every((word) => word === 'none'))
        found.push(this.accessFile(file, override));
    }
    const patterns = directories.filter((section) => section.isRegex).sort((a, b) => a.depth - b.depth);
    found.push(...patterns.filter((section) => section.matches(path)));
    const name = path.slice(path.lastIndexOf('/') + 1);
    const files = [...hosts.flatMap((host) => host.files), ...found.flatMap((section) => section.files)].filter(
      (section) => section.matches(name),
    );
    const locations = hosts.flatMap((host) => host.locations).filter((section) => section.matches(url));
    const of = (walk: Saying['walk'], sections: readonly Section[]) =>
      sections.map(({ saying }): Saying => ({ ...saying, walk }));
    return [...of('directories', found), ...of('files', files), ...of('locations', locations)];
  }

  /** What sections that apply in this order answer. */
  answer(sayings: readonly Saying[], method: string, client: Client): Status {
    if (sayings.some(({ isBroken }) => isBroken)) return 500;
    return this.version === '2.2' ? answer22(sayings, method, client, this.modules) : answer24(sayings, method, client);
  }

  // --- Reading -----------------------------------------------------------------------------------

  private read(file: string): Item[] {
    return itemsOf(
      this.site.texts[file] ?? '',
      this.site.defined[this.version],
      (name) => this.included(name),
      this.modules,
    );
  }

  private included(argument: string): Item[] {
    const path = resolve(this.site.serverRoot, argument);
    const names = Object.keys(this.site.texts).filter((file) =>
      /[*?[]/.test(path) ? glob(path, file) : file === path,
    );
    return names.sort().flatMap((file) => this.read(file));
  }

  private host(items: readonly Item[]): Host {
    const host: Host = { directories: [], files: [], locations: [], aliases: [], documentRoot: null };
    for (const item of items) {
      if (item.body === null) {
        if (item.name === 'documentroot') host.documentRoot = resolve(this.site.serverRoot, item.words[0]);
        if (item.name === 'alias' || item.name === 'scriptalias')
          host.aliases.push({ url: item.words[0], target: item.words[1] });
      } else if (item.name === 'virtualhost') {
        this.hosts.push(this.host(item.body));
      } else {
        const section = this.section(item);
        if (section?.kind === 'directory') host.directories.push(section);
        if (section?.kind === 'files') host.files.push(section);
        if (section?.kind === 'location') host.locations.push(section);
      }
    }
    return host;
  }

  private section({ name, words, body }: Item): Section | null {
    const isRegex = name.endsWith('match') || words[0] === '~';
    const argument = words[words[0] === '~' ? 1 : 0];
    const content = { ...this.content(body!), isRegex };
    // 2.2 takes the end of the text for no end of line: a $ never matches there (REG_NOTEOL).
    const regex = isRegex
      ? new RegExp(name.startsWith('directory') && this.version === '2.2' ? argument.replace(/\$/g, '(?!)') : argument)
      : /(?:)/;
    switch (name.replace('match', '')) {
      case 'directory': {
        if (isRegex)
          return { ...content, kind: 'directory', depth: slashes(argument), matches: (path) => regex.test(path) };
        const own = resolve('/', argument);
        const whole = own === '/' ? '/' : `${own}/`;
        const matches = (folder: string) => (/[*?[]/.test(whole) ? glob(whole, folder) : folder === whole);
        return { ...content, kind: 'directory', depth: own === '/' ? 0 : slashes(whole), matches };
      }
      case 'files':
        return {
          ...content,
          kind: 'files',
          depth: 0,
          matches: (file) =>
            isRegex ? regex.test(file) : /[*?[]/.test(argument) ? glob(argument, file) : file === argument,
        };
      case 'location': {
        const matches = (url: string): boolean => {
          if (isRegex) return regex.test(url);
          const single = url.replace(/\/+/g, '/');
          if (/[*?[]/.test(argument)) return glob(argument, single);
          if (!single.startsWith(argument)) return false;
          return argument.endsWith('/') || single.length === argument.length || single[argument.length] === '/';
        };
        return { ...content, kind: 'location', depth: 0, matches };
      }
      default:
        return null;
    }
  }

  private accessFile(file: string, override: readonly string[]): Section {
    const key = `${override.join(' ')} ${file}`;
    const known = this.htaccess.get(key);
    if (known) return known;
    const content = this.content(this.read(file));
    const isAdmitted = (name: string) => override.includes('all') || override.includes(name);
    const isRefused = content.saying.isBroken || [...content.needs].some((name) => !isAdmitted(name));
    const section: Section = {
      ...content,
      saying: { ...content.saying, isBroken: isRefused },
      kind: 'directory',
      isRegex: false,
      depth: 0,
      matches: () => true,
    };
    this.htaccess.set(key, section);
    return section;
  }

  private content(items: readonly Item[]): {
    saying: Saying;
    files: Section[];
    override: readonly string[] | null;
    needs: Set<string>;
  } {
    const host: { kind: 'order' | 'allow' | 'deny'; words: readonly string[]; limits: Limits }[] = [];
    const satisfy: { isAny: boolean; limits: Limits }[] = [];
    const files: Section[] = [];
    let override: readonly string[] | null = null;
    let merging: Saying['merging'] = null;
    let authType: string | null = null;
    let hasGroupFile = false;
    let isBroken = false;
    /** What a .htaccess has to be admitted for these lines, those in <Files> too. */
    const needs = new Set<string>();
    const walk = (list: readonly Item[], limits: Limits, into: Node[]): void => {
      for (const { name, words, body } of list) {
        if (body !== null) {
          if (name === 'limit' || name === 'limitexcept') {
            if (limits.length > 0 && this.version === '2.2') isBroken = true;
            walk(
              body,
              [
                ...limits,
                { isExcept: name === 'limitexcept', methods: words.map((word) => (word === 'HEAD' ? 'GET' : word)) },
              ],
              into,
            );
          } else if (/^require(all|any|none)$/.test(name)) {
            const of: Node[] = [];
            walk(body, limits, of);
            into.push({ type: name.slice(7) as 'all' | 'any' | 'none', of });
          } else if (name === 'files' || name === 'filesmatch') {
            files.push(this.section({ name, words, body })!);
            for (const need of this.content(body).needs) needs.add(need);
          }
          continue;
        }
        if (CLASSES[name]) needs.add(CLASSES[name]);
        if (name === 'order') host.push({ kind: 'order', words: [words[0].toLowerCase()], limits });
        if (name === 'allow' || name === 'deny') host.push({ kind: name, words: words.slice(1), limits });
        if (name === 'satisfy') satisfy.push({ isAny: words[0].toLowerCase() === 'any', limits });
        if (name === 'require') {
          const isNot = words[0].toLowerCase() === 'not';
          const node = { type: 'require' as const, isNot, words: isNot ? words.slice(1) : words, limits };
          if (this.version === '2.4' && !PROVIDERS_24.has(node.words[0])) isBroken = true;
          into.push(node);
        }
        if (name === 'authmerging') merging = words[0].toLowerCase() as Saying['merging'];
        if (name === 'authtype') authType = words[0].toLowerCase();
        if (name === 'authgroupfile') hasGroupFile = true;
        if (name === 'allowoverride') override = words.map((word) => word.toLowerCase());
      }
    };
    const requires: Node[] = [];
    walk(items, [], requires);
    return {
      saying: { id: this.count++, host, satisfy, requires, merging, authType, hasGroupFile, isBroken },
      files,
      override,
      needs,
    };
  }

  // --- Finding the way ---------------------------------------------------------------------------

  private pathOf(url: string, hosts: readonly Host[]): string {
    const single = url.replace(/\/+/g, '/');
    for (const { url: from, target } of [...hosts].reverse().flatMap((host) => host.aliases)) {
      if (
        single.startsWith(from) &&
        (from.endsWith('/') || single.length === from.length || single[from.length] === '/')
      ) {
        return resolved(this.site.serverRoot, target + single.slice(from.length));
      }
    }
    const documentRoot = [...hosts].reverse().find((host) => host.documentRoot !== null)?.documentRoot ?? '/nowhere';
    return resolved('/', documentRoot + single);
  }

  /** Every folder from the root to the file's own that is there, each with a slash at its end. */
  private foldersTo(path: string): string[] {
    const folders = ['/'];
    for (let end = path.indexOf('/', 1); end >= 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end + 1);
      if (!this.site.folders.has(folder.slice(0, -1))) break;
      folders.push(folder);
    }
    // With FollowSymLinks, which is the default, the walk takes a file that is there for a folder,
    // too: <Directory> applies to it.
    if (this.site.files?.has(path)) folders.push(`${path}/`);
    return folders;
  }
}

/** What AllowOverride has to name for a line of a .htaccess. */
const CLASSES: Readonly<Record<string, string>> = {
  options: 'options',
  order: 'limit',
  allow: 'limit',
  deny: 'limit',
  satisfy: 'authconfig',
  require: 'authconfig',
  authtype: 'authconfig',
  authname: 'authconfig',
  authuserfile: 'authconfig',
  authgroupfile: 'authconfig',
  authmerging: 'authconfig',
};
/** Those that tests need; 2.4 compares with case. */
export const PROVIDERS_24 = new Set(['all', 'ip', 'local', 'host', 'env', 'method', 'user', 'valid-user', 'group']);

// --- Deciding ------------------------------------------------------------------------------------

export function answer22(
  sayings: readonly Saying[],
  asked: string,
  client: Client,
  modules: readonly string[],
): Status {
  const method = asked === 'HEAD' ? 'GET' : asked;
  const isHostAccepted =
    acceptsHost(sayings.findLast((saying) => saying.host.length > 0)?.host ?? null, method, client) &&
    !isChecked(sayings, client);
  const isAny =
    sayings.flatMap(({ satisfy }) => satisfy).findLast(({ limits }) => covers(limits, method))?.isAny ?? false;
  const requires = (sayings.findLast((saying) => saying.requires.length > 0)?.requires ?? []).filter(
    (node) => node.type === 'require' && covers(node.limits, method),
  );
  if (isAny && isHostAccepted) return 200;
  if (!isAny && !isHostAccepted) return 403;
  if (requires.length === 0) return isHostAccepted ? 200 : 403;
  if (!hasLogin(sayings)) return 500;
  if (client.user === null) return 401;
  const owned = {
    'mod_authz_user.c': ['user', 'valid-user'],
    'mod_authz_groupfile.c': sayings.some(({ hasGroupFile }) => hasGroupFile) ? ['group'] : [],
  };
  // What no line loads is compiled in.
  const order = [...new Set([...modules, 'mod_authz_user.c', 'mod_authz_groupfile.c'])].filter(
    (module): module is keyof typeof owned => module in owned,
  );
  for (const module of order) {
    const own = requires.filter(
      (node) => node.type === 'require' && owned[module].includes(node.words[0].toLowerCase()),
    );
    if (own.length > 0) return own.some((node) => node.type === 'require' && isMet(node.words, client)) ? 200 : 401;
  }
  return 401;
}

/** mod_authz_core's tree and, where old lines are left, mod_access_compat's record beside it. */
export function answer24(sayings: readonly Saying[], asked: string, asker: Client): Status {
  // Without a file there are no groups.
  const client = sayings.some(({ hasGroupFile }) => hasGroupFile) ? asker : { ...asker, groups: [] };
  const method = asked === 'HEAD' ? 'GET' : asked;
  const old = sayings.findLast((saying) => saying.host.length > 0 || saying.satisfy.length > 0);
  const isHostAccepted = acceptsHost(old?.host ?? null, method, client) && !isChecked(sayings, asker);
  const isAny = old?.satisfy.findLast(({ limits }) => covers(limits, method))?.isAny ?? false;
  if (isAny && isHostAccepted) return 200;
  if (!isAny && !isHostAccepted) return 403;
  const walks = (['directories', 'files', 'locations'] as const).map((walk) =>
    sayings
      .filter((saying) => saying.walk === walk)
      .map(ruled)
      .reduce(over, { tree: null, merging: null }),
  );
  const { tree } = walks.reduce(over, { tree: null, merging: null });
  if (tree === null) return hasLogin(sayings) ? 500 : 200;
  const before = verdict(tree, method, { ...client, user: null });
  if (before === 'granted') return 200;
  if (before !== 'no-user') return 403;
  if (!hasLogin(sayings)) return 500;
  if (client.user === null) return 401;
  return verdict(tree, method, client) === 'granted' ? 200 : 401;
}

interface Rule {
  readonly tree: Tree | null;
  readonly merging: Saying['merging'];
}

function ruled({ requires, merging }: Saying): Rule {
  return { tree: requires.length > 0 ? { type: 'section', of: requires } : null, merging };
}

/** merge_authz_core_dir_config: And and Or stay with what comes of it. */
function over(base: Rule, own: Rule): Rule {
  if (own.tree === null && own.merging === null) return base;
  if (own.merging === null || own.merging === 'off') return own;
  const both = [base.tree, own.tree].filter((tree) => tree !== null);
  return {
    tree: both.length === 2 ? { type: own.merging, first: both[0], second: both[1] } : (both[0] ?? null),
    merging: own.merging,
  };
}

type Tree =
  | { readonly type: 'section'; readonly of: readonly Node[] }
  | { readonly type: 'and' | 'or'; readonly first: Tree; readonly second: Tree };
type Verdict = 'granted' | 'denied' | 'no-user' | 'neutral';

function verdict(tree: Tree, method: string, client: Client): Verdict {
  if (tree.type === 'section') {
    // Where a section's lines are all for other methods, it has nothing against the request.
    const isForOthers = tree.of.every((node) => node.type === 'require' && !covers(node.limits, method));
    return isForOthers ? 'granted' : some(tree.of.map((node) => nodeVerdict(node, method, client)));
  }
  const both = [verdict(tree.first, method, client), verdict(tree.second, method, client)];
  return tree.type === 'and' ? every(both) : some(both);
}

function nodeVerdict(node: Node, method: string, client: Client): Verdict {
  switch (node.type) {
    case 'any':
      return some(node.of.map((child) => nodeVerdict(child, method, client)));
    case 'all':
      return every(node.of.map((child) => nodeVerdict(child, method, client)));
    case 'none':
      return node.of.some((child) => nodeVerdict(child, method, client) === 'granted') ? 'denied' : 'neutral';
    case 'require': {
      if (!covers(node.limits, method)) return 'neutral';
      const own = provider(node.words, method, client);
      if (!node.isNot) return own;
      return own === 'granted' ? 'denied' : 'neutral';
    }
  }
}

function some(of: readonly Verdict[]): Verdict {
  return of.includes('granted')
    ? 'granted'
    : of.includes('no-user')
      ? 'no-user'
      : of.includes('denied')
        ? 'denied'
        : 'neutral';
}

function every(of: readonly Verdict[]): Verdict {
  return of.includes('denied')
    ? 'denied'
    : of.includes('no-user')
      ? 'no-user'
      : of.includes('granted')
        ? 'granted'
        : 'neutral';
}

function provider([name, ...words]: readonly string[], method: string, client: Client): Verdict {
  const whether = (is: boolean): Verdict => (is ? 'granted' : 'denied');
  switch (name) {
    case 'all':
      return whether(words[0].toLowerCase() === 'granted');
    case 'ip':
      return whether(words.some((word) => isInNetwork(word, client.address)));
    case 'local':
      return whether(isInNetwork('127', client.address) || client.address === '::1');
    case 'host':
      return whether(words.some((word) => isNamed(word, client.name)));
    case 'env':
      return whether(words.some((word) => client.variables.has(word)));
    case 'method':
      return whether(words.includes(method));
    case 'user':
    case 'valid-user':
    case 'group':
      return client.user === null ? 'no-user' : whether(isMet([name, ...words], client));
    default:
      throw new Error(`2.4 has no provider ${name}`);
  }
}

/** Whether another module's hook refuses: it counts beside the hosts, in both versions. */
function isChecked(sayings: readonly Saying[], { isRefused }: Client): boolean {
  return isRefused === true && sayings.some(({ hasChecker }) => hasChecker);
}

function acceptsHost(record: Saying['host'] | null, method: string, client: Client): boolean {
  if (record === null) return true;
  const lines = record.filter(({ limits }) => covers(limits, method));
  const order = lines.findLast(({ kind }) => kind === 'order')?.words[0] ?? 'deny,allow';
  const has = (wanted: string) =>
    lines.some(({ kind, words }) => kind === wanted && words.some((word) => matchesOperand(word, client)));
  return order === 'deny,allow' ? has('allow') || !has('deny') : has('allow') && !has('deny');
}

function matchesOperand(word: string, client: Client): boolean {
  const lower = word.toLowerCase();
  if (lower === 'all') return true;
  if (lower.startsWith('env=!')) return !client.variables.has(word.slice(5));
  if (lower.startsWith('env=')) return client.variables.has(word.slice(4));
  if (/^[\d.]+$/.test(word) || word.includes('/') || word.includes(':')) return isInNetwork(word, client.address);
  return isNamed(word, client.name);
}

function hasLogin(sayings: readonly Saying[]): boolean {
  const type = sayings.findLast(({ authType }) => authType !== null)?.authType ?? null;
  return type !== null && type !== 'none';
}

function isMet([name, ...words]: readonly string[], client: Client): boolean {
  switch (name.toLowerCase()) {
    case 'valid-user':
      return true;
    case 'user':
      return words.includes(client.user!);
    default:
      return words.some((word) => client.groups.includes(word));
  }
}

export function covers(limits: Limits, method: string): boolean {
  return limits.every(({ isExcept, methods }) => methods.includes(method) !== isExcept);
}

function isNamed(operand: string, name: string | null): boolean {
  if (name === null) return false;
  const wanted = operand.toLowerCase();
  const known = name.toLowerCase();
  return (
    known === wanted ||
    (known.endsWith(wanted) && (wanted.startsWith('.') || known[known.length - wanted.length - 1] === '.'))
  );
}

export function isInNetwork(operand: string, address: string): boolean {
  const key = `${operand} ${address}`;
  let known = inNetworks.get(key);
  if (known === undefined) {
    // Requests are asked by the hundred thousand, from few addresses; but for random ones.
    if (inNetworks.size > 10_000) inNetworks.clear();
    inNetworks.set(key, (known = isInside(operand, address)));
  }
  return known;
}

const inNetworks = new Map<string, boolean>();

function isInside(operand: string, address: string): boolean {
  const [network, mask] = operand.split('/');
  const isSix = network.includes(':');
  if (isSix !== address.includes(':')) return false;
  const width = isSix ? 128 : 32;
  const given = network.replace(/\.$/, '').split('.');
  const bits =
    mask === undefined
      ? isSix
        ? 128
        : 8 * given.length
      : mask.includes('.')
        ? bitsOf(number4(mask.split('.')))
        : Number(mask);
  const shift = BigInt(width - bits);
  const value = isSix ? number6(network) : number4([...given, '0', '0', '0'].slice(0, 4));
  return value >> shift === (isSix ? number6(address) : number4(address.split('.'))) >> shift;
}

function number4(octets: readonly string[]): bigint {
  return octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
}

function number6(text: string): bigint {
  const [head, tail = null] = text.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const before = groups(head);
  const after = tail === null ? [] : groups(tail);
  const all =
    tail === null ? before : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return all.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function bitsOf(mask: bigint): number {
  return [...mask.toString(2)].filter((bit) => bit === '1').length;
}

// --- Texts ---------------------------------------------------------------------------------------

interface Frame {
  readonly name: string;
  readonly words: readonly string[];
  readonly items: Item[];
  /** Of a conditional section: whether it is there. */
  readonly isThere: boolean;
  readonly isConditional: boolean;
}

function itemsOf(
  text: string,
  defined: ReadonlySet<string>,
  include: (argument: string) => Item[],
  modules: string[],
): Item[] {
  const top: Frame = { name: '', words: [], items: [], isThere: true, isConditional: false };
  const open: Frame[] = [top];
  for (const raw of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const frame = open[open.length - 1];
    if (line.startsWith('</')) {
      const closed = open.pop()!;
      const outer = open[open.length - 1];
      if (closed.isConditional) {
        if (closed.isThere) outer.items.push(...closed.items);
      } else {
        outer.items.push({ name: closed.name, words: closed.words, body: closed.items });
      }
    } else if (line.startsWith('<')) {
      const [name, ...words] = wordsOf(line.slice(1, line.lastIndexOf('>')));
      const isConditional = /^if(module|define)$/i.test(name);
      const isThere =
        !isConditional || (words[0].startsWith('!') ? !defined.has(words[0].slice(1)) : defined.has(words[0]));
      open.push({ name: name.toLowerCase(), words, items: [], isThere: isThere && frame.isThere, isConditional });
    } else {
      const [name, ...words] = wordsOf(line);
      const isHere = open.every(({ isThere }) => isThere);
      if (/^include(optional)?$/i.test(name)) frame.items.push(...(isHere ? include(words[0]) : []));
      else {
        if (isHere && name.toLowerCase() === 'loadmodule')
          modules.push(words[1].replace(/^.*\//, '').replace(/\.so$/, '.c'));
        frame.items.push({ name: name.toLowerCase(), words, body: null });
      }
    }
  }
  return top.items;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|(\S+)/g)) {
    words.push(
      match[1]?.replace(/\\(["\\])/g, '$1') ?? match[2]?.replace(/\\(['\\])/g, '$1') ?? match[3].replace(/\\\\/g, '\\'),
    );
  }
  return words;
}

/** apr_fnmatch with FNM_PATHNAME. */
export function glob(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const [head] = pattern;
  if (head === '*')
    return glob(pattern.slice(1), text) || (text !== '' && text[0] !== '/' && glob(pattern, text.slice(1)));
  if (text === '') return false;
  if (head === '?') return text[0] !== '/' && glob(pattern.slice(1), text.slice(1));
  if (head === '[') {
    const end = pattern.indexOf(']', 2);
    const isNegated = /[!^]/.test(pattern[1]);
    const set = pattern.slice(isNegated ? 2 : 1, end);
    let isIn = false;
    for (let i = 0; i < set.length; i++) {
      if (set[i + 1] === '-' && i + 2 < set.length) {
        isIn ||= text[0] >= set[i] && text[0] <= set[i + 2];
        i += 2;
      } else isIn ||= set[i] === text[0];
    }
    return text[0] !== '/' && isIn !== isNegated && glob(pattern.slice(end + 1), text.slice(1));
  }
  if (head === '\\' && pattern.length > 1) return pattern[1] === text[0] && glob(pattern.slice(2), text.slice(1));
  return head === text[0] && glob(pattern.slice(1), text.slice(1));
}

function slashes(text: string): number {
  return text.split('/').length - 1;
}

function resolve(base: string, path: string): string {
  return resolved(base, path).replace(/(.)\/$/, '$1');
}

/** Keeps a slash at the end: what asks for a folder. */
function resolved(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const whole = `/${parts.join('/')}`;
  return path.endsWith('/') && whole !== '/' ? `${whole}/` : whole;
}
