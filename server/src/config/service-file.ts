/**
 * What a distribution's script starts httpd with, where that is a file of its own and no configuration: SUSE's /etc/sysconfig/apache2. Its start_apache2 writes the files in sysconfig.d
 * from the variables there at every start: a LoadModule line for each name in APACHE_MODULES (openSUSE's package apache2: start_apache2, a2enmod).
 */
import { mapped, type FileView, type PathMap } from './files';

export interface ServiceModule {
  /** As written: `ssl`. */
  readonly name: string;
  /** 0-based, in the file. */
  readonly row: number;
}

export interface ServiceFile {
  /** Where it is here. */
  readonly path: string;
  /** Where the server has it. */
  readonly name: string;
  readonly modules: readonly ServiceModule[];
  /** Whether files of a person's choice are included, too. */
  readonly includesMore: boolean;
}

const SUSE = '/etc/sysconfig/apache2';

/** What SUSE builds in: its own list in APACHE_MODULES has none of them, for 2.4 (SLES 12 and later; the MPM is chosen by APACHE_MPM, each with a program of its own). */
export const SUSE_BUILT_IN: readonly string[] = [
  'core',
  'mod_so',
  'mod_http',
  'mod_unixd',
  'prefork',
  'worker',
  'event',
];

/** Whether an Include of this path reads what SUSE's start script writes. */
export function isWrittenAtStart(path: string): boolean {
  return /(^|\/)sysconfig\.d\//.test(path);
}

/** The service's file of a configuration that includes these paths; null where it has none, or that is not here. */
export function serviceFile(
  included: readonly string[],
  map: PathMap,
  view: Pick<FileView, 'read'>,
): ServiceFile | null {
  if (!included.some(isWrittenAtStart)) return null;
  const path = mapped(SUSE, map);
  const text = view.read(path)?.text();
  if (text === undefined) return null;
  const variables = shellVariables(text);
  const of = (name: string) =>
    (variables.get(name) ?? []).flatMap(({ value, row }) =>
      value
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => ({ name: word, row })),
    );
  return {
    path,
    name: SUSE,
    modules: of('APACHE_MODULES'),
    includesMore: of('APACHE_CONF_INCLUDE_FILES').length + of('APACHE_CONF_INCLUDE_DIRS').length > 0,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

interface Assignment {
  readonly value: string;
  readonly row: number;
}

/** The values of a file of `NAME="value"` lines; the last one counts, and `+=` adds to it. A value in quotes may go over lines; what a shell would have to work out is no value. */
function shellVariables(text: string): Map<string, Assignment[]> {
  const found = new Map<string, Assignment[]>();
  const pattern = /^[ \t]*([A-Z_]\w*)(\+?)=(?:"([^"]*)"|'([^']*)'|([^\s#]*))/gm;
  for (const match of text.matchAll(pattern)) {
    const [, name = '', plus, double, single, bare] = match;
    const row = text.slice(0, match.index).split('\n').length - 1;
    const values = (double ?? single ?? bare ?? '')
      .replace(/\\\r?\n/g, '\n')
      .split('\n')
      .map((value, i) => ({ value, row: row + i }))
      .filter(({ value }) => !/[$`]/.test(value));
    found.set(name, plus === '+' ? [...(found.get(name) ?? []), ...values] : values);
  }
  return found;
}
