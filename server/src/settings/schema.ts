/**
 * Defines all settings, each once. The manifest, docs/settings.md and the schema of
 * `.httpd-upgrade.json` are generated from these definitions (settings/generated-files.ts).
 *
 * The definitions also describe how to read the values of an editor (settings/values.ts), the
 * simple values of `.httpd-upgrade.json` (settings/project-file.ts has readers for the others) and
 * the options of the command line (settings/options.ts).
 */
import type { EngineOptions } from '../analysis/engine-view';
import { DISTRIBUTIONS, PROFILES } from '../config/distribution';
import { SEVERITIES } from '../rules/rule';

/** One setting, with all its forms. */
export interface Setting {
  /** The name without `httpdUpgrade.`. */
  readonly name: string;
  /** The heading of the setting on the settings page of the editor. */
  readonly group: keyof typeof SETTING_GROUPS;
  /**
   * The text in the last cell of the setting's row in docs/settings.md. `joins`: the setting whose
   * row this setting shares. Undefined if the page does not list the setting.
   */
  readonly tableText?: string | { readonly joins: string };
  /**
   * The setting's entry in `contributes.configuration` of the manifest. `order` is its place on the
   * settings page.
   */
  readonly manifest: ValueSchema & { readonly order: number; readonly default: unknown } & Readonly<
      Record<string, unknown>
    >;
  /** The setting's form in `.httpd-upgrade.json`, for settings of a team. */
  readonly project?: {
    readonly key: string;
    readonly description: string;
    /** The setting's name in messages: `The target is …`. */
    readonly subjectOfMessages?: string;
    /** The expected value in words, for messages; undefined if `enum` shows it. */
    readonly expects?: string;
    /**
     * The parts of the JSON schema for `.httpd-upgrade.json` that differ from the schema of the
     * editor's setting. Absent if both are equal.
     */
    readonly schema?: Readonly<Record<string, unknown>>;
  };
  /**
   * The engine option that gets the value, for a setting that changes findings or fixes
   * (settings/engine-options.ts).
   */
  readonly engine?: keyof EngineOptions;
  /**
   * The setting's option on the commands that read a configuration (settings/options.ts).
   * cli/program.ts has the options of settings with a more complex value.
   */
  readonly option?: {
    /** `--name`, or `--name <value>`. */
    readonly flags: string;
    readonly description: string;
    /** The heading under which the help lists the option. */
    readonly about: 'server' | 'knowledge';
  };
}

/** The keywords of JSON Schema that a setting may use. `fittingPart` (values.ts) checks values. */
export interface ValueSchema {
  readonly type: 'string' | 'boolean' | 'integer' | 'array' | 'object';
  readonly enum?: readonly string[];
  /**
   * A pattern of values that are allowed besides the words of `enum`. Editors offer only the words.
   */
  readonly orPattern?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: ValueSchema;
  readonly additionalProperties?: ValueSchema;
}

/** The severities of a rule, the lowest first. */
export const SEVERITY_LEVELS = ['off', ...[...SEVERITIES].reverse()] as const;

/** The headings of the settings page, by group, in their order. */
export const SETTING_GROUPS = {
  servers: 'The 2.2 Server and the 2.4 Server',
  files: 'Files and Directories',
  problems: 'Problems and Fixes',
  editor: 'Editor',
  programs: 'Programs and Logs',
} as const;

/** All settings, in the order of the table in docs/settings.md. */
export const SETTINGS = [
  {
    name: 'target',
    group: 'servers',
    tableText:
      'the version of the 2.4 server: `2.4`, or a release such as `2.4.6`; changes of later releases are not reported',
    manifest: {
      order: 1,
      type: 'string',
      default: '2.4',
      pattern: '^2\\.4(\\.\\d{1,3})?$',
      patternErrorMessage: '2.4, or 2.4 with a number, for example 2.4.57.',
      scope: 'resource',
      markdownDescription:
        'The version of the 2.4 server: `2.4` for the newest, or a release such as `2.4.57`. Changes of later releases are not reported, and their directives are not offered.',
    },
    project: {
      key: 'target',
      subjectOfMessages: 'The target',
      expects: '"2.4" or a release such as "2.4.6"',
      description:
        'The version of httpd that the configuration must run on: 2.4 for the newest, or a release such as 2.4.6.',
    },
  },
  {
    name: 'distribution',
    group: 'servers',
    tableText: `who built the server: ${DISTRIBUTIONS.map((name) => `\`${name}\``).join(', ')}; \`auto\` finds it by the paths in the configuration`,
    manifest: {
      order: 3,
      type: 'string',
      enum: ['auto', ...DISTRIBUTIONS],
      enumDescriptions: [
        'The program finds the distribution by the paths in the configuration, such as /etc/httpd',
        ...DISTRIBUTIONS.map((name) => PROFILES[name].title.replace(/^./, (first) => first.toUpperCase())),
      ],
      default: 'auto',
      scope: 'resource',
      markdownDescription:
        'The distribution or project that built the server. The compiled-in modules and the form of `LoadModule` lines depend on it.',
    },
    project: {
      key: 'distribution',
      subjectOfMessages: 'The distribution',
      description:
        'The distribution or project that built the server. The compiled-in modules and the form of LoadModule lines depend on it.',
    },
  },
  {
    name: 'severity',
    group: 'problems',
    tableText: 'for each rule `error`, `warning`, `info`, `hint` or `off`',
    manifest: {
      order: 9,
      type: 'object',
      default: {},
      scope: 'resource',
      additionalProperties: { type: 'string', enum: SEVERITY_LEVELS },
      markdownDescription:
        'The severity of each rule: `off`, `hint`, `info`, `warning` or `error`. For example `{ "order-allow-deny": "info" }`. The command *httpd-upgrade: Open the Page of a Rule* lists the rules.',
    },
    project: { key: 'severity', description: 'The severity of each rule, by the name of the rule.' },
  },
  {
    name: 'accessControl.source',
    group: 'servers',
    tableText:
      'the version that the server runs now: `2.2`, `2.4` with mod_access_compat, or a release such as `2.4.6`; the fixes keep its access control, and changes up to this release are not reported',
    manifest: {
      order: 2,
      type: 'string',
      enum: ['2.2', '2.4'],
      enumDescriptions: ['httpd 2.2', 'httpd 2.4 with mod_access_compat: the server is already upgraded'],
      orPattern: '^2\\.4\\.\\d{1,3}$',
      default: '2.2',
      scope: 'resource',
      markdownDescription:
        'Sets the httpd version that the server runs now: `2.2`, `2.4` with mod_access_compat, or a release such as `2.4.6`. The fixes keep the access control of this version. With a release of 2.4, changes of later releases are reported also for files that were written for 2.4. 2.2 and 2.4 differ in some cases of `Satisfy Any`: see the rule `access-compat-differs`.',
    },
    project: {
      key: 'source',
      subjectOfMessages: 'The source',
      expects: '"2.2", or "2.4" for a server with mod_access_compat',
      description:
        'The httpd version that the server runs now. The fixes keep the access control of this version. With a release such as 2.4.6, only later changes are problems.',
      schema: {
        type: 'string',
        anyOf: [{ enum: ['2.2', '2.4'] }, { pattern: '^2\\.4\\.\\d{1,3}$' }],
        default: '2.2',
      },
    },
    engine: 'accessSource',
    option: {
      flags: '--source <version>',
      description:
        'the version that runs now: 2.2 (default), 2.4 (with mod_access_compat), or a release such as 2.4.6; the fixes keep the access control of this version, and with a release only later changes are problems',
      about: 'server',
    },
  },
  {
    name: 'accessControl.assumeStandalone',
    group: 'problems',
    tableText: 'no file outside of the workspace restricts access; fixes that depend only on this are then safe',
    manifest: {
      order: 11,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription:
        'Convert `Order`, `Allow`, `Deny` and `Satisfy` as if the files in this directory were the whole configuration. Use this only if no other file, and no `.htaccess` file, has access control for the same requests.',
    },
    project: {
      key: 'assumeStandalone',
      description:
        'With true, you say that no file outside of this directory restricts access. Fixes that depend only on this are then safe.',
    },
    engine: 'assumeStandalone',
    option: {
      flags: '--assume-standalone',
      description:
        'you say that no file outside of PATH restricts access; fixes that depend only on this are then safe',
      about: 'knowledge',
    },
  },
  {
    name: 'roots',
    group: 'files',
    tableText: 'main configuration files, as paths below the workspace directory; if empty, the extension finds them',
    manifest: {
      order: 6,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription:
        'The main configuration files, as paths below the workspace directory: `conf/httpd.conf`. If this is empty, the extension finds them: files with `ServerRoot` or `PidFile` that no other file includes.',
    },
  },
  {
    name: 'defines',
    group: 'servers',
    tableText: 'names that are defined at the start (`-D NAME`), and values of variables (`NAME=VALUE`)',
    manifest: {
      order: 5,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription:
        'Names that are defined when the server starts (`-D NAME`), and values of variables (`NAME=VALUE`). If the list is empty, the conditions of `<IfDefine>` sections are unknown. If it has names, all other names count as not defined, unless a `Define` line defines them.',
    },
    project: {
      key: 'defines',
      description: 'Names that are defined when the server starts (-D), and values of variables.',
      schema: {
        oneOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'object', additionalProperties: { type: 'string' } },
        ],
      },
    },
  },
  {
    name: 'serverRoot',
    group: 'files',
    tableText:
      'the places of the server\'s files on this machine: `{ "/etc/httpd": "./etc/httpd" }`; if empty, found by the directory of the main configuration file',
    manifest: {
      order: 7,
      type: 'string',
      default: '',
      scope: 'resource',
      markdownDescription:
        'The directory on this machine that is `ServerRoot`. If this is empty, the extension finds it by the `ServerRoot` line and the directory of the main configuration file (httpd.conf or apache2.conf).',
    },
    project: {
      key: 'serverRoot',
      description:
        'The directory on the server where relative paths of the configuration start, even if the files are somewhere else on this machine.',
      schema: { type: 'string', pattern: '^/', patternErrorMessage: 'An absolute path, as the server sees it.' },
    },
  },
  {
    name: 'pathMap',
    group: 'files',
    tableText: { joins: 'serverRoot' },
    manifest: {
      order: 8,
      type: 'object',
      default: {},
      additionalProperties: { type: 'string' },
      scope: 'resource',
      markdownDescription:
        'Directories of the server and their copies on this machine: `{ "/etc/httpd": "./etc/httpd" }`. Relative paths start at the workspace directory.',
    },
    project: {
      key: 'pathMap',
      description:
        'Directories of the server, and their places on this machine: directories below that of this file, as relative paths. For others use `--map`.',
      schema: { type: 'object', propertyNames: { pattern: '^/' }, additionalProperties: { type: 'string' } },
    },
  },
  {
    name: 'builtinModules',
    group: 'servers',
    tableText:
      'modules compiled into httpd, as `httpd -l` lists them; if empty, those of the httpd of the distribution',
    manifest: {
      order: 4,
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription:
        'Modules that are compiled into the server, as `httpd -l` lists them: `mod_so.c`, `prefork.c`. If this is empty, they are those that the packages of the distribution have compiled in.',
    },
    project: {
      key: 'builtinModules',
      description:
        'Modules that are compiled into the server, as httpd -l lists them. Without this, they are those that the packages of the distribution have compiled in.',
      schema: { type: 'array', items: { type: 'string' } },
    },
  },
  {
    name: 'fadeInactive',
    group: 'editor',
    tableText: 'show in a faded colour the text that httpd does not read',
    manifest: {
      order: 13,
      type: 'boolean',
      default: true,
      scope: 'resource',
      markdownDescription:
        'Show in a faded colour the text that httpd does not read, for example in `<IfModule>`, `<IfDefine>` and `<IfVersion>` sections with a false condition.',
    },
  },
  {
    name: 'workspaceDiagnostics',
    group: 'problems',
    tableText: 'also check files that are not open',
    manifest: {
      order: 10,
      type: 'boolean',
      default: true,
      scope: 'window',
      markdownDescription:
        'Also check configuration files that are not open. In restricted mode, the extension checks only open files.',
    },
  },
  {
    name: 'verify.command',
    group: 'programs',
    tableText:
      'the program for *Verify the Configuration with httpd -t*: a path, or a command such as `docker exec web httpd`; if empty, the extension looks for an httpd 2.4; the settings of a workspace cannot change it',
    manifest: {
      order: 20,
      type: 'string',
      default: '',
      scope: 'machine',
      markdownDescription:
        'The program for *Verify the Configuration with httpd -t*: a path such as `/usr/local/apache2/bin/httpd`, or a command such as `docker exec web httpd`. If this is empty, the extension looks for an httpd 2.4. The check starts no server. Nothing runs in restricted mode. Set it in your user or remote settings: the settings of a workspace cannot name a program.',
    },
  },
  {
    name: 'invitation',
    group: 'editor',
    tableText: 'offer the upgrade plan once in each workspace with a 2.2 configuration',
    manifest: {
      order: 19,
      type: 'boolean',
      default: true,
      scope: 'window',
      markdownDescription: 'Offer the upgrade plan once in each workspace with a configuration for httpd 2.2.',
    },
  },
  {
    name: 'autoClosingTags',
    group: 'editor',
    tableText: 'write the closing tag when you type the `>` of an opening tag',
    manifest: {
      order: 17,
      type: 'boolean',
      default: true,
      scope: 'language-overridable',
      markdownDescription: 'Write the closing tag when you type the `>` of an opening tag such as `<Directory /srv>`.',
    },
  },
  {
    name: 'format.alignment',
    group: 'editor',
    tableText: 'columns in formatting: `keep` them, or `none`',
    manifest: {
      order: 18,
      type: 'string',
      enum: ['keep', 'none'],
      enumDescriptions: [
        'Arguments that are aligned in columns stay aligned.',
        'Formatting puts one space between all words.',
      ],
      default: 'keep',
      scope: 'language-overridable',
      markdownDescription:
        'Sets whether formatting keeps arguments that are aligned in columns, such as `ServerName    a` above `DocumentRoot  /srv`.',
    },
  },
  {
    name: 'maxFindings',
    group: 'problems',
    tableText: 'the maximum number of problems for one file',
    manifest: {
      order: 12,
      type: 'integer',
      default: 1000,
      minimum: 1,
      scope: 'resource',
      markdownDescription: 'The maximum number of problems for one file.',
    },
  },
  {
    name: 'inlayHints.inherited',
    group: 'editor',
    tableText: 'after `<VirtualHost>`, show what it inherits from the main server',
    manifest: {
      order: 14,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription:
        'Show after `<VirtualHost …>` which settings the virtual host inherits from the main server, and whether it inherits rewrite rules. Ctrl+click or Cmd+click opens the line.',
    },
  },
  {
    name: 'inlayHints.defaults',
    group: 'editor',
    tableText: 'show the defaults of directives that are not set, if 2.2 had another default',
    manifest: {
      order: 15,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription:
        'Show the 2.4 default of directives that are not set, if 2.2 had another default. The hints stand at the end of the `ServerRoot` line, and for `AllowOverride` at the end of `<Directory …>`.',
    },
  },
  {
    name: 'codeLens',
    group: 'editor',
    tableText:
      'show above a virtual host what it serves and who has access, and above macros and variables how often they are used',
    manifest: {
      order: 16,
      type: 'boolean',
      default: false,
      scope: 'resource',
      markdownDescription:
        'Show above `<VirtualHost …>` what it serves and who has access by its own lines, and above `<Macro …>` and `Define` how often they are used.',
    },
  },
  {
    name: 'trace.server',
    group: 'programs',
    manifest: {
      order: 21,
      type: 'string',
      default: 'off',
      enum: ['off', 'messages', 'verbose'],
      enumDescriptions: ['No messages.', 'The name of each message.', 'Each message with its content.'],
      scope: 'window',
      markdownDescription:
        'Write the messages between the editor and the language server to the output. Use this for reports of problems.',
    },
  },
] as const satisfies readonly Setting[];
