/**
 * Finds out whether an error of a real httpd comes from a task on the server that is not done yet.
 * For example, a module may not be enabled yet. Does no I/O.
 */
import { directive, providers } from '../directives/index';
import { tasksOf, type OnServerItem, type PlanPlace } from './server-tasks';

/** A task on the server that is not done yet and causes an error of `httpd -t`. */
export interface OpenStep {
  /** The id of the task. */
  readonly id: string;
  /** The task in a few words. */
  readonly title: string;
  /** The commands of the task. Empty if there are none. */
  readonly commands: readonly string[];
}

/**
 * An error that `httpd -t` reported. A field is null if the error does not name it. `file` and
 * `line` (0-based) are as in `PlanPlace`.
 */
export interface ServerError {
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly message: string;
}

/** The modules that commands enable, as `a2enmod` names them: `authz_core`. */
export function modulesEnabledBy(commands: Iterable<string>): string[] {
  const moduleNames = [...commands].flatMap(
    (command) => /^(?:sudo )?a2enmod (.*)/.exec(command)?.[1]?.split(/\s+/) ?? [],
  );
  return [...new Set(moduleNames.filter(Boolean))].sort();
}

/** The id of the task to install versions of third-party modules for 2.4. */
const INSTALL_TASK = 'rebuilt-modules';

/**
 * What a check may assume because the user did some tasks: the modules that the tasks enable, and
 * the id of the task that installs third-party modules. `doneTasks`: the commands of these tasks;
 * for a task without commands, its id.
 */
export function assumptionsOfCheck(doneTasks: readonly string[]): string[] {
  return [...modulesEnabledBy(doneTasks), ...doneTasks.filter((each) => each === INSTALL_TASK)];
}

/**
 * Whether a line was not checked only because this machine lacks a module that the server has. The
 * server has it if the user did the task that installs third-party modules.
 */
export function isInstalledOnServer({ message }: Pick<ServerError, 'message'>, doneTasks: readonly string[]): boolean {
  return doneTasks.includes(INSTALL_TASK) && /\.so is not installed here$/.test(message);
}

/** The open task that causes an error. Null if no task causes it. */
export function openStepOf(error: ServerError, onServer: readonly OnServerItem[]): OpenStep | null {
  const causingTask = tasksOf(onServer).find((item) => isCausedBy(error, item));
  return causingTask ? { id: causingTask.id, title: causingTask.title, commands: causingTask.commands ?? [] } : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The code of httpd's error for a server without an MPM (server/main.c). */
const CODE_WITHOUT_MPM = 'AH00534';

/** Whether an error exists only because this task is not done. */
function isCausedBy({ file, line, code, message }: ServerError, { because, commands = [] }: OnServerItem): boolean {
  const modules = new Set(modulesEnabledBy(commands).map((name) => `mod_${name}`));
  if (modules.size > 0) {
    if (code === CODE_WITHOUT_MPM) return [...modules].some((name) => name.startsWith('mod_mpm_'));
    // The text of this error is from invoke_cmd in server/config.c.
    const directiveName = /^Invalid command '<?([^']+)'/.exec(message)?.[1];
    if (directiveName !== undefined) {
      const isSection = /^Invalid command '</.test(message);
      return (directive(directiveName, { section: isSection })?.['2.4']?.modules ?? []).some((each) =>
        modules.has(each),
      );
    }
    // For example "Maybe you need to load the appropriate socache module (mod_socache_shmcb?)".
    if ((message.match(/mod_\w+/g) ?? []).some((each) => modules.has(each))) return true;
    if (isAboutProviderOf(message, modules)) return true;
  }
  // A third-party module of 2.2 cannot be loaded until its version for 2.4 is installed.
  return /^(?:Cannot load|API module structure)/.test(message) && isAtOneOf({ file, line }, because);
}

/**
 * Whether an error is about a provider that one of these modules contains, such as `Unknown Authz
 * provider: ip`, `Unknown filter provider DEFLATE` or `unknown lbmethod` (messages of
 * mod_authz_core, mod_auth_basic, mod_filter, mod_proxy).
 */
function isAboutProviderOf(message: string, modules: ReadonlySet<string>): boolean {
  if (/lbmethod/.test(message)) return [...modules].some((each) => each.startsWith('mod_lbmethod_'));
  const [, kind = '', name = ''] = /^Unknown (Auth[nz]|filter) provider:? ['"]?([\w-]+)/.exec(message) ?? [];
  if (kind === 'filter') return modules.has(`mod_${name.toLowerCase()}`);
  const providersOfHttpd =
    kind === 'Authz' ? providers('authz', '2.4') : kind === 'Authn' ? providers('authn', '2.4') : null;
  return providersOfHttpd?.get(name.toLowerCase())?.some((each) => modules.has(each)) === true;
}

/** Whether the error is at one of these places. */
function isAtOneOf({ file, line }: Pick<ServerError, 'file' | 'line'>, places: readonly PlanPlace[]): boolean {
  return places.some((place) => place.file === file && place.line === line);
}
