/**
 * The settings `httpdUpgrade.*`, each once: the manifest and the README's table are written from here (settings/generated-files.ts). What the
 * language server makes of their values is lsp/settings.ts; what a team shares stands in .httpd-upgrade.json (analysis/project-settings.ts).
 */
export interface Setting {
  /** Without `httpdUpgrade.`. */
  readonly name: string;
  /** The last cell of its row in the README, or the setting whose row it shares; left out for one that the README does not name. */
  readonly readme?: string | { readonly joins: string };
  /** As an editor takes it: `contributes.configuration` of a manifest. `order` is the place on the page of the settings. */
  readonly manifest: { readonly order: number; readonly default: unknown } & Readonly<Record<string, unknown>>;
}

/** In the order of the README's table. */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'target',
    readme: 'the version that the configuration must run on: `2.4`, or a release such as `2.4.6`; later changes are then not reported',
    manifest: {
      order: 1,
      type: 'string',
      default: '2.4',
      pattern: '^2\\.4(\\.\\d{1,3})?$',
      patternErrorMessage: '2.4, or 2.4 with a number, for example 2.4.57.',
      scope: 'resource',
      markdownDescription: 'The version of httpd that the configuration must run on: `2.4` for the newest, or a release such as `2.4.57`. Changes of later releases are not reported, and their directives are not offered.',
    },
  },
  {
    name: 'distribution',
    readme: 'who built the server: `debian`, `rhel`, `upstream`; `auto` decides by the paths in the configuration',
    manifest: {
      order: 2,
      type: 'string',
      enum: ['auto', 'debian', 'rhel', 'upstream'],
      enumDescriptions: ['Decided by the paths in the configuration', 'Debian, Ubuntu', 'Red Hat, CentOS, Fedora', 'Built from the sources of httpd'],
      default: 'auto',
      scope: 'resource',
      markdownDescription: 'Who built the server. This decides which modules are compiled in, and how `LoadModule` lines look.',
    },
  },
  {
    name: 'severity',
    readme: 'for each rule `error`, `warning`, `info`, `hint` or `off`',
    manifest: {
      order: 4,
      type: 'object',
      default: {},
      scope: 'resource',
      additionalProperties: { type: 'string', enum: ['off', 'hint', 'info', 'warning', 'error'] },
      markdownDescription: 'How problems of a rule are shown: `off`, `hint`, `info`, `warning` or `error`, by the name of the rule. For example `{ "order-allow-deny": "info" }`. The command *httpd-upgrade: Open the page of a rule* lists the rules.',
    },
  },
  {
    name: 'accessControl.source',
    readme: 'the server whose access control conversions must keep: `2.2`, or `2.4` with mod_access_compat',
    manifest: {
      order: 16,
      type: 'string',
      enum: ['2.2', '2.4'],
      enumDescriptions: ['httpd 2.2', 'httpd 2.4 with mod_access_compat, for a server that is already upgraded'],
      default: '2.2',
      scope: 'resource',
      markdownDescription: 'The server whose access control a conversion must keep. The two differ where `Satisfy Any` applies: see the rule `access-compat-differs`.',
    },
  },
  {
    name: 'accessControl.assumeStandalone',
    readme: 'no file outside of the workspace restricts access: fixes that only depend on this count as safe',
    manifest: {
      order: 5,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription: 'Convert `Order`, `Allow`, `Deny` and `Satisfy` as if the files in this directory were the whole configuration. Switch this on only if no file outside of it (on the server, or a `.htaccess` file) has access control for the same requests.',
    },
  },
  {
    name: 'roots',
    readme: 'main configuration files, as paths below the workspace directory; if empty, they are found',
    manifest: {
      order: 10,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription: 'The main configuration files, as paths below the workspace directory: `conf/httpd.conf`. If this is empty, they are found: files with `ServerRoot` or `PidFile` that no other file includes.',
    },
  },
  {
    name: 'defines',
    readme: 'names that the server is started with: `NAME` or `NAME=VALUE` for each `-D`',
    manifest: {
      order: 11,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription: 'Names that the server is started with: `NAME` or `NAME=VALUE` for each `-D`. If this is empty, it is not known which `<IfDefine>` sections are used. If it has names, all other names count as not defined, unless a `Define` line defines them.',
    },
  },
  {
    name: 'serverRoot',
    readme: 'where the files of the server are on this machine: `{ "/etc/httpd": "./etc/httpd" }`; if empty, the place of the main file decides',
    manifest: {
      order: 12,
      type: 'string',
      default: '',
      scope: 'resource',
      markdownDescription: 'The directory on this machine that `ServerRoot` stands for. If this is empty, the `ServerRoot` line and the place of the main file decide.',
    },
  },
  {
    name: 'pathMap',
    readme: { joins: 'serverRoot' },
    manifest: {
      order: 13,
      type: 'object',
      default: {},
      additionalProperties: { type: 'string' },
      scope: 'resource',
      markdownDescription: 'Where directories of the server are on this machine, if the files were copied: `{ "/etc/httpd": "./etc/httpd" }`. Relative paths start at the workspace directory.',
    },
  },
  {
    name: 'builtinModules',
    readme: 'compiled-in modules, as `httpd -l` lists them; if empty, the distribution decides',
    manifest: {
      order: 14,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription: 'Modules that are compiled into the server, as `httpd -l` lists them: `mod_so.c`, `prefork.c`. If this is empty, the distribution decides.',
    },
  },
  {
    name: 'fadeInactive',
    readme: 'show text that httpd does not read in a faded colour',
    manifest: {
      order: 15,
      type: 'boolean',
      default: true,
      scope: 'resource',
      markdownDescription: 'Show text that httpd does not read in a faded colour: sections such as `<IfModule>`, `<IfDefine>` and `<IfVersion>` whose condition is false.',
    },
  },
  {
    name: 'workspaceDiagnostics',
    readme: 'also check files that are not open',
    manifest: {
      order: 3,
      type: 'boolean',
      default: true,
      scope: 'window',
      markdownDescription: 'Also check configuration files that are not open. Off in restricted mode.',
    },
  },
  {
    name: 'verify.command',
    readme: 'the program for *Check the configuration with httpd -t*: a path, or a command such as `docker exec web httpd`; if empty, an httpd 2.4 is searched for',
    manifest: {
      order: 17,
      type: 'string',
      default: '',
      scope: 'machine-overridable',
      markdownDescription: 'The program for *Check the configuration with httpd -t*: a path such as `/usr/local/apache2/bin/httpd`, or a command such as `docker exec web httpd`. If this is empty, an httpd 2.4 is searched for. No server is started, and nothing runs in restricted mode.',
    },
  },
  {
    name: 'invitation',
    readme: 'say once in a workspace that its configuration can be upgraded',
    manifest: {
      order: 18,
      type: 'boolean',
      default: true,
      scope: 'window',
      markdownDescription: 'Say once in a workspace that its configuration is for httpd 2.2, and offer a plan of the upgrade.',
    },
  },
  {
    name: 'autoClosingTags',
    readme: 'write the closing tag when you type the `>` of an opening tag',
    manifest: {
      order: 19,
      type: 'boolean',
      default: true,
      scope: 'language-overridable',
      markdownDescription: 'Write the closing tag when you type the `>` of an opening tag such as `<Directory /srv>`.',
    },
  },
  {
    name: 'format.alignment',
    readme: 'what formatting does with columns: `keep` them, or `none`',
    manifest: {
      order: 22,
      type: 'string',
      enum: ['keep', 'none'],
      enumDescriptions: ['Columns that somebody made stay columns.', 'One blank between words, everywhere.'],
      default: 'keep',
      scope: 'language-overridable',
      markdownDescription: 'What formatting does with columns, such as `ServerName    a` above `DocumentRoot  /srv`.',
    },
  },
  {
    name: 'maxFindings',
    readme: 'the largest number of problems shown for one file',
    manifest: {
      order: 6,
      type: 'integer',
      default: 1000,
      minimum: 1,
      scope: 'resource',
      markdownDescription: 'The largest number of problems that are shown for one file.',
    },
  },
  {
    name: 'inlayHints.inherited',
    readme: 'after `<VirtualHost>`, show what it inherits from the main server',
    manifest: {
      order: 7,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription: 'Show after `<VirtualHost …>` which settings the virtual host inherits from the main server, and whether it inherits rewrite rules. Ctrl+click or Cmd+click opens the line.',
    },
  },
  {
    name: 'inlayHints.defaults',
    readme: 'show defaults that apply because a directive is not set, if 2.2 had another default',
    manifest: {
      order: 8,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription: 'Show the defaults that apply because a directive is not set, if httpd 2.2 had another default: after `ServerRoot` for the main server, after `<Directory …>` for `AllowOverride`.',
    },
  },
  {
    name: 'codeLens',
    readme: 'show above a virtual host what it serves and who has access, and above macros and variables how often they are used',
    manifest: {
      order: 21,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription: 'Show above `<VirtualHost …>` what it serves and who has access by its own lines, and above `<Macro …>` and `Define` how often they are used.',
    },
  },
  {
    name: 'trace.server',
    manifest: {
      order: 9,
      type: 'string',
      default: 'off',
      enum: ['off', 'messages', 'verbose'],
      enumDescriptions: ['Nothing.', 'Each message\'s name.', 'Each message with its content.'],
      scope: 'window',
      markdownDescription: 'Write the messages between the editor and the language server to the output. Use this for reports of problems.',
    },
  },
];
