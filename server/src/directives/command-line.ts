/**
 * Explains what users paste from a terminal: options of httpd, names that httpd knows after `-D`,
 * and commands that control a server. The facts about httpd are from its usage text (usage in
 * server/main.c), from server/mpm_common.c, and from the manual's pages programs/httpd and
 * programs/apachectl. Those about systemd and Debian are from the manual pages of their tools.
 */

/** The explanation of a command, or of an option. */
export interface CommandExplanation {
  /** The term as written: `httpd -S`, `-D FOREGROUND`. */
  readonly title: string;
  /** The explanation, in short main clauses. */
  readonly text: string;
}

/**
 * The explanation of a command line, such as `httpd -S`, or of a name after `-D`. Undefined if the
 * term is something else.
 */
export function explanationOfCommand(term: string): CommandExplanation | undefined {
  const command = term
    .replace(/^[$#]\s+/, '')
    .replace(/^sudo\s+/, '')
    .replace(/^\S*\//, '');
  return (
    explanationOfDefinedName(command) ??
    explanationOfOption(command) ??
    COMMANDS.find(({ pattern }) => pattern.test(command))
  );
}

const PROGRAM_PATTERN = String.raw`(?:httpd|httpd2|apache2|apache2ctl|apachectl|apache|httpd\.exe)`;
const DEFINE_OPTION = new RegExp(String.raw`^(?:${PROGRAM_PATTERN} (?:-t )?)?-D ?([\w.-]+)$`);
const OPTION_COMMAND = new RegExp(String.raw`^${PROGRAM_PATTERN} (-\w)\b`);

function explanationOfDefinedName(term: string): CommandExplanation | undefined {
  const [, name] = DEFINE_OPTION.exec(term) ?? [];
  if (name === undefined) return undefined;
  return {
    title: `-D ${name}`,
    text:
      TEXT_BY_DEFINED_NAME[name] ??
      `Sets the name \`${name}\` when httpd starts. Lines in \`<IfDefine ${name}>\` are then read. The script or the service file that starts httpd has this option: on Red Hat \`OPTIONS\` in /etc/sysconfig/httpd, on Debian \`APACHE_ARGUMENTS\` in /etc/apache2/envvars. Set it for 2.4, too. Give it to \`httpd-upgrade check\` as \`-D ${name}\`.`,
  };
}

function explanationOfOption(term: string): CommandExplanation | undefined {
  const [, name] = OPTION_COMMAND.exec(term) ?? [];
  const text = name === undefined ? undefined : TEXT_BY_OPTION[name];
  return text === undefined ? undefined : { title: `httpd ${name}`, text };
}

/** The meanings of the names that httpd itself knows after `-D`. */
export const TEXT_BY_DEFINED_NAME: Readonly<Record<string, string>> = {
  FOREGROUND: 'httpd stays in the foreground. systemd and containers start it like this.',
  NO_DETACH: 'httpd stays attached to the terminal. Its processes still work as usual.',
  ONE_PROCESS: 'httpd runs with one process only, for a debugger. The option `-X` sets this name.',
  DUMP_VHOSTS:
    'With `-t`, httpd shows the virtual hosts, and which one is the default of each address. `httpd -S` shows the same.',
  DUMP_RUN_CFG: 'With `-t`, httpd shows its settings: directories, mutexes, user and group. `httpd -S` shows the same.',
  DUMP_MODULES: 'With `-t`, httpd lists all loaded modules. `httpd -M` does the same.',
  DUMP_INCLUDES:
    'With `-t`, httpd lists all files that it includes. `httpd-upgrade includes` does this without an httpd.',
};

/** What the options of httpd do. */
export const TEXT_BY_OPTION: Readonly<Record<string, string>> = {
  '-t': 'Checks the configuration and stops at the first error. It does not find lines that 2.4 ignores or reads differently, and not all errors of the start. `httpd-upgrade check` shows all of them at once.',
  '-S': 'Shows the virtual hosts with their files and lines, and the settings of the server. Use it if the wrong site answers.',
  '-M': 'Lists all modules, compiled in (static) and loaded (shared).',
  '-l': 'Lists the compiled-in modules. Write them into `builtinModules`, if the plan asks for them.',
  '-L': 'Lists the directives of the compiled-in modules.',
  '-v': 'Shows the version.',
  '-V': 'Shows the version, the MPM, and the paths that were set when httpd was built.',
  '-X': 'Starts httpd with one process in the foreground, for a debugger.',
  '-T': 'Starts without checking whether each `DocumentRoot` exists. 2.2 also had this option, for the check (`-t -T`).',
  '-D': 'Sets a name for `<IfDefine>`.',
  '-d': 'Sets the `ServerRoot` for this start.',
  '-f': 'Reads this main configuration file instead of the compiled-in default.',
  '-C': 'Reads this directive before the configuration.',
  '-c': 'Reads this directive after the configuration.',
  '-e': 'Sets the level of messages during the start, for example `-e debug`.',
  '-E': 'Writes the messages of the start to this file.',
  '-k': 'Controls the running server: `start`, `stop`, `graceful`, `graceful-stop`, `restart`. On Windows `install` adds a service.',
};

const COMMANDS: readonly (CommandExplanation & { readonly pattern: RegExp })[] = [
  {
    pattern: /^(?:apachectl|apache2ctl|httpd) configtest\b|^service \S+ configtest\b/,
    title: 'apachectl configtest',
    text: 'Checks the configuration, as `httpd -t` does, with the environment of the service. It stops at the first error. `httpd-upgrade check` shows all of them at once.',
  },
  {
    pattern: /^(?:apachectl|apache2ctl) (?:graceful|restart|graceful-stop|stop|start|status|fullstatus)\b/,
    title: 'apachectl',
    text: 'Controls the server. `graceful` reads the configuration again and lets running requests finish; `restart` ends them. After an upgrade stop 2.2 and start 2.4: a restart does not change the version.',
  },
  {
    pattern: /^(?:systemctl|service) .*\b(?:httpd|apache2?)\b/,
    title: 'systemctl',
    text: 'Controls the service. If the start fails, `journalctl -u httpd` (on Debian `-u apache2`) and the error log contain the reason. Explain that line.',
  },
  {
    pattern: /^a2(?:en|dis)(?:mod|site|conf)\b/,
    title: 'a2enmod, a2ensite, a2enconf',
    text: 'Tools of Debian. They enable modules, sites and files of conf-available with links in mods-enabled, sites-enabled and conf-enabled; `a2dis…` removes the links. In 2.4 names of sites end in `.conf`, and conf.d is now conf-available. Restart the server afterwards.',
  },
];
