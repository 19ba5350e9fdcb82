import { MAY_SERVE_ANY_FOLDER } from '../access/mappers';
import { overrideLines } from '../access/override';
import { activityOf } from '../config/activity';
import type { ConfigLine, Configuration } from '../config/configuration';
import { localPathOf, resolvePath, serverPathOf, type FileView } from '../config/files';
import { linesOf, scopesOf } from '../config/loaded-modules';
import { isNewForServer, type Target } from '../config/target';
import { argumentsOf, LineKind, spelledName } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { contentSpan } from './support/edits';
import { accessFileNames, accessFilesBelow, SERVING_NAMES } from './support/htaccess-effect';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const htaccessComesAlive: ConfigurationRule = {
  id: 'htaccess-comes-alive',
  title: 'A .htaccess file that gives 500 in 2.2 and an answer in 2.4',
  consequence: 'access opens',
  fix: 'none',
  checks: 'configuration',
  names: ['allowoverride', 'allowoverridelist', ...SERVING_NAMES, ...MAY_SERVE_ANY_FOLDER],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#allowoverride',
  examples: [
    {
      title: 'Access lines for 2.2 alone',
      before: 'ServerRoot /srv\n<Directory /srv/www/a>\n    AllowOverride AuthConfig\n</Directory>\n',
      finds: ['opens'],
      files: { '/srv/www/a/.htaccess': '<IfModule !mod_authz_core.c>\n    Deny from all\n</IfModule>\n' },
    },
    {
      title: 'Not reported: the class is allowed',
      before: 'ServerRoot /srv\n<Directory /srv/www/a>\n    AllowOverride AuthConfig Limit\n</Directory>\n',
      finds: [],
      files: { '/srv/www/a/.htaccess': '<IfModule !mod_authz_core.c>\n    Deny from all\n</IfModule>\n' },
    },
  ],
  check({ configuration, view, target }) {
    if (!isNewForServer(0, target) || linesOf(configuration, 'allowoverridelist').length > 0) return [];
    const htaccessNames = accessFileNames(configuration);
    const findings: ConfigurationFinding[] = [];
    for (const { words, lines, activity } of scopesOf(configuration, 'directory')) {
      const [folder] = words;
      if (activity !== 'active' || words.length !== 1 || !folder || /[*?[$]/.test(folder)) continue;
      const overrideLine = lines.findLast(({ line }) => line.name === 'allowoverride');
      const classes = overrideLine
        ? argumentsOf(overrideLine.expandedLine).map(({ value }) => value.toLowerCase())
        : [];
      if (overrideLine?.activity !== 'active' || !allowsOthersButNotLimit(classes)) continue;
      const localFolder = localPathOf(resolvePath(configuration.serverRoot, folder), configuration.pathMap);
      const decidedFiles = accessFilesBelow(localFolder, htaccessNames, view).flatMap((file) => {
        const hasOtherOverride =
          file.folder !== localFolder &&
          !isOnlyOverrideLine(overrideLine, serverPathOf(file.folder, configuration.pathMap), configuration);
        const decider = hasOtherOverride ? null : whatDecidesIn24(file.path, view, target);
        // Without `AuthConfig` in AllowOverride, 2.4 answers 500 if the file has a Require line.
        const isDecidedIn24 = decider !== null && (decider === 'nothing' || classes.includes('authconfig'));
        return isDecidedIn24 ? [{ file: file.path, answer: decider }] : [];
      });
      const firstDecided = decidedFiles.find(({ answer }) => answer === 'nothing') ?? decidedFiles[0];
      if (firstDecided !== undefined)
        findings.push(findingOfLine(overrideLine, firstDecided.file, firstDecided.answer, decidedFiles.length - 1));
    }
    return findings;
  },
};

/** Whether no other line may set AllowOverride for the directory. */
function isOnlyOverrideLine(overrideLine: ConfigLine, folder: string, configuration: Configuration): boolean {
  const linesForFolder = overrideLines(configuration, folder);
  return linesForFolder?.length === 1 && linesForFolder[0] === overrideLine;
}

/**
 * The finding at an AllowOverride line. 2.2 answers 500, because the line does not allow a line of
 * the .htaccess file `file`, which 2.4 skips. `otherCount`: the number of further such files.
 */
function findingOfLine(
  overrideLine: ConfigLine,
  file: string,
  decider: DecidedBy,
  otherCount: number,
): ConfigurationFinding {
  const directiveName = spelledName(overrideLine.line);
  const moreFilesText =
    otherCount === 0 ? '' : ` ${otherCount} more .htaccess ${otherCount === 1 ? 'file does' : 'files do'}, too.`;
  return {
    file: overrideLine.file.path,
    messageId: decider === 'nothing' ? 'opens' : 'answers',
    consequence: decider === 'nothing' ? 'access opens' : 'check after the upgrade',
    ...contentSpan(overrideLine.line, overrideLine.offset),
    what:
      decider === 'nothing'
        ? `\`${directiveName}\` without \`Limit\`: requests with 500 in 2.2 have access in 2.4`
        : `\`${directiveName}\` without \`Limit\`: requests no longer get 500 as in 2.2`,
    cause: `${file} has \`Order\`, \`Allow\` or \`Deny\` in a section that only 2.2 reads.${moreFilesText} 2.2 does not allow them here and answers 500. 2.4 skips them${decider === 'nothing' ? ' and everyone has access' : ' and uses the `Require` lines'}.`,
    help:
      decider === 'nothing'
        ? `Write a \`Require\` line into ${file}, for example \`Require all denied\`.`
        : `Check the \`Require\` lines of ${file}.`,
  };
}

/** What decides access in 2.4: Require lines, or nothing, so that everyone has access. */
type DecidedBy = 'require' | 'nothing';

/**
 * Whether AllowOverride allows some directives in .htaccess files, but not Order, Allow and Deny.
 */
function allowsOthersButNotLimit(classes: readonly string[]): boolean {
  return classes.length > 0 && !classes.some((each) => /^(all|limit|none|.*\$\{.*)$/.test(each));
}

/**
 * What decides access in 2.4 if 2.2 answers 500 because of the file's Order, Allow and Deny lines.
 * Null if 2.4 also answers 500, or if 2.2 does not.
 */
function whatDecidesIn24(path: string, view: FileView, target: Target): DecidedBy | null {
  const tree = view.read(path);
  if (tree === null) return null;
  let hasOldLine = false;
  let hasOldLineIn24 = false;
  let hasRequire = false;
  const walk = (list: List, isActive: boolean): void =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) walk(item.body, isActive && activityOf(item.open, target) !== 'inactive');
      else if (item.kind === LineKind.Directive && OLD_NAMES.has(item.name)) {
        hasOldLine = true;
        hasOldLineIn24 ||= isActive;
      } else if (item.kind === LineKind.Directive && item.name === 'require') hasRequire ||= isActive;
    });
  walk(tree.root, true);
  if (!hasOldLine || hasOldLineIn24) return null;
  return hasRequire ? 'require' : 'nothing';
}

const OLD_NAMES = new Set(['order', 'allow', 'deny']);
