/**
 * Finds out whether an error of a real httpd comes from a task on the server that is not done yet,
 * such as enabling a module. Pure.
 */
import { directive, providers } from '../directives/index';
import { tasksOf, type OnServerItem, type PlanPlace } from './server-tasks';

/** A task on the server that is not done and causes an error of `httpd -t`. */
export interface OpenStep {
  readonly id: string;
  readonly title: string;
  /** Its commands. Empty if it has none. */
  readonly commands: readonly string[];
}

/** An error of httpd. */
export interface ServerError {
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly message: string;
}

/** The modules that commands enable, as `a2enmod` names them: `authz_core`. */
export function enabledBy(commands: Iterable<string>): string[] {
  const names = [...commands].flatMap((command) => /^(?:sudo )?a2enmod (.*)/.exec(command)?.[1]?.split(/\s+/) ?? []);
  return [...new Set(names.filter(Boolean))].sort();
}

/** The step that installs third-party modules in a version for 2.4. */
const INSTALL = 'rebuilt-modules';

/**
 * What a check assumes because the user did these tasks: the modules that they enable, and the id
 * of the task that installs third-party modules. `ran`: commands of tasks that the user did, and
 * the ids of those without a command.
 */
export function assumedOf(ran: readonly string[]): string[] {
  return [...enabledBy(ran), ...ran.filter((each) => each === INSTALL)];
}

/**
 * Whether a line was not checked only because this machine lacks a module that is on the server:
 * the user did the task that installs third-party modules there.
 */
export function isInstalled({ message }: Pick<ServerError, 'message'>, ran: readonly string[]): boolean {
  return ran.includes(INSTALL) && /\.so is not installed here$/.test(message);
}

/** The open task that causes an error. Null if the files cause it. */
export function openStepOf(error: ServerError, onServer: readonly OnServerItem[]): OpenStep | null {
  const found = tasksOf(onServer).find((item) => comesFrom(error, item));
  return found ? { id: found.id, title: found.title, commands: found.commands ?? [] } : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** server/main.c */
const NO_MPM = 'AH00534';

function comesFrom({ file, line, code, message }: ServerError, { because, commands = [] }: OnServerItem): boolean {
  const modules = new Set(enabledBy(commands).map((name) => `mod_${name}`));
  if (modules.size > 0) {
    if (code === NO_MPM) return [...modules].some((name) => name.startsWith('mod_mpm_'));
    // From invoke_cmd in server/config.c.
    const name = /^Invalid command '<?([^']+)'/.exec(message)?.[1];
    if (name !== undefined) {
      const isSection = /^Invalid command '</.test(message);
      return (directive(name, { section: isSection })?.['2.4']?.modules ?? []).some((each) => modules.has(each));
    }
    // Such as "Maybe you need to load the appropriate socache module (mod_socache_shmcb?)".
    if ((message.match(/mod_\w+/g) ?? []).some((each) => modules.has(each))) return true;
    if (isOfProvider(message, modules)) return true;
  }
  // A third-party module cannot be loaded before it is installed in a version for 2.4.
  return /^(?:Cannot load|API module structure)/.test(message) && isAt({ file, line }, because);
}

/**
 * Whether an error names a provider of one of these modules: `Unknown Authz provider: ip`, `Unknown
 * filter provider DEFLATE`, `unknown lbmethod` (mod_authz_core, mod_auth_basic, mod_filter,
 * mod_proxy).
 */
function isOfProvider(message: string, modules: ReadonlySet<string>): boolean {
  if (/lbmethod/.test(message)) return [...modules].some((each) => each.startsWith('mod_lbmethod_'));
  const [, kind = '', name = ''] = /^Unknown (Auth[nz]|filter) provider:? ['"]?([\w-]+)/.exec(message) ?? [];
  if (kind === 'filter') return modules.has(`mod_${name.toLowerCase()}`);
  const ours = kind === 'Authz' ? providers('authz', '2.4') : kind === 'Authn' ? providers('authn', '2.4') : null;
  return ours?.get(name.toLowerCase())?.some((each) => modules.has(each)) === true;
}

function isAt({ file, line }: Pick<ServerError, 'file' | 'line'>, places: readonly PlanPlace[]): boolean {
  return places.some((place) => place.file === file && place.line === line);
}
