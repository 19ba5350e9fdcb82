/**
 * Makes random 2.2 configurations in usual shapes that are hard to convert: three levels of
 * directories, several sections for one path, wildcards and regular expressions, virtual hosts and
 * main server, nested sections, limits, conditionals, snippets that are included once and twice,
 * and .htaccess files with each kind of AllowOverride.
 */
import type { Random } from '../support/random';
import type { Client, Site } from './server-model';

/** A line, or a section with its tag. */
export type Piece = string | { readonly open: string; readonly body: readonly Piece[] };

export interface Generated {
  readonly files: Readonly<Record<string, readonly Piece[]>>;
  /** What `<IfDefine>` finds. */
  readonly defines: readonly string[];
  /** The same in 2.4, where it is something else: other modules have other names. */
  readonly defines24?: readonly string[];
}

export const ROOT = '/srv/g';
export const MAIN = `${ROOT}/conf/httpd.conf`;
const DOCUMENTS = `${ROOT}/htdocs`;
export const FOLDERS = [
  '/srv',
  ROOT,
  DOCUMENTS,
  `${DOCUMENTS}/a`,
  `${DOCUMENTS}/a/b`,
  `${DOCUMENTS}/a/b/c`,
  `${DOCUMENTS}/ab`,
  `${ROOT}/other`,
  `${ROOT}/other/b`,
];
export const FILES = ['index.html', 'secret.txt', 'x.bak'];
export const URLS = ['/', '/a', '/ab', '/a/b', '/a/b/c', '/b', '/o', '/o/b', '/other']
  .flatMap((folder) => ['', ...FILES].map((file) => `${folder === '/' ? '' : folder}/${file}`))
  .concat('/a//b/secret.txt', '/status', '/a/status', '/statusx', '/a/b/secret.txt/more');

/** Path to text; with a base, everything lies below that folder. */
export function textsOf({ files }: Generated, base = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, pieces]) => [base + path, print(pieces, '').replaceAll('/srv', `${base}/srv`)]),
  );
}

export function siteOf(
  { defines, defines24 = defines }: Generated,
  texts: Readonly<Record<string, string>>,
  base = '',
): Site {
  const defined = new Set([...defines, 'mod_alias.c']);
  const around = base
    .split('/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))
    .slice(1);
  return {
    root: base + MAIN,
    texts,
    serverRoot: base + ROOT,
    defined: { '2.2': defined, '2.4': new Set([...defines24, 'mod_alias.c']) },
    folders: new Set([...around, ...FOLDERS.map((folder) => base + folder)]),
    files: new Set(FOLDERS.flatMap((folder) => FILES.map((file) => `${base}${folder}/${file}`))),
  };
}

export function randomClient(random: Random): Client {
  const [address, name] = random.pick([
    ['10.1.2.3', null],
    ['10.9.9.9', 'www.example.org'],
    ['192.168.0.1', 'example.org'],
    ['127.0.0.1', 'localhost'],
    ['2001:db8::5', null],
    ['::1', 'badexample.org'],
    ['10.1.9.9', 'none'],
    ['192.168.7.7', 'host.none'],
  ] as const);
  const variables = new Set(['ok', 'bad'].filter(() => random.below(2) === 0));
  const user = random.pick([null, 'ann', 'bob', 'carol']);
  return { address, name, variables, user, groups: user === 'bob' ? ['staff'] : user === 'carol' ? ['others'] : [] };
}

export function randomConfiguration(random: Random): Generated {
  return new Writer(random).run();
}

/** Every configuration with one piece less, or with a section's body in its place. */
export function* smaller(generated: Generated): Generator<Generated> {
  for (const path of Object.keys(generated.files)) {
    if (path !== MAIN) {
      const files = { ...generated.files };
      delete files[path];
      yield { ...generated, files };
    }
    for (const pieces of smallerPieces(generated.files[path]))
      yield { ...generated, files: { ...generated.files, [path]: pieces } };
  }
  for (let i = 0; i < generated.defines.length; i++)
    yield { ...generated, defines: generated.defines.filter((_, at) => at !== i) };
}

// ---------------------------------------------------------------------------------------------------------------------

function* smallerPieces(pieces: readonly Piece[]): Generator<readonly Piece[]> {
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i];
    const but = (...others: readonly Piece[]) => [...pieces.slice(0, i), ...others, ...pieces.slice(i + 1)];
    yield but();
    if (typeof piece === 'string') {
      const words = piece.split(' ');
      if (/^(allow|deny)$/i.test(words[0]) && words.length > 3)
        for (let at = 2; at < words.length; at++) yield but(words.filter((_, w) => w !== at).join(' '));
      continue;
    }
    if (/^<(limit|if)/i.test(piece.open)) yield but(...piece.body);
    for (const body of smallerPieces(piece.body)) yield but({ ...piece, body });
  }
}

function print(pieces: readonly Piece[], indent: string): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return `${indent}${piece}\n`;
      return `${indent}${piece.open}\n${print(piece.body, `${indent}    `)}${indent}</${/^<(\w+)/.exec(piece.open)![1]}>\n`;
    })
    .join('');
}

class Writer {
  private readonly files: Record<string, readonly Piece[]> = {};
  private snippets = 0;
  /**
   * Some configurations have logins nearly everywhere, some nearly nowhere; and so on for what else
   * matters.
   */
  private readonly logins: number;
  private readonly limits: number;
  private readonly conditionals: number;
  private readonly names: number;

  constructor(private readonly random: Random) {
    this.logins = random.pick([0, 2, 5, 10]);
    this.limits = random.pick([0, 0, 2, 6]);
    this.conditionals = random.pick([0, 0, 0, 1]);
    this.names = random.pick([0, 3]);
  }

  run(): Generated {
    const { random } = this;
    const modules = random.pick([
      ['authz_user', 'authz_groupfile'],
      ['authz_groupfile', 'authz_user'],
    ]);
    const main: Piece[] = [
      `ServerRoot ${ROOT}`,
      ...modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
      `DocumentRoot ${random.pick([DOCUMENTS, DOCUMENTS, `"${DOCUMENTS}/"`, 'htdocs'])}`,
    ];
    const aliases = [
      `Alias /o ${ROOT}/other`,
      `Alias /a/b/ ${ROOT}/other/`,
      `ScriptAlias /other/ ${ROOT}/other/`,
      `Alias /b ${DOCUMENTS}/a/b`,
    ];
    for (const alias of aliases) if (this.chance(2)) main.push(alias);
    main.push({
      open: '<Directory />',
      body: [
        ...(this.chance(1)
          ? []
          : [
              `AllowOverride ${random.pick(['None', 'None', 'All', 'All', 'Limit', 'AuthConfig', 'AuthConfig Limit'])}`,
            ]),
        ...(this.chance(4) ? this.lines() : []),
      ],
    });
    const count = 1 + random.below(6);
    for (let i = 0; i < count; i++) main.push(this.conditional(this.section()));
    if (this.chance(3)) {
      for (let i = 1 + random.below(2); i > 0; i--) {
        const body: Piece[] = [`ServerName host${i}`];
        if (this.chance(4)) body.push(`DocumentRoot ${random.pick([`${DOCUMENTS}/a`, `${ROOT}/other`, DOCUMENTS])}`);
        if (this.chance(2)) body.push(random.pick(aliases));
        for (let j = random.below(3); j > 0; j--) body.push(this.section());
        main.push({ open: '<VirtualHost *:80>', body });
      }
    }
    if (this.chance(2)) main.push(this.section());
    for (const folder of ['a', 'a/b']) {
      if (this.chance(3))
        this.files[`${DOCUMENTS}/${folder}/.htaccess`] = [
          ...this.lines(true),
          ...(this.chance(2) ? [this.filesSection(true)] : []),
        ];
    }
    this.files[MAIN] = main;
    return { files: this.files, defines: this.chance(5) ? ['FLAG', 'mod_some.c'] : [] };
  }

  private chance(ofTen: number): boolean {
    return this.random.below(10) < ofTen;
  }

  private section(): Piece {
    const { random } = this;
    const path = random.pick([
      DOCUMENTS,
      `${DOCUMENTS}/a`,
      `${DOCUMENTS}/a/b`,
      `${DOCUMENTS}/a/b/c`,
      `${DOCUMENTS}/ab`,
      `${ROOT}/other`,
      `${ROOT}/other/b`,
      '/srv',
    ]);
    const url = random.pick([
      '/',
      '/a',
      '/a/b',
      '/ab',
      '/o',
      '/b',
      '/other',
      '/status',
      '/a/',
      '/a/secret.txt',
      '/a/b/',
      '/a/b/c',
    ]);
    const quote = (text: string) => (this.chance(3) ? `"${text}"` : text);
    const directory = (open: string): Piece => ({ open, body: this.withNested(this.lines()) });
    const plain = (open: string): Piece => ({ open, body: this.lines() });
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return directory(
          `<Directory ${quote(this.chance(1) ? `${path}/` : this.chance(1) ? `${path}/../${path.slice(path.lastIndexOf('/') + 1)}` : path)}>`,
        );
      case 5:
        return directory(
          `<Directory ${random.pick([`${ROOT}/*/a`, `${DOCUMENTS}/*`, `${ROOT}/*`, `${DOCUMENTS}/a?`, '/*', `${DOCUMENTS}/*/b`, `${DOCUMENTS}/[ab]*`, `${ROOT}/h\\tdocs/*`, `${ROOT}/\\*/a`])}>`,
        );
      case 6:
        return directory(
          `<DirectoryMatch ${random.pick([`"^${DOCUMENTS}/a"`, `^${DOCUMENTS}/a/`, '/b', `"^${ROOT}/(htdocs|other)/b"`, `"^${DOCUMENTS}/ab?"`, `"${DOCUMENTS}/a$"`, '"secret"'])}>`,
        );
      case 7:
        return directory(`<Directory ~ ${random.pick([`"^${DOCUMENTS}/a"`, '"/a/b/"', '"^/srv"'])}>`);
      case 8:
        return this.filesSection();
      case 9:
      case 10:
      case 11:
        return plain(`<Location ${quote(url)}>`);
      case 12:
        return plain(`<Location ${random.pick(['/a*', '/*/b', '/a/*', '/*', '/a?', '"/\\a*"'])}>`);
      default:
        return plain(
          `<${random.pick(['LocationMatch', 'Location ~'])} ${random.pick([`"^${url}"`, '"^/(a|o)/"', '"secret"', '"^/a/?b?"', '"\\.txt$"', `"^${url}$"`, '/a/*', '/a*'])}>`,
        );
    }
  }

  private filesSection(isHtaccess = false): Piece {
    const open = this.random.pick([
      '<Files secret.txt>',
      '<Files "index.html">',
      '<Files *.bak>',
      '<FilesMatch "\\.(txt|bak)$">',
      '<Files ~ "^secret">',
      '<Files *>',
      '<FilesMatch "^$">',
      '<Files ?*>',
      '<FilesMatch "e">',
    ]);
    return { open, body: this.lines(isHtaccess) };
  }

  private withNested(lines: Piece[]): Piece[] {
    if (this.chance(2)) lines.push(this.filesSection());
    if (this.chance(1)) lines.push(this.filesSection());
    if (this.chance(1)) lines.push(`AllowOverride ${this.random.pick(['None', 'All', 'Limit', 'AuthConfig'])}`);
    return lines;
  }

  /** What one section says. */
  private lines(isHtaccess = false): Piece[] {
    const { random } = this;
    const lines: Piece[] = [];
    if (random.below(12) < this.logins) {
      lines.push(
        `AuthType ${this.chance(1) ? 'None' : 'Basic'}`,
        'AuthName "members"',
        `AuthUserFile ${ROOT}/conf/passwd`,
      );
      if (this.chance(6)) lines.push(`AuthGroupFile ${ROOT}/conf/group`);
      if (this.chance(8)) lines.push(...this.requires());
    }
    const what = random.below(10);
    if (what < 7) lines.push(...this.hosts());
    if (what === 7) lines.push(`Satisfy ${random.pick(['Any', 'All', 'any'])}`);
    if (what < 7 && this.chance(2)) lines.push(`Satisfy ${random.pick(['Any', 'All'])}`);
    if (what === 8 && this.logins > 0) lines.push(...this.requires());
    if (random.below(10) < this.limits) lines.push(this.limit(isHtaccess));
    if (this.chance(1)) lines.splice(random.below(lines.length + 1), 0, 'Options FollowSymLinks', '# Deny from all');
    const wrapped = lines.map((line) =>
      typeof line === 'string' && /^(allow|deny|order|satisfy|require)/i.test(line) ? this.conditional(line) : line,
    );
    // Include is not allowed in a .htaccess.
    if (!isHtaccess && this.chance(1) && random.below(3) === 0) return [`Include ${this.snippet(wrapped)}`];
    return wrapped;
  }

  private hosts(): Piece[] {
    const { random } = this;
    const lines: Piece[] = [];
    for (let i = random.pick([0, 1, 1, 1, 1, 2]); i > 0; i--)
      lines.push(`Order ${random.pick(['allow,deny', 'deny,allow', 'Deny,Allow', 'Allow,Deny', 'mutual-failure'])}`);
    for (let i = random.below(3); i > 0; i--) lines.push(`${random.pick(['Allow', 'allow'])} from ${this.operands()}`);
    for (let i = random.below(3); i > 0; i--) lines.push(`Deny from ${this.operands()}`);
    return lines.sort(() => random.next() - 0.5);
  }

  private operands(): string {
    const { random } = this;
    if (this.chance(4)) return random.pick(['all', 'All', 'all']);
    const pool = [
      '10',
      '10.1',
      '10.1.2.3',
      '10.0.0.0/8',
      '127.0.0.1',
      '10.1.0.0/255.255.0.0',
      'env=ok',
      'env=!ok',
      'env=bad',
      '2001:db8::/32',
      '::1',
    ];
    if (random.below(10) < this.names)
      pool.push('example.org', '.example.org', 'www.example.org', 'Example.ORG', 'localhost', 'none', 'None');
    return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.pick(pool)).join(
      random.pick([' ', ' ', ' ', '  ', ' \\\n    ']),
    );
  }

  private requires(): Piece[] {
    const { random } = this;
    return Array.from(
      { length: random.pick([1, 1, 1, 2]) },
      () =>
        `Require ${random.pick(['valid-user', 'valid-user', 'user ann', 'user ann  bob', 'user "ann"', 'group staff', 'Valid-User', 'User carol', ...(this.chance(1) ? ['LDAP-User ann'] : [])])}`,
    );
  }

  private limit(isHtaccess: boolean): Piece {
    const { random } = this;
    const name = random.pick(['Limit', 'LimitExcept']);
    const methods = random.pick(['GET', 'GET POST', 'POST', 'PUT DELETE', 'HEAD', 'GET POST OPTIONS']);
    const body = random.pick([
      () => this.hosts(),
      () => this.requires(),
      () => [...this.hosts(), ...this.requires()],
      () => ['Satisfy Any'],
    ])();
    const said = body.length > 0 ? body : ['Deny from all'];
    const inner: Piece = { open: `<${name} ${methods}>`, body: this.chance(2) ? ['# by method', ...said] : said };
    // 2.2 takes no limit in a limit, and answers 500 where it stands in a .htaccess.
    return !isHtaccess && random.below(20) === 0 ? { open: '<Limit GET POST>', body: [inner] } : inner;
  }

  private conditional(piece: Piece): Piece {
    if (this.random.below(14) >= this.conditionals) return piece;
    return {
      open: this.random.pick([
        '<IfModule mod_some.c>',
        '<IfDefine FLAG>',
        '<IfDefine !FLAG>',
        '<IfModule !mod_some.c>',
      ]),
      body: [piece],
    };
  }

  private snippet(lines: readonly Piece[]): string {
    if (this.snippets > 0 && this.chance(4)) return 'conf/snippet1.conf';
    this.snippets++;
    this.files[`${ROOT}/conf/snippet${this.snippets}.conf`] = lines;
    return `conf/snippet${this.snippets}.conf`;
  }
}
