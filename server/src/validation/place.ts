/**
 * The place of a line, as the server checks it when it executes the line: which classes and kinds
 * of directives are in force, and which sections surround it (cmd_parms in include/http_config.h;
 * the functions of the sections in server/core.c, mod_proxy.c, mod_authz_core.c, mod_authn_core.c).
 *
 * For a standalone file, only its own sections are certain: `allowed` is then the most that may be
 * in force, `inside` the least.
 */
import { command, In, OR_ALL, Override, type Command } from '../directives/commands';

/** Where a line stands: what surrounds it, and what AllowOverride permits there. */
export interface Place {
  /** The permissions that may be in force; bits of `Override`. */
  readonly allowed: number;
  /** The places that certainly surround the line; bits of `In`. */
  readonly inside: number;
  /** Whether nothing else can surround the line. */
  readonly isKnown: boolean;
  /** In a section for managed domains of mod_md. */
  readonly isManaged?: true;
  /**
   * For a .htaccess: httpd ignores directives that are not granted, with a warning (AllowOverride
   * Nonfatal=…, AH02295).
   */
  readonly isLenient?: true;
  /** For a .htaccess: the names that AllowOverrideList grants, in lower case. */
  readonly list?: ReadonlySet<string>;
}

export interface PlaceOptions {
  /** Names of the surrounding container sections, outermost first, in lower case. */
  readonly containers: readonly string[];
  /** Surrounding limits and Require containers inside the innermost container, outermost first. */
  readonly limits: readonly string[];
  readonly isHtaccess: boolean;
  /** Whether `containers` is complete. */
  readonly isWholeChain: boolean;
  /** For a .htaccess: the classes that AllowOverride grants, in lower case; null if unknown. */
  readonly overrides: ReadonlySet<string> | null;
  readonly overrideList?: ReadonlySet<string>;
}

/** At the top level of the server and of a virtual host (ap_process_config_tree). */
const SERVER = Override.server | (OR_ALL & ~(Override.authConfig | Override.limit));
const DIRECTORY = OR_ALL | Override.access;
const ANYTHING = SERVER | DIRECTORY | Override.proxy;

/**
 * The place of a line, from the sections around it. Null if the reader of the line is unknown: in a
 * macro, or in an unknown section.
 */
export function placeOf(options: PlaceOptions): Place | null {
  const { isHtaccess, isWholeChain } = options;
  let allowed = isHtaccess ? granted(options.overrides) : isWholeChain ? SERVER : ANYTHING;
  let inside = isHtaccess ? In.htaccess | In.path : 0;
  for (const name of options.containers) {
    const section = SECTIONS[name];
    if (section === undefined) return null;
    const isFirstPath = (inside & In.path) === 0;
    if (name === 'virtualhost') allowed = SERVER;
    else if (section === In.files) allowed = isFirstPath ? DIRECTORY | (isWholeChain ? 0 : Override.proxy) : allowed;
    else if (section === ALIAS) allowed = Override.authConfig | Override.access;
    else if (section !== MANAGED) allowed = section === In.proxy ? DIRECTORY | Override.proxy : DIRECTORY;
    if (section === In.virtualHost) inside |= section;
    else if (section > 0) inside |= section | In.path;
  }
  for (const name of options.limits) {
    // If the container itself is not allowed here, its lines are not reported.
    if ((command(name, true)!.required & allowed) === 0) return { allowed: ANYTHING, inside: 0, isKnown: false };
    inside |= In.limit;
    if (name.startsWith('require')) allowed = Override.authConfig;
  }
  const isLenient = isHtaccess && ['nonfatal=override', 'nonfatal=all'].some((name) => options.overrides?.has(name));
  return {
    allowed,
    inside,
    isKnown: isHtaccess || isWholeChain,
    ...(options.containers.some((name) => SECTIONS[name] === MANAGED) && { isManaged: true as const }),
    ...(isLenient && { isLenient }),
    ...(options.overrideList && { list: options.overrideList }),
  };
}

export type Misplacement =
  /** None of the classes that it requires is in force. */
  | { readonly reason: 'override' }
  /** The function of the directive refuses this kind of place, a bit of `In`. */
  | { readonly reason: 'inside'; readonly where: number };

/**
 * The reason why the server refuses a directive in a place; null if it accepts the directive or
 * that is unknown.
 */
export function misplacement(command: Command, place: Place, name: string): Misplacement | null {
  // A directive that is executed while the file is read does not see the sections around it
  // (ap_build_config_sub).
  if (command.onRead && (place.inside & In.htaccess) === 0) return null;
  if ((command.required & place.allowed) === 0 && !place.list?.has(name))
    return place.isLenient ? null : { reason: 'override' };
  const forbiddenBits = command.forbidden & place.inside;
  if (forbiddenBits === 0) return null;
  return { reason: 'inside', where: ORDER.find((bit) => (forbiddenBits & bit) !== 0)! };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * In the order of ap_check_cmd_context; the kind of section before the fact that there is any
 * section.
 */
const ORDER = [In.virtualHost, In.limit, In.htaccess, In.directory, In.location, In.files, In.proxy, In.path];

const ALIAS = -1;
const MANAGED = -2;

const SECTIONS: Readonly<Record<string, number>> = {
  virtualhost: In.virtualHost,
  directory: In.directory,
  directorymatch: In.directory,
  location: In.location,
  locationmatch: In.location,
  files: In.files,
  filesmatch: In.files,
  if: In.files,
  elseif: In.files,
  else: In.files,
  proxy: In.proxy,
  proxymatch: In.proxy,
  authnprovideralias: ALIAS,
  authzprovideralias: ALIAS,
  mdomain: MANAGED,
  mdomainset: MANAGED,
};

const CLASSES: Readonly<Record<string, number>> = {
  all: OR_ALL,
  limit: Override.limit,
  options: Override.options,
  fileinfo: Override.fileInfo,
  authconfig: Override.authConfig,
  indexes: Override.indexes,
};

function granted(overrides: ReadonlySet<string> | null): number {
  if (overrides === null) return OR_ALL;
  let bits = 0;
  for (const name of overrides) bits |= CLASSES[name] ?? (name.startsWith('options=') ? Override.options : 0);
  return bits;
}
