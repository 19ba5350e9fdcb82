import type { ConfigLine, Configuration } from '../config/configuration';
import { baseName, hasWildcard, mapped, resolvePath, unmapped, type FileView } from '../config/files';
import { linesOf } from '../config/loaded-modules';
import { looksLikeHttpd } from '../directives/recognize';
import { argumentsOf } from '../syntax/line';
import { contentSpan, lineEnd, short } from './edits';
import type { ConfigurationFinding, ConfigurationRule, Said } from './rule';

/** Sites and snippets that were enabled under 2.2, and that no Include of the new main file brings in. */
export const enabledNotIncluded: ConfigurationRule = {
  id: 'enabled-not-included',
  title: 'An enabled site or snippet that no Include reads',
  consequence: 'ignored',
  fix: 'suggestion',
  scope: 'configuration',
  names: ['include', 'includeoptional'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#includeoptional',
  page: {
    what: 'Files in `sites-enabled` or `conf-enabled` whose names do not end in `.conf`, and files in `conf.d`, on Debian. httpd 2.2 read them; the main file of 2.4 does not include them.',
    why:
      'Debian’s `apache2.conf` for 2.2 included `sites-enabled/` and `conf.d/` whole. The one for 2.4 includes `sites-enabled/*.conf` and `conf-enabled/*.conf`: a site that is enabled as `sites-enabled/shop` is read no more. ' +
      'httpd starts, says nothing, and answers with the default site.',
    httpd: 'Nothing. `apache2ctl -S` does not list the virtual hosts of the file.',
    fixing:
      'The fix adds an IncludeOptional line for each file. It is a suggestion: a file may lie there that nobody wants any more. Debian’s own way is to rename the file, so that its name ends in `.conf`, and to enable it with `a2ensite` or `a2enconf`.',
    sources: ['debian/config-dir/apache2.conf of apache2 2.2.22 and 2.4.10, NEWS.Debian of 2.4.1-1', 'experiment: test/httpd/configuration-rules.test.ts'],
  },
  examples: [
    {
      title: 'A site of Debian 7 under the apache2.conf of Debian 8',
      before: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/*.conf\n',
      after: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/*.conf\nIncludeOptional sites-enabled/shop\n',
      finds: ['not-matched'],
      files: {
        '/srv/conf/sites-enabled/000-default.conf': '<VirtualHost *:80>\nServerName www.example.org\n</VirtualHost>\n',
        '/srv/conf/sites-enabled/shop': '<VirtualHost *:80>\nServerName shop.example.org\n</VirtualHost>\n',
      },
    },
    { title: 'All files are included', before: 'ServerRoot /srv/conf\nIncludeOptional sites-enabled/\n', finds: [], files: { '/srv/conf/sites-enabled/shop': '<VirtualHost *:80>\n</VirtualHost>\n' } },
  ],
  check({ configuration, view, distribution }) {
    // What cannot be followed may bring in any file.
    if (configuration.gaps.some(({ reason }) => reason !== 'include-missing' && reason !== 'condition')) return [];
    const includes = [...linesOf(configuration, 'include'), ...linesOf(configuration, 'includeoptional')].filter(({ activity }) => activity !== 'inactive');
    const directories = new Map<string, ConfigLine>();
    for (const at of includes) {
      const path = argumentsOf(at.expanded)[0]?.value;
      const slash = path?.lastIndexOf('/') ?? -1;
      if (path === undefined || !/\*\.\w+$/.test(path.slice(slash + 1)) || hasWildcard(path.slice(0, Math.max(slash, 0)))) continue;
      const directory = resolvePath(configuration.serverRoot, path.slice(0, Math.max(slash, 0)) || '.');
      if (ENABLED.test(baseName(directory)) && !directories.has(directory)) directories.set(directory, at);
    }
    const findings: ConfigurationFinding[] = [];
    const isRead = new Set(configuration.files.keys());
    const report = (files: readonly string[], at: ConfigLine, messageId: string, said: Pick<Said, 'cause' | 'help'>): void => {
      if (files.length > 0) findings.push({ ...placeOf(at), messageId, what: headlineOf(files), ...said, fixes: [fixOf(files, at, configuration)] });
    };
    for (const [directory, at] of directories) {
      const files = notRead(mapped(directory, configuration.map), view, isRead);
      const one = files.length === 1;
      const tool = { 'sites-enabled': 'a2ensite', 'conf-enabled': 'a2enconf' }[baseName(directory)];
      report(
        files, at, 'not-matched',
        {
          cause: `${named(files, directory)} ${one ? 'does' : 'do'} not match ${baseName(argumentsOf(at.expanded)[0].value)}.`,
          help: `Include the file${one ? '' : 's'}, or add .conf to the name${one ? '' : 's'}${tool !== undefined && distribution === 'debian' ? `, and enable ${one ? 'it' : 'them'} again with ${tool}` : ''}.`,
        },
      );
    }
    const last = includes.filter(({ file }) => file === configuration.root.file).at(-1);
    if (distribution !== 'debian' || last === undefined || baseName(configuration.root.file.path) !== 'apache2.conf') return findings;
    const root = mapped(configuration.serverRoot, configuration.map);
    const snippets = notRead(`${root}/conf.d`, view, isRead);
    report(
      snippets, last, 'conf-d',
      {
        cause: `Debian for 2.4 reads conf-enabled, not conf.d. Left out: ${named(snippets, 'conf.d')}.`,
        help: 'Move the files that you still need to conf-available, with names that end in .conf, and enable them with a2enconf.',
      },
    );
    const old = notRead(root, view, isRead).filter((path) => baseName(path) === 'httpd.conf');
    report(old, last, 'httpd-conf', { cause: 'On Debian, httpd 2.4 reads apache2.conf and not httpd.conf.', help: 'Move the lines that you still need to a file in conf-available, and enable it with a2enconf.' });
    return findings;
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** Directories whose files are there to be read. */
const ENABLED = /-enabled$/;

/** What editors, package managers and people leave beside files that count. */
const LEFT_OVER = /^[.#]|^README|~$|\.(bak|old|orig|save|swp|sample|dist|disabled|off|inactive|dpkg-\w+|ucf-\w+|rpm(new|save|orig))$/i;

/** The paths of a directory's own files that hold configuration and are not read. */
function notRead(directory: string, view: FileView, isRead: ReadonlySet<string>): string[] {
  return [...(view.list(directory) ?? [])]
    .sort()
    .filter((name) => !LEFT_OVER.test(name))
    .map((name) => `${directory}/${name}`)
    .filter((path) => view.kind(path) === 'file' && !isRead.has(view.identity(path)) && holdsConfiguration(path, view));
}

function holdsConfiguration(path: string, view: FileView): boolean {
  const tree = view.read(path);
  return tree !== null && looksLikeHttpd(tree.text());
}

/** At most three names, as the configuration spells them. */
function headlineOf(files: readonly string[]): string {
  return files.length === 1 ? `\`${short(baseName(files[0]), 40)}\`: httpd does not read this file` : `\`${short(baseName(files[0]), 40)}\` and ${files.length - 1} more: httpd does not read these files`;
}

function named(files: readonly string[], directory: string): string {
  const names = files.slice(0, 3).map((path) => `\`${baseName(directory)}/${baseName(path)}\``);
  const more = files.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function placeOf({ file, line, offset }: ConfigLine): Pick<ConfigurationFinding, 'file' | 'start' | 'end'> {
  return { file: file.path, ...contentSpan(line, offset) };
}

function fixOf(files: readonly string[], { line, offset }: ConfigLine, { map, serverRoot }: Configuration) {
  const end = offset + line.length;
  const eol = lineEnd(line);
  const indentation = /^[ \t]*/.exec(line.text)![0];
  const added = files.map((path) => {
    const name = unmapped(path, map);
    const relative = name.startsWith(`${serverRoot}/`) ? name.slice(serverRoot.length + 1) : name;
    return `${indentation}IncludeOptional ${/\s/.test(relative) ? `"${relative}"` : relative}`;
  });
  const isLast = !/\n$/.test(line.text);
  const text = isLast ? eol + added.join(eol) : added.join(eol) + eol;
  return { title: files.length === 1 ? `Add IncludeOptional for ${short(baseName(files[0]), 36)}` : `Add IncludeOptional for ${files.length} files`, safety: 'suggestion' as const, edits: [{ start: end, end, text }] };
}
