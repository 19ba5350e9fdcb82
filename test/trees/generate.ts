/**
 * Makes random servers on a disk, in shapes for which it is not enough to read single files:
 * .htaccess files above the served directories, below links and with several names; included files
 * in any place; conditions, macros, variables, access checks of other modules, handwritten lines,
 * files that are read-only, trees that are half converted, two servers with one tree, and copies of
 * another machine.
 */
import type { Random } from '../support/random';
import { ROOT, type ServerSpec, type Tree } from './disk';

export interface Generated {
  readonly tree: Tree;
  readonly urls: readonly string[];
  /** Whoever runs the program is not root, and some files are not his. */
  readonly asOther: boolean;
  /** What the program may be asked to look at: paths in the tree. */
  readonly given: readonly string[];
  /** Files that nobody asked to change, whatever happens. */
  readonly untouched: readonly string[];
  /** Whether the files that are given as `.` are all that has a say, on every machine. */
  readonly isAllHere: boolean;
  /** Whether it is known from the main file which directories are served, and what is defined. */
  readonly isPlain: boolean;
}

/**
 * The shapes that trip whoever looks at files instead of at a server, each with whether a tree has
 * it. A test counts them, so that none is lost.
 */
export const SHAPES: Readonly<Record<string, (generated: Generated) => boolean>> = {
  'a .htaccess above what is served': ({ tree }) =>
    has(tree, (name) => /^(share\/|home\/(ann\/)?)?(\.htaccess|\.acl|access\.cfg)$/.test(name)),
  'a .htaccess below': ({ tree }) =>
    has(tree, (name) => /^(www\/[abc]|pub\/d|.*public_html\/p)\/.*(\.htaccess|\.acl|access\.cfg)$/.test(name)),
  'a link to a directory below': ({ tree }) =>
    Object.values(tree.links ?? {}).some((target) => /^(a|\.\.\/a\/b|\.\.\/pub)$/.test(target)),
  'a link to a directory above': ({ tree }) =>
    Object.values(tree.links ?? {}).some((target) => /^(\.|\.\.)$/.test(target)),
  'a .htaccess that is a link': ({ tree }) =>
    Object.keys(tree.links ?? {}).some((name) => /(\.htaccess|\.acl|access\.cfg)$/.test(name)),
  'a .htaccess that is a link to a file of another name': ({ tree }) =>
    Object.entries(tree.links ?? {}).some(
      ([name, target]) => /(\.htaccess|\.acl|access\.cfg)$/.test(name) && !/(htaccess|acl|access\.cfg)/.test(target),
    ),
  'a .htaccess that is a link to a part': ({ tree }) =>
    Object.entries(tree.links ?? {}).some(
      ([name, target]) => /(\.htaccess|\.acl|access\.cfg)$/.test(name) && /\/conf/.test(target),
    ),
  'a .htaccess that is a directory': ({ tree }) => has(tree, (name) => /(\.htaccess|\.acl|access\.cfg)\/f$/.test(name)),
  'a .htaccess that leads nowhere': ({ tree }) =>
    Object.entries(tree.links ?? {}).some(
      ([name, target]) => /(\.htaccess|\.acl|access\.cfg)$/.test(name) && target === 'nowhere',
    ),
  'AccessFileName of a file further down': ({ tree }) =>
    has(tree, (_, text) => /^\s*AccessFileName .*conf\/acl/im.test(text)),
  'a directory whose name is no UTF-8': ({ tree }) => has(tree, (name) => name.includes('\xfc')),
  'a directory whose name is in another encoding than the file that names it': ({ tree }) =>
    has(tree, (name) => name.includes('g\xc3\xbc/')) && has(tree, (_, text) => /<Directory[^>]*g\xfc/i.test(text)),
  'a .htaccess in a directory whose name is no UTF-8': ({ tree }) =>
    has(tree, (name) => /\xfc\/.*(\.htaccess|\.acl)$/.test(name)),
  VirtualDocumentRoot: ({ tree }) => has(tree, (_, text) => /^\s*VirtualDocumentRoot/im.test(text)),
  'VirtualDocumentRoot of a virtual host': ({ tree }) =>
    has(tree, (_, text) => /<VirtualHost[^]*VirtualDocumentRoot[^]*<\/VirtualHost>/i.test(text)),
  'a Location with host rules over directories with and without a login': ({ tree }) =>
    has(
      tree,
      (_, text) =>
        /<Location [^>]*>\s*(order|allow|deny)[^<]*<\/Location>/i.test(text) &&
        /<Directory [^>]*www\/[abc][^>]*>[^]*?require valid-user/i.test(text),
    ),
  'access lines that several sections read from a file': ({ tree }) =>
    has(tree, (_, text) => (text.match(/Include conf\/shared\.inc/gi) ?? []).length > 1),
  'access lines of a file that sections inside and outside of a login read': ({ tree }) =>
    has(tree, (_, text) => (text.match(/Include conf\/apart\.inc/gi) ?? []).length > 1),
  'access lines that several sections read from a macro': ({ tree }) =>
    has(tree, (_, text) => (text.match(/^\s*Use (Lines|Folder)/gim) ?? []).length > 1),
  'an Include in a section': ({ tree }) =>
    has(tree, (_, text) => /<(Directory|Location|Files)[^>]*>\s*(?:[^<]*\n)?\s*Include/i.test(text)),
  'an Alias of a virtual host into what another one serves': ({ tree }) =>
    has(tree, (_, text) => /<VirtualHost[^]*Alias \/other[^]*<\/VirtualHost>/i.test(text)),
  'no links are followed': ({ tree }) => has(tree, (_, text) => /^\s*Options (None|SymLinksIfOwnerMatch)/im.test(text)),
  'an Alias with a slash at one end only': ({ tree }) =>
    has(tree, (_, text) => /^\s*Alias (\/m\d+\/ \S+[^/\s]|\/m\d+ \S+\/)$/im.test(text)),
  'an AliasMatch with an optional slash': ({ tree }) => has(tree, (_, text) => /AliasMatch \^\/\?/i.test(text)),
  'an Alias to a file': ({ tree }) => has(tree, (_, text) => /^\s*Alias \/one /im.test(text)),
  ScriptAlias: ({ tree }) => has(tree, (_, text) => /^\s*ScriptAlias/im.test(text)),
  'several templates of UserDir': ({ tree }) => has(tree, (_, text) => /^\s*UserDir \S+ \S/im.test(text)),
  'a DocumentRoot under a condition': ({ tree }) =>
    has(tree, (_, text) => /<IfDefine[^>]*>\s*DocumentRoot/i.test(text)),
  'a path with steps back': ({ tree }) => has(tree, (_, text) => /<Directory[^>]*(\/\.\.\/|\/\/)/i.test(text)),
  'several names of AccessFileName': ({ tree }) => has(tree, (_, text) => /^\s*AccessFileName \S+ \S/im.test(text)),
  'AccessFileName of a virtual host': ({ tree }) =>
    has(tree, (_, text) => /<VirtualHost[^]*AccessFileName[^]*<\/VirtualHost>/i.test(text)),
  'a .htaccess that virtual hosts admit, each in its own directory': ({ tree }) =>
    has(tree, (name) => /\/\.htaccess$/.test(name)) &&
    has(tree, (_, text) =>
      /<VirtualHost[^>]*>[^<]*(<Directory \/>[^<]*<\/Directory>\s*)?<Directory [^>]*>\s*AllowOverride (All|Limit|AuthConfig)/i.test(
        text,
      ),
    ),
  'virtual hosts for every port, and AllowOverride in them alone': ({ tree }) =>
    has(
      tree,
      (name, text) =>
        name === tree.servers[0].main &&
        /^\s*Listen 80$/m.test(text) &&
        /<VirtualHost (\*|_default_):80>[^<]*<Directory \/>\s*AllowOverride None/.test(text) &&
        !/AllowOverride/.test(text.slice(0, text.indexOf('<VirtualHost'))),
    ),
  'a port without a virtual host': ({ tree }) =>
    has(tree, (_, text) => /^\s*Listen 443$/m.test(text) && /<VirtualHost \*:80>/.test(text)),
  'a part without .conf': ({ tree }) =>
    has(tree, (name) => /(part|part\.inc|x\.cfg|none|000-default|old\.conf~)$/.test(name)),
  'a part in a hidden directory': ({ tree }) =>
    has(tree, (name) => /(^|\/)(\.git|\.hidden|node_modules)\/p\.conf$/.test(name)),
  'a file that cannot be written': ({ tree, asOther }) => asOther && (tree.foreign?.length ?? 0) > 0,
  'a file of two names': ({ tree }) => Object.keys(tree.hardLinks ?? {}).length > 0,
  'a part that is held back': ({ tree }) => has(tree, (_, text) => /httpd-upgrade-ignore/.test(text)),
  'a copy on a machine with the same paths': ({ tree }) =>
    tree.servers.some(({ elsewhere }) => elsewhere) && has(tree, (name) => name.startsWith('machine/')),
  'two roots': ({ tree }) => tree.servers.length > 1,
  'two roots that share a part': ({ tree }) =>
    tree.servers.length > 1 && tree.servers.every(({ main }) => /^\s*Include/im.test(tree.files[main])),
  'a checker of a third party': ({ tree }) =>
    has(tree, (_, text) => /^\s*(AuthzSVNAccessFile|SSLRequire)/im.test(text)),
  'a tree that is converted in part': ({ tree }) =>
    has(tree, (_, text) => /^\s*Require all/im.test(text)) && has(tree, (_, text) => /^\s*Order/im.test(text)),
  'a line that 2.2 does not start with, beside Satisfy': ({ tree }) =>
    has(tree, (_, text) => /^\s*(Protocols|Define|<IfFile|AllowOverrideList|LoadModule access_compat)/im.test(text)) &&
    has(tree, (_, text) => /^\s*Satisfy/im.test(text)),
  'lines of 2.4 that fixes write, beside Satisfy': ({ tree }) =>
    has(tree, (_, text) => /^\s*(IncludeOptional|MaxConnectionsPerChild)/im.test(text)) &&
    has(tree, (_, text) => /^\s*Satisfy/im.test(text)),
  'sections for both versions': ({ tree }) =>
    has(tree, (_, text) => /<IfModule !mod_authz_core\.c>/i.test(text) && /<IfModule mod_authz_core\.c>/i.test(text)),
  'old lines beside a section for 2.4': ({ tree }) =>
    has(tree, (_, text) => /^\s*(?:allow|deny) from [^<\n]*\n\s*<IfVersion >= 2\.4>/im.test(text)),
  'sections for both versions in a .htaccess': ({ tree }) =>
    has(tree, (name, text) => /\.htaccess$/.test(name) && /<If(Module !mod_authz_core\.c|Version < 2\.4)>/i.test(text)),
  'other lines with a module than without it': ({ tree }) =>
    has(tree, (_, text) =>
      /<IfModule !(mod_dav\.c|dav_module|mod_dir\.c|dir_module)>\s*(order|allow|deny)/i.test(text),
    ),
  'a section of mod_mem_cache': ({ tree }) => has(tree, (_, text) => /<IfModule mod_mem_cache\.c>\s*Cache/i.test(text)),
  IfDefine: ({ tree }) => has(tree, (_, text) => /<IfDefine/i.test(text)),
  'IfDefine in IfDefine': ({ tree }) => has(tree, (_, text) => /<IfDefine[^>]*>[^<]*<IfDefine !/i.test(text)),
  'a name that is defined in a condition': ({ tree }) =>
    has(tree, (_, text) => /<If\w+[^>]*>\s*Define NEW\s*<\/If/i.test(text)),
  'a name that is defined with -D': ({ tree }) =>
    tree.servers.some(({ defines = [] }) => defines.includes('NEW')) &&
    has(tree, (_, text) => /<IfDefine !?NEW/i.test(text)),
  'an access line in mixed letter case': ({ tree }) =>
    has(tree, (_, text) => /^\s*(rEQUIRE|aLLOW|dENY|oRDER|sATISFY)/m.test(text)),
  'a module by its identifier in a condition': ({ tree }) =>
    has(tree, (_, text) => /<IfModule !?\w+_module>/i.test(text)),
  'a mapped folder with a .htaccess': ({ tree }) => has(tree, (name) => /^mapped\/.*\/\.htaccess$/.test(name)),
  'a mapped folder without a .htaccess': ({ tree }) =>
    has(tree, (_, text) => text.includes('mapped/')) && !has(tree, (name) => /^mapped\/.*\/\.htaccess$/.test(name)),
  'a variable': ({ tree }) => has(tree, (_, text) => text.includes('${DIR}')),
  'a macro': ({ tree }) => has(tree, (_, text) => /<Macro/i.test(text)),
  'a macro with addresses of several Use lines': ({ tree }) =>
    has(tree, (_, text) => (text.match(/^\s*Use Part/gim) ?? []).length > 1),
  'a macro in the section of a macro': ({ tree }) => has(tree, (_, text) => /^\s*Use Address/im.test(text)),
  'a macro with arguments of several kinds': ({ tree }) =>
    has(tree, (_, text) => /^\s*Use Part \S+ [a-z]/im.test(text) && /^\s*Use Part \S+ \d/im.test(text)),
  'lines of a .htaccess that AllowOverride may refuse': ({ tree }) =>
    has(tree, (name, text) => /\.htaccess$/.test(name) && /^\s*(Options|DirectoryIndex|SetEnvIf)/im.test(text)),
  'Files in a .htaccess': ({ tree }) => has(tree, (name, text) => /\.htaccess$/.test(name) && /<Files/i.test(text)),
  'a .htaccess and no AllowOverride': ({ tree }) =>
    has(tree, (name) => /\.htaccess$/.test(name)) &&
    has(tree, (name, text) => name === tree.servers[0].main && !/AllowOverride/i.test(text)),
  'directories of users': ({ tree }) => has(tree, (_, text) => /^\s*(UserDir (?!disabled)|AliasMatch)/im.test(text)),
  'bytes that are no UTF-8': ({ tree }) => has(tree, (_, text) => text.includes('\xfc')),
  CRLF: ({ tree }) => has(tree, (_, text) => text.includes('\r\n')),
  'a byte order mark': ({ tree }) => has(tree, (_, text) => text.startsWith('\xef\xbb\xbf')),
  'a last line that goes on': ({ tree }) => has(tree, (_, text) => text.endsWith('\\\n')),
};

function has({ files }: Tree, isOne: (name: string, text: string) => boolean): boolean {
  return Object.entries(files).some(([name, text]) => isOne(name, text));
}

type Piece = string | { readonly open: string; readonly body: readonly Piece[] };

const H = `${ROOT}/www`;
/** Directories that are there, below the tree's. */
const FOLDERS = [
  'www',
  'www/a',
  'www/a/b',
  'www/c',
  'pub',
  'pub/d',
  'share/doc',
  'home/ann/public_html',
  'home/ann/public_html/p',
];
/** Where .htaccess files are, above and below what is served. */
const HOLDERS = [
  '',
  'www',
  'www',
  'www/a',
  'www/a',
  'www/a/b',
  'www/c',
  'pub',
  'pub',
  'pub/d',
  'share',
  'share/doc',
  'home',
  'home/ann',
  'home/ann/public_html',
  'home/ann/public_html/p',
  'www/node_modules',
  'www/.git',
];
const PART_NAMES = [
  'conf.d/a.conf',
  'conf.d/a.conf',
  'conf.d/b.conf',
  'conf/part.inc',
  'conf/part',
  'conf/x.cfg',
  '.git/p.conf',
  'node_modules/p.conf',
  'sites-enabled/000-default',
  'conf/none',
  'conf/old.conf~',
  '.hidden/p.conf',
  'conf/extra/httpd.conf',
];

const ACCESS_WORD = /^(order|allow|deny|satisfy|require|authtype|allowoverride)\b/i;

/** `Require` as `rEQUIRE`. */
function oddly(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1).toUpperCase();
}

/** `conditions`: how much stands in a condition, of twelve; null for none in most trees. */
export function randomTree(random: Random, conditions: number | null = null): Generated {
  return new Writer(random, conditions).run();
}

/** How often a section has branches, of ten; with this variable, in each tree. */
const BRANCHES: readonly number[] = process.env.HTTPD_UPGRADE_BRANCHES ? [3, 5, 8] : [0, 0, 0, 0, 0, 1, 3];

/** With this variable, sections of each tree read one file and need different lines. */
const APART = process.env.HTTPD_UPGRADE_APART !== undefined;

class Writer {
  private readonly files: Record<string, string> = {};
  private readonly links: Record<string, string> = {};
  private readonly hardLinks: Record<string, string> = {};
  private readonly foreign: string[] = [];
  private readonly defines: string[] = [];
  /** Of 2.2 and of 2.4. */
  private readonly mpms: readonly [string, string];
  private readonly variables: Record<string, string> = {};
  private readonly includes: string[] = [];
  /** Parts of sections: lines without sections around. */
  private readonly inner: string[] = [];
  private readonly aliases: string[] = [];
  private readonly urls = new Set<string>(['/f', '/a/f', '/a/b/f', '/c/f', '/a/x.bak', '/.htpasswd']);
  /** How much of each there is, of ten. */
  private readonly logins: number;
  private readonly limits: number;
  private readonly conditions: number;
  private readonly checkers: number;
  private readonly converted: number;
  private readonly satisfies: number;
  private readonly dress: number;
  /** What a comment keeps as it is, and what is written for both versions. */
  private readonly kept: number;
  private readonly twins: number;
  /** How many sections have other lines with a module than without it. */
  private readonly branches: number;
  /** Whether names of access lines are in any letter case. */
  private readonly hasOddCase: boolean;
  private readonly isSmall: boolean;
  private readonly followsLinks: boolean;
  /** As Debian has it: AllowOverride in the virtual hosts alone. */
  private readonly isDebian: boolean;
  private isPlain = true;
  /** Directories beside the usual ones. */
  private folders: readonly string[] = [];
  private accessNames: readonly string[] = ['.htaccess'];

  constructor(
    private readonly random: Random,
    conditions: number | null,
  ) {
    this.logins = random.pick([0, 2, 4, 8]);
    this.limits = random.pick([0, 0, 0, 1, 4]);
    const usual = random.pick([0, 0, 0, 1]);
    this.conditions = conditions ?? usual;
    this.checkers = random.pick([0, 0, 0, 0, 0, 1]);
    this.converted = random.pick([0, 0, 0, 0, 0, 0, 0, 0, 1, 3]);
    this.satisfies = random.pick([0, 0, 1, 4]);
    this.dress = random.pick([0, 0, 0, 1, 3]);
    this.kept = random.pick([0, 0, 0, 0, 1, 3]);
    this.twins = random.pick([0, 0, 0, 0, 0, 1, 3]);
    this.branches = random.pick(BRANCHES);
    this.hasOddCase = random.below(8) === 0;
    this.isSmall = this.chance(3);
    this.followsLinks = random.below(6) !== 0;
    this.isDebian = random.below(7) === 0;
    this.mpms = random.pick([
      ['prefork', 'event'],
      ['prefork', 'prefork'],
      ['worker', 'event'],
      ['worker', 'worker'],
      ['prefork', 'worker'],
      ['worker', 'prefork'],
    ] as const);
  }

  run(): Generated {
    const { random } = this;
    for (const folder of FOLDERS) this.files[`${folder}/f`] = '';
    Object.assign(this.files, { 'www/a/x.bak': '', 'www/.htpasswd': '', 'conf/passwd': '' });
    const main = random.pick([
      'conf/httpd.conf',
      'conf/httpd.conf',
      'conf/httpd.conf',
      'conf/apache2.conf',
      'httpd.conf',
      'conf/server-a.conf',
      'etc/main.cf',
    ]);
    if (this.chance(2))
      this.accessNames = random.pick([
        ['.acl'],
        ['.htaccess', '.acl'],
        ['.acl', '.htaccess'],
        ['access.cfg'],
        ['.acl', 'conf/acl'],
        ['.htaccess'],
      ]);
    if (random.below(10) === 0) this.latin();
    if (random.below(8) === 0) this.innerPart();
    for (let i = this.isSmall ? random.below(2) : random.below(4); i > 0; i--) this.part();
    this.files[main] = this.text(this.main(), true);
    for (let i = this.isSmall ? random.below(2) : random.below(5); i > 0; i--) this.accessFile();
    if (this.followsLinks) this.link();
    const servers: ServerSpec[] = [this.spec(main)];
    let untouched: string[] = [];
    let isAllHere = true;
    let given = [
      '.',
      main,
      main,
      ...Object.keys(this.files).filter(
        (file) =>
          /conf|inc|cfg|part|none|default|htaccess|acl|rules/.test(file) &&
          !/[\xc3\xfc]|\/f$/.test(file) &&
          file !== 'conf/passwd' &&
          file !== main,
      ),
    ];
    if (this.chance(1)) servers.push(this.secondServer());
    else if (random.below(12) === 0) {
      this.copy(servers, main);
      untouched = Object.keys(this.files).filter((file) => !file.startsWith('copy/'));
      given = ['copy', `copy/${main}`, `copy/${main}`];
      isAllHere = false;
    }
    const asOther = random.below(14) === 0;
    const candidates = given.filter((file) => this.files[file] !== undefined);
    if (asOther && candidates.length > 0) this.foreign.push(random.pick(candidates));
    else if (random.below(14) === 0 && candidates.length > 0) this.hardLinks['backup/one'] = random.pick(candidates);
    return {
      tree: { files: this.files, links: this.links, hardLinks: this.hardLinks, foreign: this.foreign, servers },
      urls: [...this.urls],
      asOther,
      given,
      untouched,
      isAllHere,
      isPlain: this.isPlain && isAllHere,
    };
  }

  private chance(ofTen: number): boolean {
    return this.random.below(10) < ofTen;
  }

  private spec(main: string): ServerSpec {
    return { main, defines: this.defines, variables: this.variables, mpms: this.mpms };
  }

  // --- The server's files ------------------------------------------------------------------------

  private main(): Piece[] {
    const { random } = this;
    const lines: Piece[] = [
      `ServerRoot ${this.quoted(ROOT)}`,
      ...(this.chance(8) ? ['PidFile run/httpd.pid'] : []),
      ...(this.chance(8) ? ['Listen 80'] : []),
    ];
    if (random.below(7) === 0)
      lines.push(
        random.pick<Piece>([
          'Listen 443',
          'Listen 443',
          'Listen 127.0.0.1:8080',
          { open: '<IfDefine FLAG>', body: ['Listen 443'] },
        ]),
      );
    if (this.conditions > 0) this.definitions(lines);
    const modules = random.pick([
      ['authz_user', 'authz_groupfile'],
      ['authz_groupfile', 'authz_user'],
      ['authz_user', 'authz_groupfile', 'alias'],
    ]);
    if (this.chance(7)) lines.push(...modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`));
    if (this.accessNames[0] !== '.htaccess' || this.accessNames.length > 1)
      lines.push(`AccessFileName ${this.accessNames.join(' ')}`);
    lines.push(`DocumentRoot ${this.quoted(random.pick([H, H, H, `${H}/`, 'www']))}`);
    this.mappings(lines);
    if (random.below(20) === 0) {
      this.isPlain = false;
      lines.push(
        random.pick(['UseCanonicalName Off', '# mass hosting']),
        `VirtualDocumentRoot ${random.pick([`${H}/%0`, `${H}/%1`, `${H}/%-1`, `${ROOT}/%1`])}`,
      );
    }
    if (random.below(20) === 0) {
      this.isPlain = false;
      if (this.chance(5)) this.defines.push('FLAG');
      lines.push({ open: '<IfDefine FLAG>', body: [`DocumentRoot ${random.pick([`${ROOT}/pub`, `${H}/a`])}`] });
    }
    lines.push({
      open: '<Directory />',
      body: [
        ...(this.followsLinks ? [] : [random.pick(['Options None', 'Options SymLinksIfOwnerMatch', 'Options None'])]),
        ...(this.chance(this.isDebian ? 1 : 9)
          ? [
              `AllowOverride ${random.pick(['None', 'None', 'None', 'All', 'All', 'Limit', 'AuthConfig Limit', 'All None', 'None All'])}`,
            ]
          : []),
        ...(this.chance(6) ? this.shut() : this.chance(3) ? this.lines() : []),
      ],
    });
    if (this.conditions > 0) {
      if (this.chance(5)) this.defines.push('FLAG');
      this.isPlain = false;
    }
    if (random.below(16) === 0) {
      this.variables.DIR = `${H}/a`;
      this.isPlain = false;
    }
    const body: Piece[] = Array.from({ length: this.isSmall ? 1 + random.below(2) : 1 + random.below(6) }, () =>
      this.conditional(this.section()),
    );
    for (const include of this.includes) body.splice(random.below(body.length + 1), 0, include);
    if (random.below(12) === 0) this.macroWithAddress(body);
    if (random.below(10) === 0) this.overLogins(body);
    if (random.below(8) === 0) this.sharedLines(body);
    if (APART || random.below(12) === 0) this.apart(body);
    if (this.isDebian || this.chance(2)) this.hosts(body);
    if (random.below(6) === 0) body.splice(random.below(body.length + 1), 0, this.of24());
    return [...lines, ...body];
  }

  /** Sections from one macro, which have the addresses of its Use lines. */
  private macroWithAddress(body: Piece[]): void {
    const { random } = this;
    const from = random.pick(['$who', '$who', '$who 10.1', '192.168.0.7 $who', '10.$who']);
    const lines = random.pick([
      ['Order deny,allow', 'Deny from all', `Allow from ${from}`],
      ['Order allow,deny', 'Allow from all', `Deny from ${from}`],
      ['Order deny,allow', 'Deny from $who', 'Allow from $more'],
      ['Order deny,allow', 'Deny from all', 'Satisfy Any', `Allow from ${from}`, ...this.lines()],
    ]);
    const inner: Piece[] = [];
    if (random.below(3) === 0) {
      inner.push({ open: '<Macro Address $who>', body: [`${random.pick(['Allow', 'Deny'])} from $who`] });
      lines.push(`Use Address ${random.pick(['127.0.0.1', '192.168.0.7', '$more', '$who'])}`);
    }
    // Both versions refuse `10.127.0.0.1`.
    const addresses = from.startsWith('10.')
      ? ['1', '2.3']
      : random.pick([
          ['127.0.0.1', '10', '192.168'],
          ['127.0.0.1', 'all', '10', 'a.example.org'],
        ]);
    const uses = Array.from(
      { length: 1 + random.below(3) },
      () => `Use Part www/${random.pick(['a', 'c', 'a/b'])} ${random.pick(addresses)} ${random.pick(addresses)}`,
    );
    const macro: Piece = {
      open: '<Macro Part $dir $who $more>',
      body: [{ open: `<Directory ${ROOT}/$dir>`, body: lines }],
    };
    body.splice(random.below(body.length + 1), 0, ...inner, macro, ...uses);
  }

  /** A `<Location>` with host rules alone, over directories with a login and without one. */
  private overLogins(body: Piece[]): void {
    const { random } = this;
    const login = ['AuthType Basic', 'AuthName "members"', `AuthUserFile ${ROOT}/conf/passwd`];
    const requires = ['Require valid-user'];
    const pieces: Piece[] = [
      { open: `<Directory ${H}>`, body: ['Order allow,deny', 'Allow from all'] },
      {
        open: `<Directory ${H}/${random.pick(['a', 'a', 'a/b', 'c'])}>`,
        body: this.chance(3) ? [...login, { open: '<Limit POST PUT>', body: requires }] : [...login, ...requires],
      },
      { open: `<Location ${random.pick(['/', '/a', '/a/', '/a/b'])}>`, body: this.addresses() },
    ];
    for (const piece of pieces) body.splice(random.below(body.length + 1), 0, piece);
  }

  /** Access lines that several sections read from one included file or macro. */
  private sharedLines(body: Piece[]): void {
    const { random } = this;
    const lines = this.chance(5) ? this.addresses() : this.lines();
    const folders = Array.from({ length: 1 + random.below(3) }, () =>
      random.pick([H, `${H}/a`, `${H}/a/b`, `${H}/c`, `${ROOT}/pub`]),
    );
    const beside = () => (this.chance(2) ? this.addresses() : []);
    const pieces: Piece[] = [];
    const place = random.below(3);
    if (place === 0) {
      this.files['conf/shared.inc'] = this.text(lines, false);
      for (const folder of folders)
        pieces.push({ open: `<Directory ${folder}>`, body: ['Include conf/shared.inc', ...beside()] });
      if (this.chance(2)) pieces.push({ open: '<Location /a>', body: ['Include conf/shared.inc'] });
    } else if (place === 1) {
      pieces.push({ open: '<Macro Lines>', body: lines });
      for (const folder of folders) pieces.push({ open: `<Directory ${folder}>`, body: ['Use Lines', ...beside()] });
    } else {
      const parameter = random.pick(['$dir', '$dir', '%d', 'ip']);
      pieces.push({
        open: `<Macro Folder ${parameter}>`,
        body: [{ open: `<Directory ${parameter}>`, body: lines }],
      });
      for (const folder of folders) pieces.push(`Use Folder ${folder}`);
    }
    const [first, ...others] = pieces;
    const at = random.below(body.length + 1);
    body.splice(at, 0, first);
    let after = at + 1;
    for (const piece of others) {
      after += random.below(body.length - after + 1);
      body.splice(after, 0, piece);
      after++;
    }
  }

  /**
   * What 2.2 does not start with: a server that runs 2.4 already has it, and some of it our own
   * fixes write.
   */
  private of24(): Piece {
    const line: Piece = this.random.pick([
      'Protocols http/1.1',
      'Define OTHER',
      'Define FLAG',
      'IncludeOptional conf/none*.d',
      'MaxConnectionsPerChild 10',
      'LoadModule access_compat_module modules/mod_access_compat.so',
      { open: '<IfFile conf/passwd>', body: [this.section()] },
      { open: `<Directory ${ROOT}/none>`, body: ['AllowOverrideList Options'] },
      { open: `<Directory ${H}/a>`, body: ['Require all granted'] },
    ]);
    return this.random.below(3) === 0
      ? {
          open: this.random.pick([
            '<IfVersion >= 2.2>',
            '<IfVersion >= 2.4>',
            '<IfModule !mod_none.c>',
            '<IfModule mod_alias.c>',
            '<IfModule mod_authz_core.c>',
          ]),
          body: [line],
        }
      : line;
  }

  private mappings(lines: Piece[]): void {
    const { random } = this;
    const add = (line: string, ...urls: string[]) => {
      this.aliases.push(line);
      lines.push(line);
      for (const url of urls) this.urls.add(url);
    };
    if (this.chance(3)) add(`Alias /pub ${ROOT}/pub`, '/pub/f', '/pub/d/f');
    if (this.chance(2)) add(`Alias /doc/ ${this.quoted(`${ROOT}/share/doc/`)}`, '/doc/f');
    if (random.below(5) === 0) add(`Alias /one ${random.pick([`${ROOT}/pub/f`, `${H}/a/f`, `${H}/a/x.bak`])}`, '/one');
    if (this.chance(1)) add(`Alias /again ${H}/a`, '/again/f', '/again/b/f');
    if (random.below(8) === 0) {
      this.isPlain = false;
      add(
        random.pick([
          `UserDir ${ROOT}/home/*/public_html`,
          `UserDir ${ROOT}/users ${ROOT}/home/*/public_html`,
          `UserDir ${ROOT}/home/*/public_html ${ROOT}/home`,
          `AliasMatch ^/~([^/]+)(/.*)?$ ${ROOT}/home/$1/public_html$2`,
        ]),
        '/~ann/f',
        '/~ann/p/f',
      );
    }
    if (random.below(12) === 0) add(`ScriptAlias /cgi/ ${this.quoted(`${ROOT}/pub/`)}`, '/cgi/f', '/cgi/d/f');
    if (random.below(8) === 0) lines.push('UserDir disabled');
    if (random.below(4) === 0) this.mapped(add);
  }

  /** URLs that lead to folders which are there, with a .htaccess or without one. */
  private mapped(add: (line: string, ...urls: string[]) => void): void {
    const { random } = this;
    for (let i = 1 + random.below(2); i > 0; i--) {
      const folder = `mapped/m${i}`;
      const target = this.chance(8) ? `${ROOT}/${folder}` : folder;
      const [url, line] = random.pick([
        [`/m${i}`, `Alias /m${i} ${this.quoted(target)}`],
        [`/m${i}`, `Alias /m${i}/ ${target}/`],
        [`/m${i}`, `Alias /m${i} ${target}/`],
        [`/m${i}`, `Alias /m${i}/ ${target}`],
        [`/m${i}`, `AliasMatch ^/?m${i}/(.*) ${ROOT}/${folder}/$1`],
        [`/m${i}`, `ScriptAliasMatch ^/?m${i}/?$ ${ROOT}/${folder}/f`],
        [`/m${i}`, `ScriptAlias /m${i}/ ${target}/`],
        [`/m${i}`, `AliasMatch ^/m${i}/(.*) ${ROOT}/${folder}/$1`],
        [`/m${i}`, `AliasMatch ^/m${i}(/.*)?$ "${ROOT}/${folder}$1"`],
        [`/m${i}`, `ScriptAliasMatch ^/m${i}/(.*)$ ${ROOT}/${folder}/$1`],
        [`/~m${i}`, `UserDir ${ROOT}/mapped`],
        [`/~m${i}`, `UserDir ${ROOT}/mapped/*`],
        ['', `DocumentRoot ${ROOT}/${folder}`],
      ]);
      this.files[`${folder}/f`] = '';
      this.files[`${folder}/in/f`] = '';
      for (const holder of ['mapped', folder, folder, `${folder}/in`]) {
        const name = `${holder}/${this.accessNames[0]}`;
        if (this.chance(3) && !name.includes('/conf/'))
          this.files[name] ??= this.text(
            [...this.lines(true), ...(this.chance(2) ? [this.filesSection()] : [])],
            false,
          );
      }
      this.folders = [...this.folders, folder, `${folder}/in`, 'mapped'];
      this.isPlain &&= !/UserDir|Match/.test(line);
      add(line, `${url}/f`, `${url}/in/f`);
    }
  }

  /** Lines that define NEW for one version, or for both, or where another name is defined. */
  private definitions(lines: Piece[]): void {
    const { random } = this;
    if (this.chance(2)) this.defines.push('NEW');
    for (let i = random.pick([0, 0, 1, 1, 2]); i > 0; i--)
      lines.push({
        open: random.pick([
          '<IfVersion >= 2.4>',
          '<IfVersion >= 2.4>',
          '<IfModule mod_authz_core.c>',
          '<IfModule authz_core_module>',
          '<IfVersion < 2.4>',
          '<IfDefine FLAG>',
          '<IfDefine !FLAG>',
          '<IfDefine !NEW>',
          this.condition(),
        ]),
        body: [this.chance(9) ? 'Define NEW' : 'UnDefine NEW'],
      });
    // A fix removes this section, because 2.4 skips it.
    if (this.chance(1))
      lines.push({ open: '<IfModule mod_mem_cache.c>', body: ['CacheEnable mem /cached', 'MCacheSize 4096'] });
  }

  private hosts(body: Piece[]): void {
    const { random } = this;
    const isHosting = this.isDebian || this.chance(4);
    const count = 1 + random.below(isHosting ? 3 : 2);
    const address = random.pick(this.isDebian ? ['*:80', '*:80', '_default_:80', '*:*', '*'] : ['*', '*', '*:80']);
    body.push(`NameVirtualHost ${address.replace('_default_', '*')}`);
    // In the main server, or as packages have it in each site.
    const none: Piece = { open: '<Directory />', body: ['AllowOverride None'] };
    const isInSites = isHosting && this.chance(this.isDebian ? 9 : 2);
    if (isHosting && !isInSites) body.push(none);
    for (let i = 0; i < count; i++) {
      const own: Piece[] = [`ServerName h${i}`];
      const hasNone = isInSites && random.below(this.isDebian ? 12 : 1000) !== 0;
      if (isHosting) own.push(...(hasNone ? [none] : []), ...this.site());
      else if (this.chance(6)) own.push(`DocumentRoot ${random.pick([H, `${H}/a`, `${ROOT}/pub`])}`);
      if (this.chance(2))
        own.push(`AccessFileName ${random.pick(['.acl', '.htaccess', '.acl .htaccess', '.htaccess .acl'])}`);
      if (this.chance(2)) own.push(`Alias /pub ${ROOT}/pub`);
      if (this.chance(2)) {
        own.push(`Alias /other ${random.pick([`${H}/a`, `${ROOT}/pub`, `${H}/c`, `${ROOT}/share`])}`);
        this.urls.add('/other/f').add('/other/b/f').add('/other/doc/f');
      }
      if (random.below(15) === 0) {
        this.isPlain = false;
        own.push(`VirtualDocumentRoot ${random.pick([`${H}/%0`, `${ROOT}/%-1`])}`);
      }
      for (let j = random.below(3); j > 0; j--) own.push(this.section());
      if (this.includes.length > 0 && this.chance(2)) own.push(random.pick(this.includes));
      const other = random.pick(['*:443', '*:80 *:443', '127.0.0.1:80', '*:81', '*']);
      const host: Piece = { open: `<VirtualHost ${random.below(8) === 0 ? other : address}>`, body: own };
      const isConditional = random.below(30) === 0;
      if (isConditional) this.isPlain = false;
      body.push(isConditional ? { open: '<IfDefine FLAG>', body: [host] } : host);
    }
    this.urls.add('/b/f').add('/d/f');
  }

  /**
   * What a virtual host says of its own directory, and .htaccess files there, which it alone may
   * admit.
   */
  private site(): Piece[] {
    const { random } = this;
    const folder = random.pick(['www', 'www/a', 'www/a', 'www/c', 'pub']);
    const pieces: Piece[] = [
      `DocumentRoot ${ROOT}/${folder}`,
      {
        open: `<Directory ${ROOT}/${folder}>`,
        body: [
          `AllowOverride ${random.pick(['All', 'All', 'All', 'Limit', 'AuthConfig Limit', 'AuthConfig', 'Options'])}`,
          ...(this.chance(6) ? this.lines() : []),
        ],
      },
    ];
    for (const holder of [folder, `${folder}/b`]) {
      const name = `${holder}/${this.accessNames[0]}`;
      if (!name.includes('/conf/') && this.chance(6) && this.files[name] === undefined)
        this.files[name] = this.text([...this.lines(true), ...(this.chance(2) ? [this.filesSection()] : [])], false);
    }
    if (this.chance(3)) pieces.push({ open: `<Directory ${ROOT}/${folder}/b>`, body: this.inside(this.lines()) });
    this.urls.add(`/${folder}/f`);
    return pieces;
  }

  private part(): void {
    const { random } = this;
    const name = random.pick(PART_NAMES);
    if (this.files[name] !== undefined) return;
    const pieces: Piece[] = [];
    // Some look like a whole configuration.
    if (this.chance(1))
      pieces.push(random.pick([`ServerRoot "${ROOT}"`, 'PidFile run/httpd.pid', 'Listen 81', `DocumentRoot ${H}`]));
    for (let i = 1 + random.below(2); i > 0; i--) pieces.push(this.section());
    if (this.includes.length > 0 && this.chance(1)) pieces.push(random.pick(this.includes));
    this.files[name] = this.text(pieces, false);
    const folder = name.slice(0, name.lastIndexOf('/'));
    this.includes.push(
      `Include ${this.quoted(random.pick([name, name, `${ROOT}/${name}`, name.endsWith('.conf') && !name.startsWith('conf/') ? `${folder}/*.conf` : name, ['sites-enabled', 'conf.d'].includes(folder) ? `${folder}/` : name]))}`,
    );
  }

  /** Directories whose names an editor in another century wrote: they are no UTF-8. */
  private latin(): void {
    Object.assign(this.files, { 'www/g\xc3\xbc/f': '' });
    // Beside it, or alone, one in UTF-8.
    if (this.chance(5)) Object.assign(this.files, { 'www/g\xfc/f': '', 'www/g\xfc/b/f': '', 'pub/\xfc/f': '' });
    this.folders = ['www/g\xfc', 'www/g\xfc', 'www/g\xc3\xbc', 'www/g\xc3\xbc', 'www/g\xfc/b', 'pub/\xfc'];
    this.urls.add('/g\xfc/f').add('/g\xfc/b/f').add('/pub/\xfc/f').add('/g\xc3\xbc/f');
  }

  /** Sections that read one file, below a directory with access control and elsewhere. */
  private apart(body: Piece[]): void {
    const { random } = this;
    const login = ['AuthType Basic', 'AuthName "members"', `AuthUserFile ${ROOT}/conf/passwd`, 'Require valid-user'];
    const lines: Piece[] = random.pick<Piece[]>([
      this.addresses(),
      this.addresses(),
      this.addresses(),
      [{ open: '<Limit GET POST>', body: this.addresses() }],
      [...login, ...(this.chance(5) ? ['Satisfy Any'] : this.addresses())],
    ]);
    this.files['conf/apart.inc'] = this.text(lines, false);
    const outer = random.pick([H, `${H}/a`, ROOT]);
    const readers = Array.from({ length: 2 + random.below(3) }, (): Piece => {
      const folder = random.pick([`${H}/a`, `${H}/a/b`, `${H}/c`, `${ROOT}/pub`, `${ROOT}/home`]);
      const open = random.below(8) === 0 ? '<Location /a>' : `<Directory ${folder}>`;
      const path = random.below(6) === 0 ? this.quoted(`${ROOT}/conf/apart.inc`) : 'conf/apart.inc';
      return { open, body: [...(this.chance(2) ? ['FileETag None'] : []), `Include ${path}`] };
    });
    const above: Piece = { open: `<Directory ${outer}>`, body: this.chance(6) ? login : this.addresses() };
    for (const piece of [above, ...readers]) body.splice(random.below(body.length + 1), 0, piece);
  }

  private innerPart(): void {
    this.files['conf/inner.conf'] = this.text(this.lines(), false);
    this.inner.push('Include conf/inner.conf');
  }

  private section(): Piece {
    const { random } = this;
    const path = random.pick([
      H,
      H,
      H,
      `${H}/a`,
      `${H}/a`,
      `${H}/a/b`,
      `${H}/c`,
      `${ROOT}/pub`,
      `${ROOT}/pub/d`,
      `${ROOT}/share`,
      `${ROOT}/share/doc`,
      `${ROOT}/home`,
      `${ROOT}/home/*/public_html`,
      ROOT,
      `${H}/cur`,
      `${H}/out`,
      ...(this.variables.DIR ? ['${DIR}', '${DIR}', '${DIR}'] : []),
      ...this.folders.map((folder) => `${ROOT}/${folder}`),
      ...(this.chance(1) ? [`${H}//a`, `${H}/c/../a`, `${ROOT}/./pub`] : []),
    ]);
    const url = random.pick([
      '/',
      '/a',
      '/a',
      '/a/b',
      '/c',
      '/pub',
      '/doc',
      '/status',
      '/a/',
      '/a/f',
      '/cur',
      '/~ann',
      '/one',
    ]);
    const directory = (open: string): Piece => ({ open, body: this.inside(this.lines()) });
    const plain = (open: string): Piece => ({ open, body: this.lines() });
    switch (random.below(16)) {
      case 0:
        return directory(
          `<Directory ${random.pick([`${ROOT}/*/a`, `${H}/*`, `${ROOT}/*`, `${H}/[ab]`, '/*', `${H}/*/b`, `${ROOT}/pub/*`, `${H}/a/*`, `${ROOT}/w\\ww/*`])}>`,
        );
      case 1:
        return directory(`<DirectoryMatch ${random.pick([`"^${H}/a"`, '/b', `"^${ROOT}/(www|pub)/"`])}>`);
      case 2:
        return directory(`<Directory ~ "^${H}/(a|c)">`);
      case 3:
      case 4:
        return this.filesSection();
      case 5:
      case 6:
      case 7:
        return plain(`<Location ${random.below(12) === 0 ? '"/a/*"' : this.quoted(url)}>`);
      case 8:
        return plain(
          `<${random.pick(['LocationMatch', 'Location ~'])} "${random.pick(['^/a/', '^/(a|pub)/', '\\.bak$', '^/a/b', '/a/*'])}">`,
        );
      default:
        return directory(`<Directory ${this.quoted(this.chance(1) ? `${path}/` : path)}>`);
    }
  }

  private filesSection(): Piece {
    return {
      open: this.random.pick([
        '<Files f>',
        '<Files "x.bak">',
        '<Files ~ "^\\.ht">',
        '<FilesMatch "^\\.ht">',
        '<FilesMatch "\\.bak$">',
        '<Files *>',
        '<Files ".ht*">',
      ]),
      body: this.lines(),
    };
  }

  private inside(lines: Piece[]): Piece[] {
    const { random } = this;
    if (this.chance(4))
      lines.unshift(
        `AllowOverride ${random.pick(['None', 'None', 'All', 'All', 'Limit', 'AuthConfig', 'AuthConfig Limit', 'Limit AuthConfig', 'FileInfo', 'Options Indexes', 'All None', 'None All', 'none', 'ALL', 'Indexes AuthConfig limit'])}`,
      );
    if (this.chance(1)) lines.push(this.filesSection());
    if (this.followsLinks && this.chance(1) && random.below(3) === 0) lines.push('Options FollowSymLinks');
    return lines;
  }

  // --- .htaccess files and links -----------------------------------------------------------------

  private accessFile(): void {
    const { random } = this;
    const there = this.folders.filter((folder) => this.files[`${folder}/f`] !== undefined);
    const holder = random.pick([...HOLDERS, ...there, ...there, ...there]);
    const name = this.chance(8) ? random.pick(this.accessNames) : random.pick(['.htaccess', '.acl']);
    const file = holder === '' ? name : `${holder}/${name}`;
    if ([file, `${file}/f`].some((each) => this.files[each] !== undefined) || this.links[file] !== undefined) return;
    const parts = Object.keys(this.files).filter((each) =>
      /^conf\/(inner\.conf|part|part\.inc|x\.cfg|none)$/.test(each),
    );
    if (random.below(40) === 0) return void (this.files[`${file}/f`] = '');
    if (this.followsLinks && random.below(40) === 0) return void (this.links[file] = 'nowhere');
    if (this.followsLinks && parts.length > 0 && random.below(12) === 0)
      return void (this.links[file] = `${ROOT}/${random.pick(parts)}`);
    if (holder === 'www/node_modules' || holder === 'www/.git') {
      this.files[`${holder}/f`] = '';
      this.urls.add(`${holder.slice(3)}/f`);
    }
    const lines = this.lines(true);
    if (this.chance(2)) lines.push(this.filesSection());
    if (this.chance(1))
      lines.push(
        random.pick([
          'Options -Indexes',
          'DirectoryIndex x',
          'SetEnvIf Host x y',
          'DefaultType text/plain',
          'DefaultType text/plain',
        ]),
      );
    let text = this.text(lines, false);
    if (random.below(25) === 0) text = text.replace(/\n$/, '\\\n');
    if (random.below(40) === 0) text = `\xef\xbb\xbf${text}`;
    if (random.below(15) === 0) {
      const shared = random.pick(['shared/rules', 'shared/rules', 'shared/rules.conf']);
      this.files[shared] ??= text;
      this.links[file] = `${ROOT}/${shared}`;
    } else if (random.below(20) === 0) {
      this.files[`shared/${name}-${random.below(2)}`] = text;
      this.links[file] = `${ROOT}/shared/${name}-${Object.keys(this.files)
        .filter((each) => each.startsWith(`shared/${name}-`))[0]
        .slice(-1)}`;
    } else this.files[file] = text;
  }

  private link(): void {
    const { random } = this;
    const add = (name: string, target: string, ...urls: string[]) => {
      if (this.links[name] !== undefined) return;
      this.links[name] = target;
      for (const url of urls) this.urls.add(url);
    };
    for (let i = random.pick([0, 0, 1, 1, 2]); i > 0; i--) {
      switch (random.below(8)) {
        case 0:
        case 1:
          add('www/cur', 'a', '/cur/f', '/cur/b/f');
          break;
        case 2:
        case 3:
          add('www/out', random.pick([`${ROOT}/pub`, '../pub']), '/out/f', '/out/d/f');
          break;
        case 4:
          add('pub/back', '../www', '/pub/back/f', '/pub/back/a/f', '/out/back/a/f');
          break;
        case 5:
          add('www/a/loop', '.', '/a/loop/f', '/a/loop/loop/b/f');
          break;
        case 6:
          add('www/up', '..', '/up/www/a/f', '/up/pub/f');
          break;
        default:
          add('www/c/deep', '../a/b', '/c/deep/f');
      }
    }
  }

  private secondServer(): ServerSpec {
    const { random } = this;
    const name = random.pick(['conf/second.conf', 'second/httpd.conf', 'second/other.cf']);
    const lines: Piece[] = [
      `ServerRoot "${ROOT}"`,
      'PidFile run/second.pid',
      'Listen 82',
      `DocumentRoot ${random.pick([H, `${ROOT}/pub`])}`,
      {
        open: '<Directory />',
        body: [`AllowOverride ${random.pick(['None', 'All'])}`, ...(this.chance(5) ? this.shut() : [])],
      },
    ];
    for (let i = 1 + random.below(2); i > 0; i--) lines.push(this.section());
    for (const include of this.includes)
      if (this.chance(6)) lines.splice(5 + random.below(lines.length - 4), 0, include);
    this.files[name] = this.text(lines, true);
    this.urls.add('/d/f');
    return this.spec(name);
  }

  /**
   * The server's own files are what somebody copied here, beside the machine's own, and what it
   * serves is on this machine, too, in the same place; but for its .htaccess files.
   */
  private copy(servers: ServerSpec[], main: string): void {
    const isOwn = (file: string) =>
      /^(conf|conf\.d|etc|sites-enabled|\.git|node_modules|\.hidden|httpd\.conf)(\/|$)/.test(file);
    const there: Record<string, string> = {};
    for (const [file, text] of Object.entries(this.files)) {
      const local = text.replaceAll(ROOT, `${ROOT}/machine`);
      delete this.files[file];
      if (isOwn(file)) {
        this.files[`copy/${file}`] = local;
        // Here stands another server's configuration, or none.
        if (this.chance(5)) this.files[`machine/${file}`] = local;
      } else {
        there[`machine/${file}`] = local;
        if (!/\.(htaccess|acl)$|access\.cfg$/.test(file) || this.chance(4)) this.files[`machine/${file}`] = local;
      }
    }
    for (const name of Object.keys(this.links)) delete this.links[name];
    servers[0] = { ...servers[0], main: `copy/${main}`, elsewhere: { from: 'copy', to: 'machine', files: there } };
  }

  // --- Lines -------------------------------------------------------------------------------------

  private shut(): Piece[] {
    return this.converted > 0 && this.chance(3) ? ['Require all denied'] : ['Order deny,allow', 'Deny from all'];
  }

  /** What one section says. */
  private lines(isAccessFile = false): Piece[] {
    const { random } = this;
    const lines: Piece[] = [];
    if (!isAccessFile && this.inner.length > 0 && this.chance(2)) lines.push(this.inner[0]);
    if (this.chance(this.converted))
      return [random.pick(['Require all granted', 'Require all denied', 'Require ip 127.0.0.1', 'Require ip 10'])];
    if (random.below(12) < this.logins) {
      lines.push('AuthType Basic', 'AuthName "members"', `AuthUserFile ${ROOT}/conf/passwd`);
      if (this.chance(3)) lines.push(`AuthGroupFile ${ROOT}/conf/group`);
      if (this.chance(9)) lines.push(...this.requires());
    }
    const what = random.below(10);
    if (what < 7) lines.push(...this.addresses());
    if (what < 8 && this.chance(this.satisfies)) lines.push(`Satisfy ${random.pick(['Any', 'All', 'any'])}`);
    if (what === 8 && this.logins > 0) lines.push(...this.requires());
    if (this.chance(this.limits)) lines.push(this.limit());
    if (this.chance(this.checkers))
      lines.push(
        isAccessFile
          ? random.pick(['SSLRequireSSL', 'SSLRequire true'])
          : random.pick(['SSLRequireSSL', `AuthzSVNAccessFile ${ROOT}/conf/svn`, 'SSLRequire true']),
      );
    if (this.chance(this.kept)) lines.unshift('# httpd-upgrade-ignore order-allow-deny');
    if (this.chance(this.twins)) return this.forBoth();
    if (this.chance(this.branches)) return this.inBranches(lines);
    return lines.map((line) =>
      typeof line === 'string' && /^(allow|deny|order|satisfy|require)/i.test(line) ? this.conditional(line) : line,
    );
  }

  /** Lines for a server with a module, and most often other lines for one without it. */
  private inBranches(lines: readonly Piece[]): Piece[] {
    const { random } = this;
    // The model of a server has mod_dir, mod_userdir and mod_authz_host, and not the others.
    const module = random.pick([
      ...['mod_dav.c', 'dav_module', 'mod_dir.c', 'dir_module', 'mod_dir.c', 'mod_dav.c', 'mod_authz_user.c'],
      ...['mod_userdir.c', 'mod_status.c', 'mod_authz_host.c'],
    ]);
    const [is, isNot] = random.pick([
      ['', '!'],
      ['!', ''],
    ] as const);
    const branch: Piece = { open: `<IfModule ${is}${module}>`, body: lines };
    const others: Piece = { open: `<IfModule ${isNot}${module}>`, body: this.addresses() };
    return random.pick<() => Piece[]>([
      () => [branch],
      () => [branch, others],
      () => [others, branch],
      () => [branch, ...this.addresses()],
      () => [{ open: '<IfModule mod_dir.c>', body: [branch] }],
    ])();
  }

  /** For 2.2 and for 2.4, as web applications come with: most often the same. */
  private forBoth(): Piece[] {
    const { random } = this;
    const [old, fresh] = random.pick([
      [['Order allow,deny', 'Allow from all'], ['Require all granted']],
      [['Order deny,allow', 'Deny from all'], ['Require all denied']],
      [['Deny from all'], ['Require all denied']],
      [['Order deny,allow', 'Deny from all', 'Allow from 10'], ['Require ip 10']],
      [
        ['Order allow,deny', 'Allow from all', 'Deny from 10'],
        ['<RequireAll>', 'Require all granted', 'Require not ip 10', '</RequireAll>'],
      ],
      [['Order allow,deny', 'Allow from all'], ['Require ip 127.0.0.1']],
      [['Order deny,allow', 'Deny from all'], []],
      [[], ['Require all granted']],
    ] as [string[], string[]][]);
    const [before, now] = random.pick([
      ['<IfModule !mod_authz_core.c>', '<IfModule mod_authz_core.c>'],
      ['<IfVersion < 2.4>', '<IfVersion >= 2.4>'],
      ['<IfVersion ~ ^2\\.2>', '<IfVersion !~ ^2\\.2>'],
      ['<IfVersion == /^2\\.2/>', '<IfVersion !< 2.3>'],
      ['<IfModule mod_authz_default.c>', '<IfModule !mod_authz_default.c>'],
    ]);
    // As hosting panels write it: the lines of 2.2 stand outside, and 2.4 reads both.
    const oldPieces: Piece[] = this.chance(4) ? old : [{ open: before, body: old }];
    const halves: Piece[] = [...oldPieces, { open: now, body: fresh }];
    if (oldPieces === old && this.chance(3)) halves.push({ open: before, body: this.addresses() });
    return random.below(2) === 0 ? halves : halves.reverse();
  }

  private addresses(): Piece[] {
    const { random } = this;
    switch (random.below(10)) {
      case 0:
      case 1:
        return ['Order allow,deny', 'Allow from all'];
      case 2:
        return ['Order deny,allow', 'Deny from all', `Allow from ${this.operands()}`];
      case 3:
        return ['Order deny,allow', 'Deny from all'];
      case 4:
        return ['Order allow,deny', 'Deny from all'];
      case 5:
        return ['Order allow,deny', 'Allow from all', `Deny from ${this.operands()}`];
      default: {
        const lines: Piece[] = [];
        if (this.chance(8))
          lines.push(
            `Order ${random.pick(['allow,deny', 'deny,allow', 'Deny,Allow', 'Allow,Deny', 'mutual-failure'])}`,
          );
        for (let i = random.below(3); i > 0; i--) lines.push(`Allow from ${this.operands()}`);
        for (let i = random.below(3); i > 0; i--) lines.push(`Deny from ${this.operands()}`);
        return lines.sort(() => random.next() - 0.5);
      }
    }
  }

  private operands(): string {
    const { random } = this;
    if (this.chance(3)) return random.pick(['all', 'All']);
    const pool = [
      '10',
      '10.1',
      '10.1.2.3',
      '127.0.0.1',
      '127.0.0.1',
      '127.0.1',
      '192.168.0.0/16',
      '127.0.2.0/255.255.255.0',
      'env=ok',
      'env=!ok',
      'env=bad',
      'none',
    ];
    return Array.from({ length: random.pick([1, 1, 1, 2]) }, () => random.pick(pool)).join(' ');
  }

  private requires(): Piece[] {
    const { random } = this;
    return Array.from(
      { length: random.pick([1, 1, 1, 1, 2]) },
      () =>
        `Require ${random.pick(['valid-user', 'valid-user', 'valid-user', 'user ann', 'user ann bob', 'user "ann"', 'group staff', 'Valid-User', 'VALID-USER', '"valid-user"', 'user CORP\\bob', 'USER carol'])}`,
    );
  }

  private limit(): Piece {
    const { random } = this;
    const open = `<${random.pick(['Limit', 'LimitExcept'])} ${random.pick(['GET', 'GET POST', 'POST', 'PUT DELETE', 'HEAD', 'GET POST OPTIONS'])}>`;
    const body = random.pick([() => this.addresses(), () => this.requires(), () => ['Deny from all']])();
    return {
      open:
        this.chance(this.dress) && this.chance(2)
          ? `'${open.split(' ')[0]}' ${open.slice(open.indexOf(' ') + 1)}`
          : open,
      body: body.length > 0 ? body : ['Deny from all'],
    };
  }

  /** All forms of conditions that may be another one in each version. */
  private condition(): string {
    const { random } = this;
    const module = () =>
      random.pick([
        ...['prefork.c', 'worker.c', 'event.c', 'mpm_prefork_module', 'mpm_worker_module', 'mpm_event_module'],
        ...['mod_authz_default.c', 'authn_alias_module', 'mod_mem_cache.c', 'mod_unixd.c', 'mod_authn_core.c'],
        ...['mod_access_compat.c', 'mod_cache_disk.c', 'mod_authz_core', 'authz_host', 'mod_access.c', 'rewrite.c'],
      ]);
    const version = () =>
      random.pick(['2.0', '2.2', '2.2.15', '2.2.35', '2.3', '2.3.9', '2.4', '2.4.1', '2.4.99', '3']);
    switch (random.below(5)) {
      case 0:
      case 1:
        return `<IfModule ${random.pick(['', '!'])}${module()}>`;
      case 2:
        return `<IfVersion ${random.pick(['~', '!~'])} ${random.pick(['^2\\.2', '^2.4', '^2\\.[46]', '/^2\\.2/', '2\\.2|2\\.4', '"^2\\.2"'])}>`;
      case 3:
        return `<IfVersion ${random.pick(['= ', '== ', '!= ', '!== ', ''])}${random.pick(['/^2\\.2/', '/2\\.4/', '/^[23]/', '2.2', '2.2.35', '2.4'])}>`;
      default:
        return `<IfVersion ${random.pick(['<', '<=', '>', '>=', '!<', '!<=', '!>', '!>='])} ${version()}>`;
    }
  }

  private conditional(piece: Piece): Piece {
    if (this.random.below(12) >= this.conditions) return piece;
    if (this.random.below(12) === 0)
      return {
        open: this.random.pick(['<IfDefine FLAG>', '<IfDefine !FLAG>', '<IfDefine NEW>']),
        body: [{ open: this.random.pick(['<IfDefine !FLAG>', '<IfDefine !NEW>', '<IfVersion < 2.4>']), body: [piece] }],
      };
    return {
      open: this.random.pick([
        '<IfModule mod_none.c>',
        '<IfDefine FLAG>',
        '<IfDefine !FLAG>',
        '<IfDefine NEW>',
        '<IfDefine !NEW>',
        '<IfModule none_module>',
        '<IfModule authz_host_module>',
        '<IfModule !authz_user_module>',
        '<IfModule authz_core_module>',
        '<IfModule !authz_core_module>',
        '<IfModule !mod_none.c>',
        '<IfModule mod_authz_host.c>',
        '<IfModule mod_alias.c>',
        '<IfVersion < 2.4>',
        '<IfVersion >= 2.2>',
        '<IfModule mod_authz_core.c>',
        '<IfModule !mod_authz_core.c>',
        '<IfModule mod_authz_user.c>',
        this.condition(),
        this.condition(),
        this.condition(),
        this.condition(),
      ]),
      body: [piece],
    };
  }

  // --- As people write them ----------------------------------------------------------------------

  private quoted(text: string): string {
    return this.chance(3) ? `"${text}"` : text;
  }

  private text(pieces: readonly Piece[], isMain: boolean): string {
    const text =
      this.random.below(12) === 0
        ? `# f\xfcr Mitglieder\n${this.print(pieces, '').replaceAll('AuthName "members"', 'AuthName "Mitglieder f\xfcr alle"')}`
        : this.print(pieces, '');
    return !isMain && this.chance(this.dress) && this.chance(3)
      ? text.replace(/\n/g, '\r\n')
      : this.chance(this.dress) && this.chance(2)
        ? text.replace(/\n$/, '')
        : text;
  }

  private print(pieces: readonly Piece[], indent: string): string {
    return pieces
      .map((piece) => {
        if (typeof piece === 'string') return `${indent}${this.dressed(piece)}\n`;
        const name = /^['"]?<(\w+)/.exec(piece.open)![1];
        return `${indent}${this.dressed(piece.open)}\n${this.print(piece.body, `${indent}    `)}${indent}</${name}>\n`;
      })
      .join('');
  }

  private dressed(line: string): string {
    const { random } = this;
    if (this.hasOddCase && this.chance(4) && ACCESS_WORD.test(line))
      return line.replace(/^\w+/, (word) => random.pick([word.toLowerCase(), word.toUpperCase(), oddly(word)]));
    if (!this.chance(this.dress) || line.startsWith('#')) return line;
    switch (random.below(5)) {
      case 0:
        return line.replace(/^<?\w+/, (word) => word.toUpperCase());
      case 1:
        return line.startsWith('<') || line.startsWith("'") ? line : line.replace(/ (?=\S+$)/, ' \\\n        ');
      case 2:
        return line.replace(/^<?\w+/, (word) => word.toLowerCase());
      case 3:
        return line.startsWith('<') || line.startsWith("'") ? line : `# was Deny from all\n${line}\t`;
      default:
        return /^(Allow|Deny) from/.test(line) ? line.replace(/ from (\S+)$/, ' from "$1"') : line;
    }
  }
}
