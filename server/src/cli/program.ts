/** The commands with their options, arguments and help. Completion scripts, the man page and the reader of arguments are made from this. */
import { Argument, Command, Option } from 'commander';
import { DISTRIBUTIONS } from '../config/distribution';

export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export const VERIFY_FORMATS = ['text', 'json'] as const;
export const FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab', 'checkstyle', 'junit'] as const;
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export const ALIGNMENTS = ['keep', 'none'] as const;
export const COLOR_MODES = ['auto', 'always', 'never'] as const;

/** What commander hands over for the options of a command, by their names in camel case. */
export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Takes what was asked for: the command, its options, and the words that belong to none. */
export type Take = (command: string, values: OptionValues, words: readonly string[]) => void;

/**
 * The program. `take` is called once, for the command that was given. What cannot be understood throws commander's `CommanderError`; help and the
 * version throw one, too, after their text has been written.
 */
export function program(take: Take, write: (text: string) => void = () => {}): Command {
  const top = new Command('httpd-upgrade')
    .description('Brings Apache httpd 2.2 configuration to 2.4.')
    .version('', '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: write, writeErr: () => {}, getOutHelpWidth: () => 80, getErrHelpWidth: () => 80 })
    .configureHelp({ sortOptions: false })
    .addHelpText('after', `\n${AFTER_ALL}`);
  const add = (name: string, summary: string, description: string, examples: readonly string[]): Command => {
    const command = top.command(name).summary(summary).description(description).showSuggestionAfterError(true);
    if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.map((each) => `  $ httpd-upgrade ${each}`).join('\n')}`);
    return command.action((...given: unknown[]) => {
      const own = given.at(-1) as Command;
      take(name, own.opts(), own.args);
    });
  };

  const check = add(
    'check',
    'report what 2.4 refuses, ignores or understands differently',
    'Reports what httpd 2.4 refuses, ignores or understands differently. PATH is a configuration file, a directory to search for such files, a pattern such as "sites/*.conf", or - for standard input.',
    ['check /etc/httpd', 'check --format sarif --output httpd.sarif conf/httpd.conf', 'check --baseline httpd-upgrade-baseline.json --update-baseline conf', 'check - --stdin-filename conf/httpd.conf < draft.conf'],
  )
    .addArgument(paths())
    .addOption(new Option('--format <format>', 'form of the report').choices(FORMATS).default('text'))
    .option('-o, --output <file>', 'write the report to this file')
    .option('--baseline <file>', 'known problems: only others count for the exit code')
    .option('--update-baseline', 'write the problems that are found to the baseline')
    .option('--new-only', 'with --baseline: report only problems that are not in it')
    .option('--stdin-filename <name>', 'the name of what is read from standard input');
  common(check);

  const fix = add(
    'fix',
    'show or write safe fixes',
    'Shows (default) or writes all safe fixes. Safe fixes do not change what the server does. All files are written, or none; the old files are kept for undo.',
    ['fix conf/httpd.conf', 'fix --write /etc/httpd', 'fix - < .htaccess > .htaccess.new'],
  )
    .addArgument(paths())
    .option('--diff', 'show the difference (default)')
    .option('--write', 'write the files')
    .option('--unsafe', 'also take suggestions: read them before you do')
    .option('--keep-both', 'convert access control only, and keep the lines of 2.2 next to those of 2.4 (<IfModule>), for files that both versions read')
    .option('--stdin-filename <name>', 'the name of what is read from standard input; the fixed text is printed');
  common(fix);

  const format = add(
    'format',
    'indent and align files: nothing changes that httpd reads',
    'Indents by nesting, puts one blank between words, and keeps columns. Names, arguments, comments and line numbers stay as they are. Shows the difference (default), lists the files, or writes them: all, or none. A main file stands for all files that it includes.',
    ['format conf/httpd.conf', 'format --check .', 'format --write --indent tab /etc/httpd', 'format - < .htaccess'],
  )
    .addArgument(paths())
    .option('--check', 'list the files that are not formatted')
    .option('--diff', 'show the difference (default)')
    .option('--write', 'write the files')
    .option('--indent <width>', 'blanks for each level, or tab', '4')
    .addOption(new Option('--alignment <which>', 'keep columns that somebody made, or none').choices(ALIGNMENTS).default('keep'))
    .option('--stdin-filename <name>', 'the name of what is read from standard input; the formatted text is printed');
  run(server(format));

  add('undo', 'bring back the files from before the last --write', 'Brings back the files from before the last fix --write or format --write, or the one with this ID, if nobody has changed the files since.', ['undo', 'undo --list'])
    .argument('[id]', 'which change; the last one if not given')
    .option('--list', 'list the changes that can be undone');

  common(
    add(
      'plan',
      'show the upgrade at a glance: what is ready, what to answer, what to do by hand',
      'Shows the upgrade at a glance: fixes that are ready, questions to answer, changes to make by hand. Markdown and HTML are a report for whoever approves the upgrade, with a table of who gets in before and after.',
      ['plan conf/httpd.conf', 'plan --format html --output upgrade.html conf/httpd.conf', 'plan --answer htaccess-unseen:/var/www=none conf/httpd.conf'],
    )
      .addArgument(paths())
      .addOption(new Option('--format <format>', 'form of the plan').choices(PLAN_FORMATS).default('text'))
      .option('-o, --output <file>', 'write the plan to this file'),
  );

  common(
    add(
      'migrate',
      'the plan as a conversation: questions, the difference, then write',
      'The plan as a conversation in the terminal: it asks each question, shows the difference, and then writes all files or none.',
      ['migrate conf/httpd.conf'],
    ).addArgument(paths()),
  );

  common(
    add(
      'verify',
      'let a real httpd 2.4 read the configuration',
      'Lets a real httpd 2.4 read the configuration (httpd -t; no server is started), and shows its messages at your lines. A copied tree is read with the paths of this machine.',
      ['verify conf/httpd.conf', 'verify --httpd "docker exec web httpd" conf/httpd.conf'],
    )
      .argument('<root>', 'the file that the server reads first')
      .option('--httpd <program>', 'the httpd to ask: a program, or a command that leads to one')
      .addOption(new Option('--format <format>', 'form of the answer').choices(VERIFY_FORMATS).default('text')),
  );

  common(
    add('includes', 'list the files of a configuration, in the order that httpd reads them', 'Lists the files of a configuration, in the order that httpd reads them.', ['includes conf/httpd.conf']).argument(
      '<root...>',
      'the file that the server reads first',
    ),
  );

  add(
    'explain',
    'explain a directive, a rule, a status, or a line of the log',
    'Explains a rule, a directive, a module, an AH code, a flag, a variable, a status or a line of the log. With --access: who gets in by the access lines of a section, in 2.2, in 2.4 with mod_access_compat, and after conversion.',
    ['explain AH01797', 'explain 403 forbidden', 'explain --access httpd.conf:95'],
  )
    .argument('<term...>', 'what to explain; with --access, FILE:LINE')
    .option('--access', 'explain who gets in by the section at FILE:LINE')
    .allowUnknownOption()
    .passThroughOptions();

  add('rules', 'list the rules', 'Lists the rules: name, what a finding means for httpd 2.4, and whether a fix is safe.', ['rules', 'rules --format json'])
    .addOption(new Option('--format <format>', 'form of the list').choices(VERIFY_FORMATS).default('text'));

  add('completion', 'print the completion script for a shell', 'Prints the completion script for a shell.', ['completion bash > /etc/bash_completion.d/httpd-upgrade']).addArgument(
    new Argument('<shell>', 'the shell').choices(SHELLS),
  );

  add('server', 'run the language server, for any editor', 'Runs the language server, for any editor.', [])
    .option('--stdio', 'talk over standard input and output')
    .option('--node-ipc', "talk over node's channel to the parent process")
    .option('--socket <port>', 'connect to this port of the client')
    .option('--pipe <name>', 'connect to this pipe of the client')
    .allowUnknownOption()
    .allowExcessArguments();

  top.command('version', { hidden: true }).action(() => take('version', {}, []));
  top.command('man', { hidden: true }).action(() => take('man', {}, []));
  return top;
}

// ---------------------------------------------------------------------------------------------------------------------

function paths(): Argument {
  return new Argument('<path...>', 'files and directories');
}

/** Each time an option is given adds to its list. */
function list(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** What can be said about the server, the team and the terminal. */
function common(command: Command): Command {
  server(command)
    .addOption(new Option('--source <version>', 'the server whose access control must be kept: 2.2 (default), or 2.4 with mod_access_compat').choices(['2.2', '2.4']))
    .optionsGroup('What you know:')
    .option('--assume-standalone', 'no file outside of PATH restricts access: fixes that only depend on this count as safe')
    .option('--answer <id=value>', 'answer a question of the plan, such as htaccess-unseen:/var/www=none', list);
  return run(command).addOption(new Option('--fail-on <severity>', 'exit with 1 from this severity on (default: warning)').choices(['error', 'warning', 'info', 'never']));
}

function server(command: Command): Command {
  return command
    .optionsGroup('The server:')
    .option('--target <version>', 'the version it must run on: 2.4 or 2.4.N (default: 2.4)')
    .addOption(new Option('--distribution <name>', 'who built the server (default: decided by its paths)').choices(DISTRIBUTIONS))
    .option('--modules <list>', 'compiled-in modules, such as mod_logio, or debian, rhel, upstream')
    .option('--server-root <dir>', 'the directory here that ServerRoot stands for')
    .option('--map <from=to>', "the server's directory FROM is here at TO", list)
    .option('-D, --define <name[=value]>', 'the server is started with -D NAME; with one -D, all names that are not given count as not defined', list);
}

function run(command: Command): Command {
  return command
    .optionsGroup('The run:')
    .option('--config <file>', 'read the settings of the team from this file instead of .httpd-upgrade.json above PATH')
    .option('--exclude <pattern>', 'leave these files of PATH out, as a line of .gitignore would', list)
    .option('-q, --quiet', 'print no notes, no progress and no summary')
    .addOption(new Option('--color <when>', 'colours').choices(COLOR_MODES).default('auto'));
}

const AFTER_ALL = `A file .httpd-upgrade.json, in the directory of PATH or above, holds answers,
settings and severities for a whole team. Options win over the file. A file
.httpd-upgradeignore there names files to leave out, as .gitignore does.

Exit codes: 0 no finding at or above --fail-on (verify: httpd accepts all
lines; plan, migrate, undo, format --write: done), 1 findings (verify: lines
that httpd does not accept; format: files that would change), 2 it could not run
(migrate: no terminal), 130 migrate was interrupted.

Examples:
  $ httpd-upgrade check /etc/httpd
  $ httpd-upgrade plan conf/httpd.conf
  $ httpd-upgrade fix --write conf/httpd.conf
  $ httpd-upgrade help check`;
