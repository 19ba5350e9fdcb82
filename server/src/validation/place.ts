/**
 * Decides whether a directive is allowed where its line is, as httpd does when it executes the
 * line. Two things count: the permissions of the line, and the sections that surround it (cmd_parms
 * in include/http_config.h; the functions of the sections in server/core.c, mod_proxy.c,
 * mod_authz_core.c, mod_authn_core.c).
 *
 * If a file is checked alone, it is unknown which sections of other files surround it.
 * `allowedOverrides` then has all permissions that are possible, and `surroundingPlaces` only the
 * places that are certain.
 */
import { commandNamed, ForbiddenIn, OR_ALL, Override, type Command } from '../directives/commands';

/** The permissions of a line, and the kinds of sections that surround it. */
export interface Place {
  /**
   * The classes of directives that httpd permits at this line, as bits of `Override`. If it is
   * unknown what surrounds the line: all classes that are possible.
   */
  readonly allowedOverrides: number;
  /** Places that certainly surround the line; bits of `ForbiddenIn`. */
  readonly surroundingPlaces: number;
  /** Whether `surroundingPlaces` is complete. */
  readonly areAllPlacesKnown: boolean;
  /** Whether the line is in a section for managed domains of mod_md. */
  readonly isManaged?: true;
  /**
   * For a .htaccess: whether httpd ignores forbidden directives with a warning (AllowOverride
   * Nonfatal=…, AH02295).
   */
  readonly isLenient?: true;
  /** For a .htaccess: the directives that AllowOverrideList permits, in lower case. */
  readonly overrideList?: ReadonlySet<string>;
}

/** What surrounds a line, as far as it is known. */
export interface PlaceOptions {
  /** The surrounding container sections, outermost first; names in lower case. */
  readonly containers: readonly string[];
  /**
   * The sections `<Limit>`, `<LimitExcept>` and Require containers inside the innermost container,
   * outermost first.
   */
  readonly limits: readonly string[];
  readonly isHtaccess: boolean;
  /** Whether `containers` is complete. */
  readonly areAllContainersKnown: boolean;
  /**
   * For a .htaccess: the classes of directives that AllowOverride permits, in lower case; null if
   * unknown.
   */
  readonly overrides: ReadonlySet<string> | null;
  readonly overrideList?: ReadonlySet<string>;
}

/** Permissions at the top level of the server and of a virtual host (ap_process_config_tree). */
const SERVER_OVERRIDES = Override.server | (OR_ALL & ~(Override.authConfig | Override.limit));
/** Permissions in a section for a directory, a file or a URL. */
const DIRECTORY_OVERRIDES = OR_ALL | Override.access;
/** All permissions, for lines whose surroundings are not known. */
const ALL_OVERRIDES = SERVER_OVERRIDES | DIRECTORY_OVERRIDES | Override.proxy;

/**
 * Computes the place of a line from its sections. Null if the line is in a macro or in an unknown
 * section, because it is then unknown how httpd reads it.
 */
export function placeOf(options: PlaceOptions): Place | null {
  const { isHtaccess, areAllContainersKnown } = options;
  let allowedOverrides = isHtaccess
    ? bitsOfOverrides(options.overrides)
    : areAllContainersKnown
      ? SERVER_OVERRIDES
      : ALL_OVERRIDES;
  let surroundingPlaces = isHtaccess ? ForbiddenIn.htaccess | ForbiddenIn.path : 0;
  for (const name of options.containers) {
    const sectionPlace = PLACE_OF_SECTION[name];
    if (sectionPlace === undefined) return null;
    const isOutsideOfPaths = (surroundingPlaces & ForbiddenIn.path) === 0;
    if (name === 'virtualhost') allowedOverrides = SERVER_OVERRIDES;
    else if (sectionPlace === ForbiddenIn.files)
      allowedOverrides = isOutsideOfPaths
        ? DIRECTORY_OVERRIDES | (areAllContainersKnown ? 0 : Override.proxy)
        : allowedOverrides;
    else if (sectionPlace === PROVIDER_ALIAS_SECTION) allowedOverrides = Override.authConfig | Override.access;
    else if (sectionPlace !== MANAGED_DOMAIN_SECTION)
      allowedOverrides =
        sectionPlace === ForbiddenIn.proxy ? DIRECTORY_OVERRIDES | Override.proxy : DIRECTORY_OVERRIDES;
    if (sectionPlace === ForbiddenIn.virtualHost) surroundingPlaces |= sectionPlace;
    else if (sectionPlace > 0) surroundingPlaces |= sectionPlace | ForbiddenIn.path;
  }
  for (const name of options.limits) {
    // If this `<Limit>` or Require container is itself not allowed here, only the container is
    // reported and not its lines.
    if ((commandNamed(name, true)!.requiredBits & allowedOverrides) === 0)
      return { allowedOverrides: ALL_OVERRIDES, surroundingPlaces: 0, areAllPlacesKnown: false };
    surroundingPlaces |= ForbiddenIn.limit;
    if (name.startsWith('require')) allowedOverrides = Override.authConfig;
  }
  const isLenient = isHtaccess && ['nonfatal=override', 'nonfatal=all'].some((name) => options.overrides?.has(name));
  return {
    allowedOverrides,
    surroundingPlaces,
    areAllPlacesKnown: isHtaccess || areAllContainersKnown,
    ...(options.containers.some((name) => PLACE_OF_SECTION[name] === MANAGED_DOMAIN_SECTION) && {
      isManaged: true as const,
    }),
    ...(isLenient && { isLenient }),
    ...(options.overrideList && { overrideList: options.overrideList }),
  };
}

/** Why httpd refuses a directive in a place. */
export type Misplacement =
  /** The line has none of the permissions that the directive requires. */
  | { readonly reason: 'override' }
  /**
   * The function of the directive refuses lines in this kind of place. `refusedPlace` is a bit of
   * `ForbiddenIn`.
   */
  | { readonly reason: 'inside'; readonly refusedPlace: number };

/** Why httpd refuses a directive in a place. Null if httpd accepts it, or if that is unknown. */
export function misplacement(command: Command, place: Place, name: string): Misplacement | null {
  // A directive that is executed while the file is read does not see its surrounding sections
  // (ap_build_config_sub).
  if (command.isExecutedOnRead && (place.surroundingPlaces & ForbiddenIn.htaccess) === 0) return null;
  if ((command.requiredBits & place.allowedOverrides) === 0 && !place.overrideList?.has(name))
    return place.isLenient ? null : { reason: 'override' };
  const forbiddenBits = command.forbiddenBits & place.surroundingPlaces;
  if (forbiddenBits === 0) return null;
  return { reason: 'inside', refusedPlace: ORDER_OF_PLACE_CHECKS.find((bit) => (forbiddenBits & bit) !== 0)! };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The order in which ap_check_cmd_context checks the surrounding sections: first each kind of
 * section, then whether any section gives the line a path.
 */
const ORDER_OF_PLACE_CHECKS = [
  ForbiddenIn.virtualHost,
  ForbiddenIn.limit,
  ForbiddenIn.htaccess,
  ForbiddenIn.directory,
  ForbiddenIn.location,
  ForbiddenIn.files,
  ForbiddenIn.proxy,
  ForbiddenIn.path,
];

/**
 * Stands for a section that defines a provider (`<AuthnProviderAlias>`). It is no bit of
 * `ForbiddenIn`.
 */
const PROVIDER_ALIAS_SECTION = -1;
/** Stands for a section for managed domains of mod_md. It is no bit of `ForbiddenIn`. */
const MANAGED_DOMAIN_SECTION = -2;

/** The place that each section is: a bit of `ForbiddenIn`, or one of the two numbers above. */
const PLACE_OF_SECTION: Readonly<Record<string, number>> = {
  virtualhost: ForbiddenIn.virtualHost,
  directory: ForbiddenIn.directory,
  directorymatch: ForbiddenIn.directory,
  location: ForbiddenIn.location,
  locationmatch: ForbiddenIn.location,
  files: ForbiddenIn.files,
  filesmatch: ForbiddenIn.files,
  if: ForbiddenIn.files,
  elseif: ForbiddenIn.files,
  else: ForbiddenIn.files,
  proxy: ForbiddenIn.proxy,
  proxymatch: ForbiddenIn.proxy,
  authnprovideralias: PROVIDER_ALIAS_SECTION,
  authzprovideralias: PROVIDER_ALIAS_SECTION,
  mdomain: MANAGED_DOMAIN_SECTION,
  mdomainset: MANAGED_DOMAIN_SECTION,
};

/** The bits of `Override` that each class in AllowOverride allows. */
const OVERRIDE_OF_CLASS: Readonly<Record<string, number>> = {
  all: OR_ALL,
  limit: Override.limit,
  options: Override.options,
  fileinfo: Override.fileInfo,
  authconfig: Override.authConfig,
  indexes: Override.indexes,
};

/**
 * The bits of `Override` for the classes that AllowOverride allows. All bits of .htaccess files for
 * null (unknown).
 */
function bitsOfOverrides(overrides: ReadonlySet<string> | null): number {
  if (overrides === null) return OR_ALL;
  let bits = 0;
  for (const name of overrides) bits |= OVERRIDE_OF_CLASS[name] ?? (name.startsWith('options=') ? Override.options : 0);
  return bits;
}
