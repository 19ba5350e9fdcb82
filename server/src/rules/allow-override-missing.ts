import { MAY_SERVE_ANY_FOLDER } from '../access/mappers';
import { isOverrideDefault } from '../access/override';
import { textAfterUrl } from '../config/alias';
import type { ConfigLine, Configuration, Scope } from '../config/configuration';
import { localPathOf, resolvePath, type FileView } from '../config/files';
import { linesOf } from '../config/loaded-modules';
import { namesInUse } from '../config/lines-by-name';
import { argumentsOf, indentOf, type Line, LineKind, spelledName } from '../syntax/line';
import { forEachItem, Section } from '../syntax/tree';
import { lineEnd, nameSpan, quoted } from './support/edits';
import { accessFileNames, mayHtaccessDecideDifferently, SERVING_NAMES } from './support/htaccess-effect';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Edit, Fix } from './rule';

/**
 * Finds directories with .htaccess files to which no AllowOverride line applies. 2.2 allows the
 * directives in these files. 2.4 answers 500 because of them.
 */
export const allowOverrideMissing: ConfigurationRule = {
  id: 'allow-override-missing',
  title: '.htaccess files that cause 500 because no AllowOverride line applies',
  consequence: 'requests get 500',
  since: 0,
  fix: 'suggestion',
  checks: 'configuration',
  names: [...SERVING_NAMES, ...MAY_SERVE_ANY_FOLDER, 'allowoverride', 'allowoverridelist'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#allowoverride',
  examples: [
    {
      title: 'A directory with a .htaccess file',
      before: 'ServerRoot /srv\nDocumentRoot /srv/www\n<Directory /srv/www>\n    Options None\n</Directory>\n',
      after:
        'ServerRoot /srv\nDocumentRoot /srv/www\n<Directory /srv/www>\n    AllowOverride All\n    Options None\n</Directory>\n',
      finds: ['missing'],
      files: { '/srv/www/.htaccess': 'Header set X-From here\n' },
    },
    {
      title: 'Not reported: a directory without a .htaccess file',
      before: 'ServerRoot /srv\nDocumentRoot /srv/www\n<Directory /srv/www>\n    Options None\n</Directory>\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration, view } = ruleInput;
    if (configuration.gaps.length > 0) return [];
    const findings: ConfigurationFinding[] = [];
    const htaccessNames = accessFileNames(configuration);
    const htaccessByFolder = new Map<string, string | null>();
    /**
     * Returns the path of the first .htaccess file in a served directory or directly below it; null
     * if there is none.
     */
    const htaccessBelowServed = (folder: string): string | null => {
      let htaccessPath = htaccessByFolder.get(folder);
      if (htaccessPath === undefined)
        htaccessByFolder.set(
          folder,
          (htaccessPath = htaccessBelow(localPathOf(folder, configuration.pathMap), htaccessNames, view)),
        );
      return htaccessPath;
    };
    const checkedTexts = new Set<string>();
    let lastText = '';
    const servesHtaccess = (line: Line): boolean => {
      const pathText = (line.name === 'documentroot' ? null : textAfterUrl(line)) ?? line.text;
      // A quick test, because nearly all lines repeat the path of an earlier line.
      if (pathText === lastText || checkedTexts.has(pathText)) return false;
      checkedTexts.add((lastText = pathText));
      const folder = servedFolder(line, configuration);
      return folder !== null && htaccessBelowServed(folder) !== null;
    };
    if (!NAMES_SERVING_FOLDERS.some((name) => namesInUse(configuration).lines(name).some(servesHtaccess))) return [];
    const seenFolders = new Set<string>();
    for (const servingLine of NAMES_SERVING_FOLDERS.flatMap((name) => linesOf(configuration, name))) {
      const { line, activity, file, offset } = servingLine;
      const folder = activity === 'active' ? servedFolder(line, configuration) : null;
      if (folder === null || seenFolders.has(folder)) continue;
      seenFolders.add(folder);
      const htaccessPath = htaccessBelowServed(folder);
      if (htaccessPath === null || !isOverrideDefault(configuration, folder)) continue;
      findings.push({
        file: file.path,
        messageId: 'missing',
        ...nameSpan(line, offset),
        what: `\`${spelledName(line)}\`: its .htaccess file causes 500 without an \`AllowOverride\` line`,
        cause: `The default of \`AllowOverride\` was All in 2.2 and is None in 2.4. Without an \`AllowOverride\` line, httpd 2.4 still reads ${htaccessPath} and rejects each directive in it.`,
        help: `In \`<Directory ${quoted(folder)}>\`, write \`AllowOverride All\` to use the file as before, or \`AllowOverride None\` to make httpd ignore it.`,
        fixes: fixesFor(ruleInput, servingLine, folder),
      });
    }
    return findings;
  },
};

const NAMES_SERVING_FOLDERS = ['documentroot', 'alias', 'scriptalias'];

/** The directory that a line serves, as the configuration names it. Null if it is unknown. */
function servedFolder(line: Line, { serverRoot }: Configuration): string | null {
  const servedPath = argumentsOf(line)[line.name === 'documentroot' ? 0 : 1]?.value;
  return servedPath === undefined || servedPath.includes('${') ? null : resolvePath(serverRoot, servedPath);
}

/** Limit of the entries of a directory in which the rule looks for a .htaccess file. */
const MAX_SEARCHED_ENTRIES = 200;

/**
 * The path of the first .htaccess file that has a directive, in a directory or in a directory
 * directly below it. Null if there is none.
 */
function htaccessBelow(folder: string, names: readonly string[], view: FileView): string | null {
  const entries = view.list(folder);
  if (!entries) return null;
  const ownHtaccess = htaccessIn(folder, entries, names, view);
  if (ownHtaccess !== null) return ownHtaccess;
  for (const entry of entries.slice(0, MAX_SEARCHED_ENTRIES)) {
    const childPath = `${folder}/${entry}`;
    if (view.kind(childPath) !== 'folder') continue;
    const htaccessPath = htaccessIn(childPath, view.list(childPath) ?? [], names, view);
    if (htaccessPath !== null) return htaccessPath;
  }
  return null;
}

/** The path of a directory's .htaccess file; null if the file is missing or has no directive. */
function htaccessIn(
  folder: string,
  entries: readonly string[],
  names: readonly string[],
  view: FileView,
): string | null {
  const htaccessName = names.find((each) => entries.includes(each));
  const tree = htaccessName === undefined ? null : view.read(`${folder}/${htaccessName}`);
  let hasDirective = false;
  if (tree)
    forEachItem(
      tree.root,
      0,
      (item) => (hasDirective ||= !(item instanceof Section) && item.kind === LineKind.Directive),
    );
  return hasDirective ? `${folder}/${htaccessName}` : null;
}

/**
 * The fixes that write AllowOverride for the folder: `All` as in 2.2, or `None`. `servingLine`: the
 * line with the finding.
 */
function fixesFor(ruleInput: ConfigurationRuleInput, servingLine: ConfigLine, folder: string): readonly Fix[] {
  const assumptionForAll = '.htaccess files may use all directives, as in 2.2';
  const assumptionForNone = '.htaccess files are not needed';
  const { configuration } = ruleInput;
  if (!mayHtaccessDecideDifferently(ruleInput, folder))
    return [
      fixFor(configuration, servingLine, folder, 'All', assumptionForAll),
      fixFor(configuration, servingLine, folder, 'None', assumptionForNone),
    ];
  // Each fix has `isAppliedAlone`, so that applying all suggestions leaves it out. Such a fix ends
  // the status 500, and 2.4 may then allow clients that 2.2 denied.
  return [
    fixFor(
      configuration,
      servingLine,
      folder,
      'All',
      `${assumptionForAll}, and their access lines mean the same in 2.4`,
    ),
    fixFor(configuration, servingLine, folder, 'None', assumptionForNone),
  ].map((each) => ({ ...each, isAppliedAlone: true }));
}

/** The fix that adds an AllowOverride line to the section of a directory, or a new section. */
function fixFor(
  configuration: Configuration,
  servingLine: ConfigLine,
  folder: string,
  value: string,
  assumes: string,
): Fix {
  const title = `Add AllowOverride ${value}`;
  const section = sectionForFolder(configuration, folder);
  if (section?.section) {
    const { open } = section.section;
    const bodyStart = section.offset + open.length;
    const firstLine = section.lines[0];
    const indent = firstLine && firstLine.file === section.file ? indentOf(firstLine.line) : `${indentOf(open)}    `;
    return fixInFile({ title, assumes }, servingLine, section.file.path, {
      start: bodyStart,
      end: bodyStart,
      text: `${indent}AllowOverride ${value}${lineEnd(open)}`,
    });
  }
  // The main server has no section for this directory, so the fix adds one below the line.
  const eol = lineEnd(servingLine.line);
  const lineEndOffset = servingLine.offset + servingLine.line.length;
  const missingNewline = /\n$/.test(servingLine.line.text) ? '' : eol;
  const indent = indentOf(servingLine.line);
  const newSection = [`<Directory ${quoted(folder)}>`, `    AllowOverride ${value}`, '</Directory>']
    .map((row) => indent + row + eol)
    .join('');
  return fixInFile({ title, assumes }, servingLine, servingLine.file.path, {
    start: lineEndOffset,
    end: lineEndOffset,
    text: missingNewline + newSection,
  });
}

/** The fix for the finding at `servingLine` that makes one edit in `file`. */
function fixInFile(
  titleAndAssumption: Pick<Fix, 'title' | 'assumes'>,
  servingLine: ConfigLine,
  file: string,
  edit: Edit,
): Fix {
  return file === servingLine.file.path
    ? { ...titleAndAssumption, safety: 'suggestion', edits: [edit] }
    : { ...titleAndAssumption, safety: 'suggestion', edits: [], elsewhere: new Map([[file, [edit]]]) };
}

/** The section of the main server for exactly this folder; undefined if there is none. */
function sectionForFolder({ rootScope }: Configuration, folder: string): Scope | undefined {
  return rootScope.children.find(
    ({ kind, words, activity }) =>
      kind === 'directory' && words.length === 1 && activity === 'active' && resolvePath('/', words[0]!) === folder,
  );
}
