/**
 * A model of httpd 2.2 and 2.4 on a disk: how they read the files, which sections and .htaccess
 * files apply to a request, and what these decide. It shares no code with server/src. It decides by
 * test/access/server-model.ts, which agrees with recorded answers of a real 2.2 and with random
 * trees on a real 2.4.
 *
 * It reads as docs/how-httpd-reads.md describes: server/util.c (ap_cfg_getline, ap_getword_conf),
 * server/config.c (ap_build_config, ap_process_fnmatch_configs). It finds sections as
 * server/request.c (ap_directory_walk, ap_file_walk, ap_location_walk), server/config.c
 * (ap_parse_htaccess: the first existing name of AccessFileName), server/core.c (set_override,
 * set_access_name, reorder_sorter), modules/mappers/mod_alias.c, mod_userdir.c and
 * mod_vhost_alias.c.
 */
import {
  answer22,
  answer24,
  glob,
  PROVIDERS_24,
  type Client,
  type Limits,
  type Node,
  type Saying,
  type Status,
  type Version,
} from '../access/server-model';
import type { Readable, ServerSpec } from './disk';

export type { Client, Version };

/** `refused`: the server does not start. */
export type Answer = Status | 'refused';

interface Item {
  readonly name: string;
  /** Behind the name; of a section up to its last `>`. */
  readonly raw: string;
  readonly words: readonly string[];
  readonly body: readonly Item[] | null;
}

interface Section {
  readonly matches: (text: string) => boolean;
  readonly isRegex: boolean;
  readonly depth: number;
  readonly content: Content;
}

interface Content {
  readonly saying: Saying;
  readonly files: readonly Section[];
  readonly override: Override | null;
  /** 2.4's AllowOverrideList, in lower case. */
  readonly list: readonly string[] | null;
  /** Whether Options says that links are followed; null where it does not say. */
  readonly followsLinks: boolean | null;
}

interface Override {
  readonly words: ReadonlySet<string>;
  /** Nobody said anything. */
  readonly isDefault: boolean;
}

interface Mapping {
  /** The path that a URL leads to; null where it is none of this mapping's. */
  readonly to: (url: string) => string | null;
}

interface Host {
  name: string;
  /** The words of its tag. */
  readonly addresses: readonly string[];
  readonly directories: Section[];
  readonly files: Section[];
  readonly locations: Section[];
  readonly mappings: Mapping[];
  documentRoot: string | null;
  accessNames: readonly string[] | null;
  userDir: readonly string[] | null;
  hasNoUsers: boolean;
  /** VirtualDocumentRoot, which goes before DocumentRoot. */
  virtualRoot: string | null;
}

/** Whatever the server, or a .htaccess, cannot be read for. */
class Refusal extends Error {}

/** What is compiled in, or loaded before anything else, where the trees run. */
const BUILT_IN = [
  'core',
  'http_core',
  'mod_so',
  'mod_alias',
  'mod_auth_basic',
  'mod_authn_file',
  'mod_authz_host',
  'mod_authz_user',
  'mod_authz_groupfile',
  'mod_setenvif',
  'mod_userdir',
  'mod_vhost_alias',
  'mod_dir',
  'mod_ssl',
  'mod_macro',
  'mod_version',
];
const BUILT_IN_22 = ['mod_authn_default', 'mod_authz_default', 'mod_authn_alias', 'mod_disk_cache', 'mod_mem_cache'];
const BUILT_IN_24 = [
  'mod_authz_core',
  'mod_authn_core',
  'mod_access_compat',
  'mod_unixd',
  'mod_cache_disk',
  'mod_slotmem_shm',
];

export class Server {
  /** Why it does not start. */
  readonly refusal: string | null;
  private readonly main: Host = newHost();
  private readonly hosts: Host[] = [];
  /** The ports that are listened on. */
  private readonly ports: string[] = [];
  private readonly modules: string[] = [];
  private readonly loaded: Set<string>;
  private readonly flags: Set<string>;
  private readonly defined = new Map<string, string>();
  private readonly macros = new Map<string, { readonly names: readonly string[]; readonly lines: readonly string[] }>();
  private readonly accessFiles = new Map<string, Content>();
  private serverRoot = '/usr/local/apache2';
  private count = 0;

  /**
   * `isLenient`: as if it took the words that only its check refuses, such as names of providers in
   * another case. `isTolerant`: what is not known here has no say, for configurations of other
   * people.
   */
  constructor(
    private readonly disk: Readable,
    private readonly spec: Pick<ServerSpec, 'defines' | 'variables' | 'lacks' | 'mpms'>,
    private readonly version: Version,
    main: string,
    private readonly isLenient = false,
    private readonly isTolerant = false,
  ) {
    const builtIn = [...BUILT_IN, ...(version === '2.4' ? BUILT_IN_24 : BUILT_IN_22)];
    const names = builtIn.filter((name) => !spec.lacks?.includes(name));
    const mpm = (spec.mpms ?? ['prefork', 'event'])[version === '2.2' ? 0 : 1];
    this.loaded = new Set(names.flatMap((name) => [`${name}.c`, `${name.replace(/^mod_/, '')}_module`]));
    this.loaded.add(`${mpm}.c`).add(`mpm_${mpm}_module`);
    this.flags = new Set(spec.defines);
    let refusal: string | null = null;
    try {
      this.fill(this.main, this.read(main, null, 0), true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error.message;
    }
    this.refusal = refusal;
  }

  /**
   * The names of its virtual hosts, and names that directories are served for; with `MAIN` where a
   * port has no virtual host.
   */
  get hostNames(): string[] {
    const isMass = [this.main, ...this.hosts].some(({ virtualRoot }) => virtualRoot !== null);
    const isMainAsked =
      this.hosts.length > 0 && this.ports.some((port) => !this.hosts.some((host) => isFor(host, port)));
    return [...this.hosts.map(({ name }) => name), ...(isMainAsked ? [MAIN] : []), ...(isMass ? MASS_NAMES : [])];
  }

  answer(host: string, url: string, method: string, client: Client): Answer {
    if (this.refusal !== null) return 'refused';
    const applied = this.applied(host, url);
    if (typeof applied === 'number') return applied;
    return this.version === '2.2' ? answer22(applied, method, client, this.modules) : answer24(applied, method, client);
  }

  /** What decides: two URLs with the same get the same answers. */
  decisive(host: string, url: string): string {
    if (this.refusal !== null) return 'refused';
    const applied = this.applied(host, url);
    return typeof applied === 'number' ? String(applied) : applied.map(({ id, walk }) => `${id}${walk![0]}`).join();
  }

  private readonly found = new Map<string, Saying[] | Status>();

  /**
   * What applies to a URL, in the order in which it is merged; a status where something cannot be
   * read.
   */
  private applied(host: string, url: string): Saying[] | Status {
    const key = `${host} ${url}`;
    let applied = this.found.get(key);
    if (applied === undefined) this.found.set(key, (applied = this.walk(host, url)));
    return applied;
  }

  private walk(hostName: string, url: string): Saying[] | Status {
    const named = this.hosts.find(({ name }) => name === hostName);
    const own = this.hosts.length === 0 || hostName === MAIN ? null : (named ?? this.hosts[0]);
    const hosts = own ? [this.main, own] : [this.main];
    const whole = this.pathOf(hostName, url, hosts);
    const directories = hosts.flatMap((host) => host.directories);
    const accessNames = own?.accessNames ?? this.main.accessNames ?? ['.htaccess'];
    const sections: Content[] = [];
    let override: Override = { words: new Set(this.version === '2.2' ? ALL_CLASSES : []), isDefault: true };
    let list: readonly string[] = [];
    let followsLinks = true;
    const folders = this.foldersTo(whole);
    for (const folder of folders) {
      // A file is taken for a directory only where that needs no look at it, because links are
      // followed.
      if (!followsLinks && this.disk.kind(folder.slice(0, -1)) === 'file') continue;
      const depth = folder === '/' ? 0 : slashes(folder);
      for (const { content, ...section } of directories) {
        if (section.isRegex || section.depth !== depth || !section.matches(folder)) continue;
        sections.push(content);
        override = content.override ?? override;
        list = content.list ?? list;
        followsLinks = content.followsLinks ?? followsLinks;
      }
      if (this.disk.kind(folder) !== 'directory') continue;
      const isRead = override.words.size > 0 || list.length > 0 || (override.isDefault && this.version === '2.4');
      if (!isRead) continue;
      const file = accessNames
        .map((name) => `${folder}${name}`)
        .find((candidate) => this.disk.kind(candidate) !== null);
      if (file === undefined) continue;
      // One that is there and cannot be read (ap_parse_htaccess: ap_pcfg_openfile takes no
      // directory).
      if (this.disk.kind(file) !== 'file') return 403;
      const content = this.accessFile(file, override, list);
      if (content.saying.isBroken) return 500;
      sections.push(content);
      followsLinks = content.followsLinks ?? followsLinks;
    }
    const path =
      this.disk.kind(whole) === 'file'
        ? whole
        : whole.slice(0, folders.at(-1)!.length) + whole.slice(folders.at(-1)!.length).split('/', 1)[0];
    for (const section of directories.filter(({ isRegex }) => isRegex).sort((a, b) => a.depth - b.depth))
      if (section.matches(path)) sections.push(section.content);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const files = [...hosts.flatMap((host) => host.files), ...sections.flatMap((content) => content.files)]
      .filter((section) => section.matches(name))
      .map(({ content }) => content);
    const locations = hosts
      .flatMap((host) => host.locations)
      .filter((section) => section.matches(url))
      .map(({ content }) => content);
    const of = (walk: Saying['walk'], found: readonly Content[]) =>
      found.map(({ saying }): Saying => ({ ...saying, walk }));
    return [...of('directories', sections), ...of('files', files), ...of('locations', locations)];
  }

  // --- Finding the way ---------------------------------------------------------------------------

  private pathOf(hostName: string, url: string, hosts: readonly Host[]): string {
    for (const host of [...hosts].reverse()) {
      for (const { to } of host.mappings) {
        const path = to(url);
        if (path !== null) return resolved(this.serverRoot, path);
      }
    }
    const hasNoUsers = hosts.some((host) => host.hasNoUsers);
    const userDir = hasNoUsers ? null : ([...hosts].reverse().find((host) => host.userDir !== null)?.userDir ?? null);
    const user = /^\/~([^/]+)(\/.*)?$/.exec(url);
    if (userDir !== null && user && userDir.length > 0 && /^\//.test(userDir[0])) {
      // Of several the first whose directory is there, or the last (translate_userdir).
      const homes = userDir.map((each) => (each.includes('*') ? each.replace('*', user[1]) : `${each}/${user[1]}`));
      return resolved(
        '/',
        (homes.find((each) => this.disk.kind(resolved('/', each)) !== null) ?? homes.at(-1)!) + (user[2] ?? ''),
      );
    }
    const virtualRoot = [...hosts].reverse().find((host) => host.virtualRoot !== null)?.virtualRoot ?? null;
    if (virtualRoot !== null) return resolved('/', interpolated(virtualRoot, hostName) + url);
    const documentRoot = [...hosts].reverse().find((host) => host.documentRoot !== null)?.documentRoot ?? '/nowhere';
    return resolved('/', documentRoot + url);
  }

  /**
   * Every directory from the root to the file's own that is there, each with a slash at its end.
   */
  private foldersTo(path: string): string[] {
    const folders = ['/'];
    for (let end = path.indexOf('/', 1); end >= 0; end = path.indexOf('/', end + 1)) {
      if (this.disk.kind(path.slice(0, end)) !== 'directory') break;
      folders.push(path.slice(0, end + 1));
    }
    // With FollowSymLinks, which is the default, the walk takes a file that is there for a
    // directory, too: <Directory> applies to it.
    if (this.disk.kind(path) === 'file') folders.push(`${path}/`);
    return folders;
  }

  private accessFile(file: string, override: Override, list: readonly string[]): Content {
    const key = `${file} ${[...override.words].join()} ${list.join()}`;
    let content = this.accessFiles.get(key);
    if (content) return content;
    try {
      const inside = { override, list };
      content = this.content(this.read(file, inside, 0), inside);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      content = { ...NOTHING, saying: { ...NOTHING.saying, isBroken: true } };
    }
    this.accessFiles.set(key, content);
    return content;
  }

  // --- What the files say ------------------------------------------------------------------------

  private fill(host: Host, items: readonly Item[], isMain: boolean): void {
    for (const { name, words, body } of items) {
      if (body === null) {
        this.serverLine(host, name, words);
      } else if (name === 'virtualhost') {
        if (!isMain) throw new Refusal('<VirtualHost> in a virtual host');
        const own = newHost(words);
        this.fill(own, body, false);
        this.hosts.push(own);
      } else if (/^(directory|files|location)(match)?$/.test(name)) {
        const section = this.section(name, words, body, null);
        host[name.startsWith('directory') ? 'directories' : name.startsWith('files') ? 'files' : 'locations'].push(
          section,
        );
      } else if (name === 'limit' || name === 'limitexcept') {
        // It may stand there in 2.2, and nothing that decides may stand in it.
        if ((body.length > 0 || this.version === '2.4') && !this.isTolerant)
          throw new Refusal(`${body[0]?.name ?? `<${name}`} not allowed here`);
      } else if (!this.isTolerant) throw new Refusal(`<${name}> not allowed here`);
    }
  }

  private serverLine(host: Host, name: string, words: readonly string[]): void {
    const kind = KINDS.get(name);
    if (this.isTolerant && !kind?.isForServer) return;
    if (kind === undefined || (kind.since === '2.4' && this.version === '2.2'))
      throw new Refusal(`Invalid command '${name}'`);
    if (!kind.isForServer) throw new Refusal(`${name} not allowed here`);
    const regexAlias = (pattern: string, target: string): Mapping => {
      const regex = regexOf(pattern);
      return {
        to: (url) => {
          const found = regex.exec(url);
          return found && target.replace(/\$(\d)/g, (_, index) => found[Number(index)] ?? '');
        },
      };
    };
    switch (name) {
      case 'documentroot':
        host.documentRoot = resolve(this.serverRoot, words[0]);
        break;
      case 'listen':
        this.ports.push(words[0].replace(/^.*:/, ''));
        break;
      case 'servername':
        host.name = words[0];
        break;
      case 'accessfilename':
        host.accessNames = words;
        break;
      case 'alias':
      case 'scriptalias':
        host.mappings.push({ to: (url) => (isBelow(url, words[0]) ? words[1] + url.slice(words[0].length) : null) });
        break;
      case 'aliasmatch':
      case 'scriptaliasmatch':
        host.mappings.push(regexAlias(words[0], words[1]));
        break;
      case 'userdir':
        if (words[0].toLowerCase() === 'disabled') {
          // For all users, whatever line follows (set_user_dir, globally_disabled).
          if (words.length === 1) host.hasNoUsers = true;
        } else if (words[0].toLowerCase() !== 'enabled') host.userDir = words;
        break;
      case 'virtualdocumentroot':
        host.virtualRoot = words[0];
        break;
    }
  }

  private section(name: string, words: readonly string[], body: readonly Item[], inside: Inside | null): Section {
    const isRegex = name.endsWith('match') || words[0] === '~';
    const argument = words[words[0] === '~' ? 1 : 0];
    if (argument === undefined) throw new Refusal(`<${name}> takes an argument`);
    const content = this.content(body, inside, name.startsWith('directory') && !isRegex);
    // 2.2 takes the end of the text for no end of line: a $ never matches in <DirectoryMatch>
    // (REG_NOTEOL).
    const regex = isRegex
      ? regexOf(name.startsWith('directory') && this.version === '2.2' ? argument.replace(/\$/g, '(?!)') : argument)
      : /(?:)/;
    switch (name.replace('match', '')) {
      case 'directory': {
        if (isRegex) return { content, isRegex, depth: slashes(argument), matches: (path) => regex.test(path) };
        const own = resolve('/', argument);
        const whole = own === '/' ? '/' : `${own}/`;
        const isGlob = /[*?[]/.test(whole);
        return {
          content,
          isRegex,
          depth: own === '/' ? 0 : slashes(whole),
          matches: (folder) => (isGlob ? glob(whole, folder) : folder === whole),
        };
      }
      case 'files':
        return {
          content,
          isRegex,
          depth: 0,
          matches: (file) =>
            isRegex ? regex.test(file) : /[*?[]/.test(argument) ? glob(argument, file) : file === argument,
        };
      default:
        return {
          content,
          isRegex,
          depth: 0,
          matches: (url) =>
            isRegex ? regex.test(url) : /[*?[]/.test(argument) ? glob(argument, url) : isBelow(url, argument),
        };
    }
  }

  /** `inside`: of a .htaccess, and what it may say; null for the server's own files. */
  private content(items: readonly Item[], inside: Inside | null, isDirectory = false): Content {
    const host: { kind: 'order' | 'allow' | 'deny'; words: readonly string[]; limits: Limits }[] = [];
    const satisfy: { isAny: boolean; limits: Limits }[] = [];
    const files: Section[] = [];
    let override: Override | null = null;
    let followsLinks: boolean | null = null;
    let list: readonly string[] | null = null;
    let merging: Saying['merging'] = null;
    let authType: string | null = null;
    let hasGroupFile = false;
    let hasChecker = false;
    const requires: Node[] = [];
    const walk = (of: readonly Item[], limits: Limits, into: Node[], container: string | null): void => {
      for (const { name, words, raw, body } of of) {
        const kind = KINDS.get(body === null ? name : `<${name}`);
        if (kind === undefined && this.isTolerant) continue;
        if (
          kind === undefined ||
          (/^(order|allow|deny)$/.test(name) &&
            !this.loaded.has(this.version === '2.2' ? 'mod_authz_host.c' : 'mod_access_compat.c')) ||
          (kind.since === '2.4' && this.version === '2.2') ||
          (kind.until === '2.2' && this.version === '2.4')
        )
          throw new Refusal(`Invalid command '${body === null ? '' : '<'}${name}'`);
        const isInList = inside?.list.includes(body === null ? name : `<${name}`) === true;
        const admitted = this.version === '2.2' && /^limit/.test(name) ? ALL_CLASSES : kind.override;
        if (
          inside
            ? !isInList && !admitted.some((word) => inside.override.words.has(word))
            : kind.override.length === 0 && !kind.isForDirectory
        )
          throw new Refusal(`${name} not allowed here`);
        if (container !== null && name !== 'require' && !/^require(all|any|none)$/.test(name))
          throw new Refusal(`${name} in <${container}>`);
        if (body !== null) {
          if (name === 'limit' || name === 'limitexcept') {
            if (limits.length > 0 && this.version === '2.2') throw new Refusal('<Limit> in <Limit>');
            if (words.length === 0 || words.some((word) => !METHODS.has(word)))
              throw new Refusal(`unknown method in <${name}>`);
            walk(
              body,
              [
                ...limits,
                { isExcept: name === 'limitexcept', methods: words.map((word) => (word === 'HEAD' ? 'GET' : word)) },
              ],
              into,
              null,
            );
          } else if (/^require(all|any|none)$/.test(name)) {
            const inner: Node[] = [];
            walk(body, limits, inner, name);
            const type = name.slice(7) as 'all' | 'any' | 'none';
            if (inner.length === 0) throw new Refusal(`<${name}> is empty`);
            if (type === 'all' && inner.every(isNegative)) throw new Refusal(`<${name}> has only negative lines`);
            if (type !== 'all' && inner.some(isNegative)) throw new Refusal(`a negative line in <${name}>`);
            into.push({ type, of: inner });
          } else files.push(this.section(name, words, body, inside));
          continue;
        }
        switch (name) {
          case 'order': {
            const order = words[0]?.toLowerCase();
            if (words.length !== 1 || !['allow,deny', 'deny,allow', 'mutual-failure'].includes(order))
              throw new Refusal('Order takes one argument');
            host.push({ kind: 'order', words: [order], limits });
            break;
          }
          case 'allow':
          case 'deny': {
            if (words.length < 2 || words[0].toLowerCase() !== 'from')
              throw new Refusal(`${name} must be followed by 'from'`);
            const operands = words.slice(1);
            if (this.version === '2.4' && operands.some((word) => word.includes('#')))
              throw new Refusal('No comments are allowed here');
            host.push({ kind: name, words: operands, limits });
            break;
          }
          case 'satisfy':
            if (!/^(any|all)$/i.test(words[0] ?? '')) throw new Refusal('Satisfy either any or all');
            satisfy.push({ isAny: words[0].toLowerCase() === 'any', limits });
            break;
          case 'require':
            into.push({ type: 'require', limits, ...this.requirement(raw) });
            break;
          case 'authmerging':
            merging = words[0].toLowerCase() as Saying['merging'];
            break;
          case 'authtype':
            authType = words[0].toLowerCase();
            break;
          case 'authgroupfile':
            hasGroupFile = true;
            break;
          case 'allowoverride':
            if (isDirectory) override = { words: overrideOf(words), isDefault: false };
            break;
          case 'options':
            if (isDirectory || inside) followsLinks = linksIn(words) ?? followsLinks;
            break;
          case 'allowoverridelist':
            list =
              words.length === 1 && words[0].toLowerCase() === 'none' ? [] : words.map((word) => word.toLowerCase());
            break;
          default:
            if (kind.isChecker) hasChecker = true;
        }
      }
    };
    walk(items, [], requires, null);
    if (requires.some(isNegative))
      throw new Refusal('negative Require directive has no effect in <RequireAny> directive');
    return {
      saying: {
        id: this.count++,
        host,
        satisfy,
        requires,
        merging,
        authType,
        hasGroupFile,
        hasChecker,
        isBroken: false,
      },
      files,
      override,
      list,
      followsLinks,
    };
  }

  /**
   * 2.2's modules read the first word up to a blank, quotes and all (ap_getword_white), 2.4 reads
   * it as it reads all words, and the rest as an expression.
   */
  private requirement(raw: string): { isNot: boolean; words: readonly string[] } {
    if (this.version === '2.2') {
      const [first, ...rest] = raw.split(/(?<=^\S+)\s+/);
      return { isNot: false, words: [first ?? '', ...wordsOf(rest.join(' '))] };
    }
    let [name, rest] = nextWord(raw);
    const isNot = name.toLowerCase() === 'not';
    if (isNot) [name, rest] = nextWord(rest);
    if (this.isLenient) name = name.toLowerCase();
    if (!PROVIDERS_24.has(name)) throw new Refusal(`Unknown Authz provider: ${name}`);
    if (name === 'all' && !/^(granted|denied)$/i.test(rest.trim()))
      throw new Refusal('Require all takes granted or denied');
    const isExpression = name === 'user' || name === 'group' || name === 'host';
    const words = wordsOf(
      isExpression ? rest.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char) : rest,
    );
    if (words.length === 0 && name !== 'valid-user' && name !== 'local')
      throw new Refusal(`Require ${name} takes an argument`);
    return { isNot, words: [name, ...words] };
  }

  // --- Reading -----------------------------------------------------------------------------------

  /** `inside`: as of `content`. */
  private read(file: string, inside: Inside | null, depth: number): Item[] {
    const text = this.disk.text(file);
    if (text === null && this.isTolerant) return [];
    if (text === null) throw new Refusal(`${file}: could not open`);
    if (depth > 40) throw new Refusal('too many includes');
    return this.items(this.logicalLines(text, inside !== null), inside, depth);
  }

  /** docs/how-httpd-reads.md, "Lines": ap_cfg_getline of 2.2, ap_varbuf_cfg_getline of 2.4. */
  private logicalLines(text: string, isAccessFile: boolean): string[] {
    const lines: string[] = [];
    const is22 = this.version === '2.2';
    const limit = is22 ? 8191 : isAccessFile ? 8192 : 16 * 1024 * 1024;
    let line = '';
    let isOpen = false;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf('\n', at);
      const stop = end < 0 ? text.length : end + 1;
      const room = limit - line.length;
      let piece = text.slice(at, is22 ? Math.min(stop, at + room) : stop);
      at += piece.length;
      const isWhole = piece.endsWith('\n');
      piece = piece.replace(/\0[\s\S]*$/, '').replace(/\r?\n$/, '');
      isOpen = isWhole && piece.endsWith('\\') && !(is22 && piece.endsWith('\\\\'));
      line += isOpen ? piece.slice(0, -1) : is22 && isWhole && piece.endsWith('\\\\') ? piece.slice(0, -1) : piece;
      if (!is22 && line.length > limit) throw new Refusal('Line too long');
      if (isOpen) continue;
      lines.push(line);
      line = '';
    }
    // At the end of the file 2.2 drops a line that goes on.
    if (isOpen && !is22) lines.push(line);
    return lines
      .map((each) => each.replace(/^[ \t\v\f\r]+|[ \t\v\f\r]+$/g, ''))
      .filter((each) => each !== '' && !each.startsWith('#'));
  }

  private items(lines: readonly string[], inside: Inside | null, depth: number): Item[] {
    const open: { name: string; raw: string; words: readonly string[]; items: Item[]; isConditional: boolean }[] = [
      { name: '', raw: '', words: [], items: [], isConditional: false },
    ];
    for (let i = 0; i < lines.length; i++) {
      const line = this.expand(lines[i]);
      const frame = open[open.length - 1];
      const [first, rest] = nextWord(line);
      const name = first.toLowerCase();
      if (name.startsWith('</')) {
        const closed = open.pop()!;
        if (open.length === 0) throw new Refusal(`${first} without a matching section`);
        if (name !== `</${closed.name}>`) throw new Refusal(`Expected </${closed.name}> but saw ${first}`);
        const outer = open[open.length - 1].items;
        if (closed.isConditional) outer.push(...closed.items);
        else outer.push({ name: closed.name, raw: closed.raw, words: closed.words, body: closed.items });
      } else if (name.startsWith('<')) {
        const section = name.slice(1).replace(/>$/, '');
        const end = rest.lastIndexOf('>');
        if (end < 0 && !name.endsWith('>')) throw new Refusal(`${first}> directive missing closing '>'`);
        const raw = end < 0 ? '' : rest.slice(0, end);
        this.allowReading(`<${section}`, inside);
        const isTrue = this.condition(section, raw);
        if (section === 'macro') {
          i = this.macro(raw, lines, i);
        } else if (isTrue === false) {
          i = this.skipped(section, lines, i);
        } else open.push({ name: section, raw, words: wordsOf(raw), items: [], isConditional: isTrue === true });
      } else {
        const words = wordsOf(rest);
        if (name === 'include' || (name === 'includeoptional' && this.version === '2.4')) {
          if (inside) throw new Refusal('Include not allowed here');
          frame.items.push(...this.included(words[0], name === 'includeoptional', depth));
        } else if (name === 'use') {
          this.allowReading(name, inside);
          const macro = this.macros.get(words[0]?.toLowerCase());
          if (!macro || macro.names.length !== words.length - 1) throw new Refusal(`macro ${words[0]}`);
          const order = macro.names
            .map((parameter, index) => ({ parameter, value: words[index + 1] }))
            .sort((a, b) => b.parameter.length - a.parameter.length);
          frame.items.push(
            ...this.items(
              macro.lines.map((each) =>
                order.reduce((text, { parameter, value }) => text.replaceAll(parameter, value), each),
              ),
              inside,
              depth + 1,
            ),
          );
        } else if (name === 'serverroot') {
          this.serverRoot = resolve('/', words[0]);
        } else if (name === 'loadmodule') {
          const file = words[1].replace(/^.*\//, '').replace(/\.so$/, '.c');
          this.modules.push(file);
          this.loaded.add(file).add(words[0]);
        } else if (name === 'define' && this.version === '2.4' && !inside) {
          this.flags.add(words[0]);
          if (words.length > 1) this.defined.set(words[0].toLowerCase(), words[1]);
        } else if (name === 'undefine' && this.version === '2.4' && !inside) {
          this.flags.delete(words[0]);
          this.defined.delete(words[0].toLowerCase());
        } else frame.items.push({ name, raw: rest, words, body: null });
      }
    }
    // A condition that holds need not be closed.
    while (open.length > 1 && open[open.length - 1].isConditional) {
      const closed = open.pop()!;
      open[open.length - 1].items.push(...closed.items);
    }
    if (open.length > 1) throw new Refusal(`<${open[open.length - 1].name}> was not closed`);
    return open[0].items;
  }

  /**
   * What is done while a .htaccess is read stands in it where any class of AllowOverride is
   * admitted, or AllowOverrideList names it (server/config.c, execute_now and invoke_cmd).
   */
  private allowReading(name: string, inside: Inside | null): void {
    if (inside && READ_AT_ONCE.has(name) && inside.override.words.size === 0 && !inside.list.includes(name))
      throw new Refusal(`${name} not allowed here`);
  }

  /**
   * Whether the body of a conditional section is there; null for what is none. `raw`: what stands
   * before the last `>`.
   */
  private condition(name: string, raw: string): boolean | null {
    const isNot = raw.startsWith('!');
    switch (name) {
      case 'ifmodule':
        return this.loaded.has(this.askedName(raw)) !== isNot;
      case 'ifdefine':
        return this.flags.has(this.askedName(raw)) !== isNot;
      case 'ifversion':
        return versionHolds(wordsOf(raw), this.version === '2.2' ? [2, 2, 35] : [2, 4, 60]);
      case 'iffile':
        return this.version === '2.2'
          ? null
          : (this.disk.kind(resolve(this.serverRoot, this.askedName(raw))) !== null) !== isNot;
      default:
        return null;
    }
  }

  /** 2.2 takes one word without quotes (TAKE1, of which the > is the end), 2.4 the first word. */
  private askedName(raw: string): string {
    const asked = raw.replace(/^!/, '');
    if (this.version === '2.2' && (/\s/.test(raw) || /^["']/.test(raw)))
      throw new Refusal('<IfModule takes one argument');
    if (asked === '') throw new Refusal('directive requires additional arguments');
    return this.version === '2.2' ? asked : (wordsOf(asked)[0] ?? '');
  }

  /** The index of the line that closes the section at `from`. */
  private skipped(name: string, lines: readonly string[], from: number): number {
    const open = [name];
    for (let i = from + 1; i < lines.length; i++) {
      const [first] = nextWord(lines[i]);
      if (!first.startsWith('<')) continue;
      if (!first.startsWith('</')) open.push(first.slice(1).replace(/>$/, '').toLowerCase());
      else if (first.toLowerCase() !== `</${open.pop()}>`) throw new Refusal(`unexpected ${first}`);
      if (open.length === 0) return i;
    }
    throw new Refusal(`Expected </${name}> before end of configuration`);
  }

  private macro(raw: string, lines: readonly string[], from: number): number {
    const [name, ...names] = wordsOf(raw);
    let end = from + 1;
    while (end < lines.length && !/^<\/macro>/i.test(lines[end])) end++;
    if (end === lines.length) throw new Refusal('<Macro> was not closed');
    this.macros.set(name.toLowerCase(), { names, lines: lines.slice(from + 1, end) });
    return end;
  }

  private included(argument: string, isOptional: boolean, depth: number): Item[] {
    const path = resolve(this.serverRoot, argument ?? '');
    const parts = path.split('/').slice(1);
    if (this.version === '2.2' && parts.slice(0, -1).some((part) => /[*?[]/.test(part)))
      throw new Refusal('Wildcard patterns not allowed in Include');
    const files = this.matching('', parts);
    if (
      files.length === 0 &&
      !isOptional &&
      !this.isLenient &&
      !this.isTolerant &&
      (this.version === '2.4' || !/[*?[]/.test(path))
    )
      throw new Refusal(`Include ${argument}: nothing there`);
    return files.flatMap((file) => this.below(file)).flatMap((file) => this.read(file, null, depth + 1));
  }

  private matching(base: string, [part, ...rest]: readonly string[]): string[] {
    if (part === undefined) return this.disk.kind(base) === null ? [] : [base];
    if (!/[*?[]/.test(part)) return this.matching(`${base}/${part}`, rest);
    return this.disk
      .list(base || '/')
      .filter((name) => (part.startsWith('.') || !name.startsWith('.')) && glob(part, name))
      .flatMap((name) => this.matching(`${base}/${name}`, rest));
  }

  /** A directory stands for every file below it. */
  private below(file: string): string[] {
    return this.disk.kind(file) === 'directory'
      ? this.disk.list(file).flatMap((name) => this.below(`${file}/${name}`))
      : [file];
  }

  private expand(line: string): string {
    return line.replace(
      /\$\{([^}]*)\}/g,
      (whole, name: string) =>
        (this.version === '2.4' ? this.defined.get(name.toLowerCase()) : undefined) ??
        this.spec.variables?.[name] ??
        whole,
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------------------

interface Inside {
  readonly override: Override;
  readonly list: readonly string[];
}

interface Kind {
  /** Whether it may stand outside of directories. */
  readonly isForServer: boolean;
  readonly isForDirectory: boolean;
  /** Of what AllowOverride has to admit one; none for what no .htaccess may say. */
  readonly override: readonly string[];
  readonly since?: '2.4';
  readonly until?: '2.2';
  readonly isChecker?: boolean;
}

const server: Kind = { isForServer: true, isForDirectory: false, override: [] };
const directory: Kind = { isForServer: false, isForDirectory: true, override: [] };
const within = (override: string | readonly string[], more: Partial<Kind> = {}): Kind => ({
  isForServer: false,
  isForDirectory: true,
  override: [override].flat(),
  ...more,
});
const anywhere = (override: string): Kind => ({ isForServer: true, isForDirectory: true, override: [override] });
const all = (names: string, kind: Kind): [string, Kind][] =>
  names.split(' ').map((name): [string, Kind] => [name, kind]);

/** What `AllowOverride All` admits. */
const ALL_CLASSES = ['authconfig', 'fileinfo', 'indexes', 'limit', 'options'];
/** The directives that the trees have, by name. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...all(
    'documentroot servername serveralias namevirtualhost accessfilename alias scriptalias aliasmatch scriptaliasmatch userdir listen pidfile usecanonicalname virtualdocumentroot user group serveradmin timeout keepalive maxkeepaliverequests lockfile errorlog loglevel typesconfig maxrequestsperchild maxmemfree cacheenable mcachesize',
    server,
  ),
  ...all(
    'setenvif browsermatch setenv addtype errordocument forcetype defaulttype enablesendfile fileetag',
    anywhere('fileinfo'),
  ),
  ...all('maxconnectionsperchild protocols', { ...server, since: '2.4' }),
  ...all('limitrequestbody', { ...anywhere('limit'), override: ALL_CLASSES }),
  ...all('options', anywhere('options')),
  ...all('directoryindex indexignore', anywhere('indexes')),
  ...all('order allow deny', within('limit')),
  ...all('satisfy require authtype authname authuserfile authgroupfile', within('authconfig')),
  ...all('authmerging <requireall <requireany <requirenone', within('authconfig', { since: '2.4' })),
  ...all('allowoverride', directory),
  ...all('allowoverridelist', { ...directory, since: '2.4' }),
  ...all('<files <filesmatch', within(ALL_CLASSES)),
  // In 2.2 every class admits them.
  ...all('<limit <limitexcept', within(['limit', 'authconfig'])),
  ...all('authzsvnaccessfile authznetldapaccessfile', { ...directory, isChecker: true }),
  ...all('sslrequiressl sslrequire', within('authconfig', { isChecker: true })),
]);

/** The name of the main server, for requests that no virtual host gets. */
export const MAIN = 'main server';

/** Whether a virtual host gets requests to a port, whatever the address. */
function isFor({ addresses }: Host, port: string): boolean {
  return addresses.some((address) =>
    ['*', '_default_'].flatMap((any) => [any, `${any}:*`, `${any}:${port}`]).includes(address),
  );
}

/** Names of hosts that nobody has to configure: `www`, `a` and `c` are directories. */
const MASS_NAMES = ['a', 'c', 'c.a', 'pub.c', 'nowhere'];

/**
 * vhost_alias_interpolate in mod_vhost_alias.c, as far as the trees go: `%0` is the whole name,
 * `%1` its first part, `%-1` its last.
 */
function interpolated(template: string, name: string): string {
  const parts = name.split('.');
  return template.replace(/%(-?)(\d)/g, (_, fromEnd: string, digit: string) =>
    digit === '0' ? name : ((fromEnd ? parts.at(-Number(digit)) : parts[Number(digit) - 1]) ?? '_'),
  );
}

/**
 * What is done at once, whether the section around it holds or not yet: OR_ALL with EXEC_ON_READ in
 * both versions.
 */
const READ_AT_ONCE = new Set(['<ifmodule', '<ifdefine', '<ifversion', '<macro', 'use']);
const METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'CONNECT',
  'PATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'PROPPATCH',
]);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const NOTHING: Content = {
  saying: {
    id: -1,
    host: [],
    satisfy: [],
    requires: [],
    merging: null,
    authType: null,
    hasGroupFile: false,
    isBroken: false,
  },
  files: [],
  override: null,
  list: null,
  followsLinks: null,
};

function newHost(addresses: readonly string[] = []): Host {
  return {
    name: '',
    addresses,
    directories: [],
    files: [],
    locations: [],
    mappings: [],
    documentRoot: null,
    accessNames: null,
    userDir: null,
    hasNoUsers: false,
    virtualRoot: null,
  };
}

/**
 * What Options says of links without a look at who owns them; null where it says nothing of them.
 */
function linksIn(words: readonly string[]): boolean | null {
  let follows: boolean | null = null;
  for (const word of words.map((each) => each.toLowerCase())) {
    if (!/^[+-]/.test(word)) follows = follows === true || word === 'followsymlinks' || word === 'all';
    else if (word.slice(1) === 'followsymlinks') follows = word.startsWith('+');
  }
  return follows;
}

/** set_override: word after word, and None takes back what was said before. */
function overrideOf(words: readonly string[]): ReadonlySet<string> {
  let classes = new Set<string>();
  for (const word of words.map((each) => each.toLowerCase().replace(/=.*$/, ''))) {
    if (word === 'none') classes = new Set();
    else if (word === 'all') classes = new Set(ALL_CLASSES);
    else if (ALL_CLASSES.includes(word)) classes.add(word);
    else if (word !== 'nonfatal') throw new Refusal('Illegal override option');
  }
  return classes;
}

function isNegative(node: Node): boolean {
  return node.type === 'none' || (node.type === 'require' && node.isNot);
}

/** ap_getword_conf: the next word, and what is behind it. */
function nextWord(text: string): [string, string] {
  const from = /^\s*/.exec(text)![0].length;
  const quote = text[from];
  if (quote === '"' || quote === "'") {
    let end = from + 1;
    while (end < text.length && text[end] !== quote)
      end += text[end] === '\\' && (text[end + 1] === '\\' || text[end + 1] === quote) ? 2 : 1;
    return [
      text.slice(from + 1, end).replace(quote === '"' ? /\\(["\\])/g : /\\(['\\])/g, '$1'),
      text.slice(end + 1).trimStart(),
    ];
  }
  let end = from;
  while (end < text.length && !/\s/.test(text[end])) end++;
  return [text.slice(from, end).replace(/\\\\/g, '\\'), text.slice(end).trimStart()];
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const [word, next] = nextWord(rest);
    words.push(word);
    rest = next;
  }
  return words;
}

function regexOf(pattern: string): RegExp {
  // Part of a pattern without case is what JavaScript does not have.
  return new RegExp(pattern.replace(/^\(\?i\)/, '').replaceAll('(?i:', '(?:'), pattern.startsWith('(?i)') ? 'i' : '');
}

/**
 * modules/metadata/mod_version.c: an operator with or without !, one version or one pattern; the
 * slashes of `~ /x/` belong to the pattern.
 */
function versionHolds(words: readonly string[], version: readonly number[]): boolean {
  const [operator, wanted] = words.length === 1 ? ['=', words[0]] : words;
  const match = /^(!?)(=|==|<|<=|>|>=|~)$/.exec(operator);
  if (!match || words.length > 2) throw new Refusal(`unrecognized operator '${operator}'`);
  const [, not, plain] = match;
  let holds: boolean;
  if (plain === '~' || (plain.startsWith('=') && wanted.startsWith('/'))) {
    if (plain !== '~' && !/^\/.*\/$/.test(wanted)) throw new Refusal('Missing delimiting / of regular expression.');
    holds = new RegExp(plain === '~' ? wanted : wanted.slice(1, -1)).test(version.join('.'));
  } else {
    if (!/^\d+(\.\d+){0,2}$/.test(wanted)) throw new Refusal('Version appears to be invalid');
    const numbers = wanted.split('.').map(Number);
    const difference = version.map((part, index) => part - (numbers[index] ?? 0)).find((part) => part !== 0) ?? 0;
    holds =
      (difference === 0 && plain.includes('=')) ||
      (difference < 0 && plain[0] === '<') ||
      (difference > 0 && plain[0] === '>');
  }
  return holds !== (not !== '');
}

function isBelow(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && (prefix.endsWith('/') || url.length === prefix.length || url[prefix.length] === '/');
}

function slashes(text: string): number {
  return text.split('/').length - 1;
}

function resolve(base: string, path: string): string {
  return resolved(base, path).replace(/(.)\/$/, '$1');
}

/** Keeps a slash at the end: what asks for a directory. */
function resolved(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const whole = `/${parts.join('/')}`;
  return path.endsWith('/') && whole !== '/' ? `${whole}/` : whole;
}
