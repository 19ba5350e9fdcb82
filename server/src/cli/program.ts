/**
 * The commands with their options, arguments and help. The completion scripts, the man page and the
 * parser of arguments are made from this.
 */
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { DISTRIBUTIONS } from '../config/distribution';
import { REQUEST_SERVERS } from '../requests/model';
import { SETTING_OPTIONS, type SettingOption } from '../settings/options';

/** The possible values of options, in the order in which the help shows them. */
export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export const VERIFY_FORMATS = ['text', 'json'] as const;
export const ACCESS_FORMATS = ['text', 'json', 'markdown'] as const;
export const REQUESTS_FORMATS = ['curl', 'json'] as const;
export const CHANGES_TO_FAIL_ON = ['gain', 'change', 'never'] as const;
export const CHECK_FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab', 'checkstyle', 'junit'] as const;
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export const ALIGNMENTS = ['keep', 'none'] as const;
export const COLOR_MODES = ['auto', 'always', 'never'] as const;

/**
 * The name of the internal command that stands for `explain` with --request or --root. As a command
 * of its own, it can have its options in any order. arguments.ts parses it.
 */
export const EXPLAIN_REQUEST = 'explain-request';

/**
 * The values of options that the library commander returns for a command. The keys are their names
 * in camel case.
 */
export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * A function that gets the parsed command line: the name of the command, its options, and its other
 * words.
 */
export type CommandHandler = (command: string, values: OptionValues, words: readonly string[]) => void;

/**
 * Defines the commands. Parsing calls `onCommand` once. For a wrong command line, it throws
 * commander's `CommanderError`. For help and version, it writes the text with `write`, and then
 * throws this error, too.
 */
export function defineProgram(onCommand: CommandHandler, write: (text: string) => void = () => {}): Command {
  const program = new Command('httpd-upgrade')
    .description('Brings Apache httpd 2.2 configuration to 2.4 and keeps access as it was.')
    .version('', '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: write, writeErr: () => {}, getOutHelpWidth: () => 80, getErrHelpWidth: () => 80 })
    .configureHelp({ sortOptions: false })
    .addHelpText('after', `\n${HELP_FOOTER}`);
  const addCommand = (name: string, summary: string, description: string, examples: readonly string[]): Command => {
    const command = program.command(name).summary(summary).description(description).showSuggestionAfterError(true);
    if (examples.length > 0)
      command.addHelpText('after', `\nExamples:\n${examples.map((each) => `  $ httpd-upgrade ${each}`).join('\n')}`);
    return command.action((...actionArguments: unknown[]) => {
      const parsedCommand = actionArguments.at(-1) as Command;
      onCommand(name, parsedCommand.opts(), parsedCommand.args);
    });
  };

  const check = addCommand(
    'check',
    'report lines that 2.4 rejects, ignores or reads differently',
    'Reports lines that httpd 2.4 rejects, ignores or reads differently. PATH is a configuration file, a directory with such files, a pattern such as "sites/*.conf", or - for standard input.',
    [
      'check /etc/httpd',
      'check --format sarif --output httpd.sarif conf/httpd.conf',
      'check --baseline httpd-upgrade-baseline.json --update-baseline conf',
      'check - --stdin-filename conf/httpd.conf < draft.conf',
    ],
  )
    .addArgument(pathsArgument())
    .addOption(new Option('--format <format>', 'the format of the report').choices(CHECK_FORMATS).default('text'))
    .option('-o, --output <file>', 'write the report to this file')
    .option('--baseline <file>', 'a file with known problems; only new problems change the exit code')
    .option('--update-baseline', 'write all found problems to the baseline')
    .option('--new-only', 'with --baseline: report only new problems')
    .option('--no-strings', 'do not look for lines of httpd in the strings of PHP files')
    .option('--stdin-filename <name>', 'the file name of the text on standard input');
  addCommonOptions(check, failOnOption());

  const fix = addCommand(
    'fix',
    'show or write safe fixes',
    'Shows (default) or writes all safe fixes. Safe fixes do not change what the server does. The command writes all files or none. "undo" restores the old files. Exit status: 1 if a problem that is left reaches the severity of --fail-on, also if all fixes were written.',
    ['fix conf/httpd.conf', 'fix --write /etc/httpd', 'fix --stdin-filename .htaccess - < .htaccess > .htaccess.new'],
  )
    .addArgument(pathsArgument())
    .option('--diff', 'show the changes (default)')
    .option('--write', 'write the files')
    .option('--unsafe', 'also apply suggestions, and fixes that wait for an answer: review them first')
    .option(
      '--keep-both',
      'convert only access control, and keep the lines of 2.2 next to those of 2.4 (<IfModule>), for files that both versions read',
    )
    .option(
      '--dormant',
      'change only what the server does not read: files such as httpd.conf.bak, sections whose condition is false, sections in comments. Each is converted by itself. In files that a missing file may include, only safe fixes are made',
    )
    .option('-o, --output <path>', ARCHIVE_OUTPUT_HELP)
    .addOption(new Option('--format <format>', 'the format of the result').choices(VERIFY_FORMATS).default('text'))
    .option('--stdin-filename <name>', 'the file name of the text on standard input; prints the fixed text');
  addCommonOptions(fix, failOnOption());

  const format = addCommand(
    'format',
    'indent and align files; httpd reads them as before',
    'Indents sections, puts one space between words, and keeps columns. Names, arguments, comments and line numbers do not change. Shows the changes (default), lists the files, or writes all files or none. With a main configuration file (httpd.conf or apache2.conf), the command also formats all included files.',
    ['format conf/httpd.conf', 'format --check .', 'format --write --indent tab /etc/httpd', 'format - < .htaccess'],
  )
    .addArgument(pathsArgument())
    .option('--check', 'list the files that are not formatted')
    .option('--diff', 'show the changes (default)')
    .option('--write', 'write the files')
    .option('--indent <width>', 'spaces for each level, or tab', '4')
    .addOption(new Option('--alignment <which>', 'keep existing columns, or none').choices(ALIGNMENTS).default('keep'))
    .addOption(new Option('--format <format>', 'the format of the result').choices(VERIFY_FORMATS).default('text'))
    .option('--stdin-filename <name>', 'the file name of the text on standard input; prints the formatted text');
  addRunOptions(addServerOptions(format));

  addCommand(
    'undo',
    'restore the files as they were before the last --write',
    'Restores the files as they were before the last fix --write or format --write below the current directory, or before the change with this ID. It restores them only if nobody has changed the files since.',
    ['undo', 'undo --list'],
  )
    .argument('[id]', 'the ID of a change (default: the last one of files below the current directory)')
    .option('--list', 'list the changes that can be undone')
    .addOption(new Option('--format <format>', 'the format of the result').choices(VERIFY_FORMATS).default('text'));

  addCommonOptions(
    addCommand(
      'plan',
      'show the upgrade plan: what is ready, what to answer, what to do by hand',
      'Shows the upgrade plan: fixes that are ready, questions to answer, changes to make by hand. Markdown and HTML are a report for the person who approves the upgrade. It shows who has access before and after.',
      [
        'plan conf/httpd.conf',
        'plan --format html --output upgrade.html conf/httpd.conf',
        'plan --answer htaccess-unseen:/var/www=none conf/httpd.conf',
      ],
    )
      .addArgument(pathsArgument())
      .addOption(new Option('--format <format>', 'the format of the plan').choices(PLAN_FORMATS).default('text'))
      .option('-o, --output <file>', 'write the plan to this file'),
  );

  addCommonOptions(
    addCommand(
      'migrate',
      'do the upgrade step by step: ask questions, show the changes, write the files',
      'Does the upgrade step by step in the terminal: asks each question, shows the changes, then writes all files or none.',
      ['migrate conf/httpd.conf', 'migrate --output migrated httpd-collected.tar.gz'],
    )
      .addArgument(pathsArgument())
      .option('-o, --output <path>', ARCHIVE_OUTPUT_HELP),
  );

  addCommonOptions(
    addCommand(
      'verify',
      'let a real httpd 2.4 read the configuration',
      'Lets a real httpd 2.4 read the configuration (httpd -t), and shows its messages at your lines. This starts no server. Unless this is the configuration of this machine, httpd reads a temporary copy with the paths and modules of this machine.',
      ['verify conf/httpd.conf', 'verify --httpd "docker exec web httpd" conf/httpd.conf'],
    )
      .argument('<root>', 'the main configuration file')
      .option('--httpd <program>', 'the httpd to use: a program, or a command such as "docker exec web httpd"')
      .option(
        '--in-place',
        'read the files where they are; httpd loads the modules that they name, which run their code',
      )
      .addOption(new Option('--format <format>', 'the format of the result').choices(VERIFY_FORMATS).default('text')),
  );

  addCommonOptions(
    addCommand(
      'includes',
      'list the files of a configuration, in the order in which httpd reads them',
      'Lists the files of a configuration, in the order in which httpd reads them.',
      ['includes conf/httpd.conf'],
    )
      .argument('<root...>', 'the main configuration file')
      .addOption(new Option('--format <format>', 'the format of the list').choices(VERIFY_FORMATS).default('text')),
  );

  addCommand(
    'explain',
    'explain a directive, a rule, a status, a line of the error log, or a whole log',
    'Explains a rule, a directive, a module, an AH code, a flag, a variable, a status or a line of the error log. With - or the path of a log file: answers each kind of line once, with counts, what stops most first. Exit status: 0, or 2 if nothing is found or the log cannot be read. With --access: shows who has access to a section in 2.2, in 2.4 with mod_access_compat, and after the conversion. With --request or --root: also takes options of "plan", such as --map, --answer and -D.',
    [
      'explain AH01797',
      'explain 403 forbidden',
      'explain /var/log/apache2/error.log',
      'explain --format json -',
      'explain --access httpd.conf:95',
      "explain --request 'GET https://shop.example.org/admin' --from 203.0.113.9 conf/httpd.conf",
    ],
  )
    .argument(
      '<term...>',
      'what to explain: a term, a log file, or - for standard input; with --access, FILE:LINE; with --request, the main file',
    )
    .option('--access', 'show who has access to the section at FILE:LINE')
    .option('--request <request>', 'show who answers this request and why: "GET https://host/path", or a path')
    .option('--root <root>', 'with a log line: the main file, to find the requests that lead to its file')
    .option('--from <address>', 'with --request: the address of the client, its host name, or both with a comma')
    .option('--user <name>', 'with --request: a user whose password is right')
    .option('--header <header>', 'with --request: a header of the request, "Name: value"', collectValues)
    .addOption(new Option('--at <server>', 'with --request: the answer of this server only').choices(REQUEST_SERVERS))
    .addOption(new Option('--format <format>', 'the format of the answer').choices(VERIFY_FORMATS).default('text'))
    .allowUnknownOption()
    .passThroughOptions();

  addCommonOptions(
    program
      .command(EXPLAIN_REQUEST, { hidden: true })
      .argument('[word...]')
      .option('--access')
      .option('--request <request>')
      .option('--root <root>')
      .option('--from <address>')
      .option('--user <name>')
      .option('--header <header>', '', collectValues)
      .addOption(new Option('--at <server>').choices(REQUEST_SERVERS))
      .addOption(new Option('--format <format>').choices(VERIFY_FORMATS).default('text'))
      .action((...actionArguments: unknown[]) => {
        const parsedCommand = actionArguments.at(-1) as Command;
        onCommand(EXPLAIN_REQUEST, parsedCommand.opts(), parsedCommand.args);
      }),
  );

  addCommand(
    'collect',
    'print a script that collects the configuration of the 2.2 server',
    'Prints a POSIX sh script for the 2.2 server. The script writes one archive with all that "plan" needs: configuration files, .htaccess files, and what httpd -V, -M and -S print. It leaves out private keys and password files, and replaces passwords. "sh collect.sh --help" shows its options.',
    ['collect > collect.sh', 'collect | ssh root@old-server sh', 'plan httpd-collected-old-server.tar.gz'],
  );
  addAccessCommands(addCommand);

  addCommand('rules', 'list the rules', 'Lists the rules: name, consequence in httpd 2.4, and kind of fix.', [
    'rules',
    'rules --format json',
  ]).addOption(new Option('--format <format>', 'the format of the list').choices(VERIFY_FORMATS).default('text'));

  addCommand(
    'completion',
    'print the script that completes commands in a shell',
    'Prints the completion script for a shell.',
    ['completion bash > /etc/bash_completion.d/httpd-upgrade'],
  ).addArgument(new Argument('<shell>', 'the shell').choices(SHELLS));

  addCommand('server', 'run the language server, for any editor', 'Runs the language server, for any editor.', [])
    .option('--stdio', 'talk over standard input and output')
    .option('--node-ipc', "talk over node's channel to the parent process")
    .option('--socket <port>', 'connect to this port of the client')
    .option('--pipe <name>', 'connect to this pipe of the client')
    .allowUnknownOption()
    .allowExcessArguments();

  addCommand(
    'mcp',
    'serve tools for agents (Model Context Protocol)',
    'Serves tools for agents over standard input and output (Model Context Protocol): check, plan, fix_preview, explain, explain_request, who_has_access, verify. The tools only read, below the directories that the client names.',
    ['mcp', 'mcp --allow-verify'],
  ).option('--allow-verify', 'allow the tool verify to run httpd -t');

  program.command('version', { hidden: true }).action(() => onCommand('version', {}, []));
  program.command('man', { hidden: true }).action(() => onCommand('man', {}, []));
  return program;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The help for `--output` of commands that convert a copy of an archive. */
const ARCHIVE_OUTPUT_HELP = 'for an archive of "collect": the new directory or archive (.tar.gz) to write';

function pathsArgument(): Argument {
  return new Argument('<path...>', 'files, directories, and archives of "collect"');
}

/** Collects the values of an option that can be repeated. */
function collectValues(value: string, valuesBefore: readonly string[] | undefined): readonly string[] {
  return [...(valuesBefore ?? []), value];
}

/** Adds a command to the program and returns it. */
type AddCommand = (name: string, summary: string, description: string, examples: readonly string[]) => Command;

/** Defines the commands about who has access. */
function addAccessCommands(addCommand: AddCommand): void {
  const access = addCommand(
    'access',
    'show who has access, or who gains and who loses access',
    'Shows for each section who has access in 2.2, in 2.4 with mod_access_compat, and in 2.4 after the conversion. With --diff: shows for each section who gains and who loses access between two configurations, with one request that shows it. OLD can be git:REVISION: then it is NEW at this revision. With --diff the exit status is 1 if somebody gains access, or if it is unknown.',
    [
      'access conf/httpd.conf',
      'access --diff backup/httpd.conf conf/httpd.conf',
      'access --diff --format markdown git:origin/main conf/httpd.conf',
      'access --diff --old-server 2.2 --new-server 2.4 before/httpd.conf after/httpd.conf',
    ],
  )
    .argument('<root...>', 'the main configuration file, or its directory; with --diff: OLD and NEW')
    .option('--diff', 'compare OLD and NEW')
    .addOption(
      new Option('--old-server <server>', 'with --diff: the server that reads OLD')
        .choices(REQUEST_SERVERS)
        .default('2.4-compat'),
    )
    .addOption(
      new Option('--new-server <server>', 'with --diff: the server that reads NEW')
        .choices(REQUEST_SERVERS)
        .default('2.4-compat'),
    )
    .addOption(new Option('--format <format>', 'the format of the result').choices(ACCESS_FORMATS).default('text'))
    .option('-o, --output <file>', 'write the result to this file');
  addCommonOptions(
    access,
    new Option('--fail-on <change>', 'with --diff: exit with 1 if somebody gains access, for any change, or never')
      .choices(CHANGES_TO_FAIL_ON)
      .default('gain'),
  );
  addCommonOptions(
    addCommand(
      'requests',
      'list requests that show what each section decides',
      'Lists the fewest requests that show what each section decides, as commands for curl or as JSON. Nothing is sent.',
      ['requests conf/httpd.conf', 'requests --format json conf/httpd.conf'],
    )
      .argument('<root>', 'the main configuration file, or its directory')
      .addOption(new Option('--format <format>', 'the format of the list').choices(REQUESTS_FORMATS).default('curl'))
      .option('-o, --output <file>', 'write the list to this file'),
    null,
  );
  addCommonOptions(
    addCommand(
      'compare',
      'send the requests to the 2.2 and the 2.4 server, and compare the answers',
      'Sends the requests of "requests" to two servers and compares status and Location. It sends GET, HEAD and OPTIONS to these two addresses only, one after another, at most 5 in a second. Logins come from the file of --credentials or from the variable HTTPD_UPGRADE_CREDENTIALS, one USER:PASSWORD on each line. Exit status: 1 if answers differ.',
      ['compare --old http://10.0.0.5 --new http://10.0.0.6:8080 conf/httpd.conf'],
    )
      .argument('<root>', 'the main configuration file, or its directory')
      .requiredOption('--old <url>', 'the address of the 2.2 server, such as http://10.0.0.5')
      .requiredOption('--new <url>', 'the address of the 2.4 server, such as http://10.0.0.6:8080')
      .option('--credentials <file>', 'a file with logins: USER:PASSWORD on each line')
      .addOption(new Option('--format <format>', 'the format of the result').choices(VERIFY_FORMATS).default('text'))
      .option('-o, --output <file>', 'write a report as JSON to this file'),
    null,
  );
}

function failOnOption(): Option {
  return new Option(
    '--fail-on <severity>',
    'exit with 1 for problems of this severity or above (default: warning)',
  ).choices(['error', 'warning', 'info', 'never']);
}

/**
 * Adds the options about the server, the project file and the terminal. `failOn`: the option
 * `--fail-on`; null adds none. By default, the command accepts this option without using it, and
 * its help does not show it. So all commands can be called with the same options.
 */
function addCommonOptions(command: Command, failOn: Option | null = failOnOption().hideHelp()): Command {
  addSettingOptions(addServerOptions(command), 'server').optionsGroup('What you know:');
  addSettingOptions(command, 'knowledge').option(
    '--answer <id=value>',
    'answer a question of the plan, for example htaccess-unseen:/var/www=none',
    collectValues,
  );
  addRunOptions(command);
  return failOn === null ? command : command.addOption(failOn);
}

/** Adds the options that are also settings (settings/options.ts), but only those about `group`. */
function addSettingOptions(command: Command, group: SettingOption['about']): Command {
  for (const { flags, description, about, setting } of SETTING_OPTIONS) {
    if (about !== group) continue;
    const option = new Option(flags, description);
    const { enum: words, orPattern } = setting.manifest;
    if (words && orPattern !== undefined) {
      option.choices([...words, '2.4.N']).argParser((value: string) => {
        if (words.includes(value) || new RegExp(orPattern).test(value)) return value;
        throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}, 2.4.N.`);
      });
      command.addOption(option);
      continue;
    }
    command.addOption(words ? option.choices(words) : option);
  }
  return command;
}

/** Adds the options that state facts about the server. */
function addServerOptions(command: Command): Command {
  return command
    .optionsGroup('The server:')
    .option('--target <version>', 'the version of the 2.4 server: 2.4 or 2.4.N (default: 2.4)')
    .addOption(
      new Option(
        '--distribution <name>',
        'who built the server (default: found by the paths in the configuration; leave it out for others, such as SUSE)',
      ).choices(DISTRIBUTIONS),
    )
    .option(
      '--modules <list>',
      `the modules that the 2.4 server has compiled in (httpd -l), such as mod_logio, or those of ${DISTRIBUTIONS.join(', ')}`,
    )
    .option('--server-root <dir>', 'the directory on this machine that is ServerRoot')
    .option('--map <from=to>', "the server's directory FROM is TO on this machine", collectValues)
    .option(
      '-D, --define <name[=value]>',
      'the server starts with -D NAME; with one -D, all other names count as not defined',
      collectValues,
    );
}

/** Adds the options about the project file, excluded files and the output. */
function addRunOptions(command: Command): Command {
  return command
    .optionsGroup('The run:')
    .option('--config <file>', 'read the settings of the team from this file instead of .httpd-upgrade.json above PATH')
    .option('--exclude <pattern>', 'exclude these files of PATH, with a pattern as in .gitignore', collectValues)
    .option('-q, --quiet', 'print no notes, no progress and no summary')
    .addOption(new Option('--color <when>', 'use colours in the output').choices(COLOR_MODES).default('auto'));
}

/** The end of the help of the whole program. */
const HELP_FOOTER = `A file .httpd-upgrade.json, in the directory of PATH or above, can contain the
settings of a team: answers to the questions of the plan, severities of rules,
and facts about the server. Options on the command line override this file.
A file .httpd-upgradeignore, in the same place, excludes files, with patterns as
in .gitignore.

Exit codes:
  0    success: no problem reaches the severity of --fail-on (verify: httpd
       accepts all lines; plan, migrate, undo, format --write: done)
  1    problems reach this severity (fix: problems that are left, also if the
       fixes were written; verify: httpd rejects lines; format: files would
       change)
  2    the command could not run (migrate: no terminal)
  130  migrate was interrupted

Examples:
  $ httpd-upgrade check /etc/httpd
  $ httpd-upgrade plan conf/httpd.conf
  $ httpd-upgrade fix --write conf/httpd.conf
  $ httpd-upgrade help check`;
