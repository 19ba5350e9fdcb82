/**
 * Looks for the files of missing Include lines elsewhere in the copy. Many repositories keep the
 * files of several directories in the directory of the main file.
 */
import type { OpenQuestion } from '../access/open-question';
import type { Configuration } from '../config/configuration';
import { baseName, parentOf, type FileView } from '../config/files';
import { moduleNamed } from '../config/modules';
import { cachedByNames, namesIn } from '../config/name-set';
import { directive } from '../directives';
import { isUnusedCopy } from '../directives/recognize';
import { joinedItems } from '../rules/support/edits';
import { LineKind, spelledName } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { PathWriter } from './answers';
import { filesWithUserAccessLines } from './module-lines';

/**
 * Adds a hint to the questions about missing sites, if the copy has `sites-available` but no links
 * to its files. `root`: the main file.
 */
export function withSitesToLink(
  openQuestions: readonly OpenQuestion[],
  root: string,
  view: Pick<FileView, 'kind' | 'list'>,
): readonly OpenQuestion[] {
  const directory = `${parentOf(root)}/sites-available`;
  const sites = (view.list(directory) ?? []).filter(
    (name) => !name.startsWith('.') && !isUnusedCopy(name) && view.kind(`${directory}/${name}`) === 'file',
  );
  const hasLinks = (view.list(`${parentOf(root)}/sites-enabled`) ?? []).length > 0;
  if (sites.length === 0 || hasLinks) return openQuestions;
  // a2ensite of 2.2 makes this link, so that the site answers requests for unknown host names.
  const hasDefaultSite = sites.includes('default');
  const hint = [
    `\nThis copy has ${sites.length === 1 ? '1 site' : `${sites.length} sites`} in sites-available, and no links to ${sites.length === 1 ? 'it' : 'them'}. Without the 2.2 server, choose the sites that you need. Run these commands in the directory of ${baseName(root)} (repeat the last one for each ${hasDefaultSite ? 'other ' : ''}site that you need: NAME is its name), then run again:`,
    '- mkdir -p sites-enabled',
    ...(hasDefaultSite ? ['- ln -s ../sites-available/default sites-enabled/000-default'] : []),
    '- ln -s ../sites-available/NAME sites-enabled/NAME',
    `The first link in alphabetical order answers requests for unknown host names${hasDefaultSite ? ': on Debian, 000-default' : ''}`,
  ].join('\n');
  return openQuestions.map((each) =>
    each.kind === 'include-unseen' && /(?:^|\/)sites-enabled(?:\/|$)/.test(each.subject) ? { ...each, hint } : each,
  );
}

/**
 * Adds the answer to read all of `mods-available` to the questions about a missing `mods-enabled`,
 * if the copy has `mods-available`. One question then covers all of them. `root`: the main file.
 * The added answer is the usual one, unless files of `mods-available` have access lines of the
 * user, and no line of `configuration` shows that 2.2 has their modules enabled: these access lines
 * would count in any case.
 */
export function withModulesToRead(
  openQuestions: readonly OpenQuestion[],
  configuration: Pick<Configuration, 'files' | 'modules'>,
  root: string,
  view: Parameters<typeof filesWithUserAccessLines>[1],
): readonly OpenQuestion[] {
  const directory = `${parentOf(root)}/mods-available`;
  const fileCount = (view.list(directory) ?? []).filter((name) => /\.(conf|load)$/.test(name)).length;
  if (fileCount === 0 || view.kind(`${parentOf(root)}/mods-enabled`) !== null) return openQuestions;
  const filesText = fileCount === 1 ? '1 file' : `${fileCount} files`;
  const changedFiles = filesWithUserAccessLines(root, view);
  const proofByFile = new Map(changedFiles.map((file) => [file, proofOfEnabled(file, configuration, root)]));
  const filesOfUser = changedFiles.filter((file) => proofByFile.get(file) === null);
  const proofText = [...proofByFile]
    .filter(([, proof]) => proof !== null)
    .map(
      ([file, proof]) =>
        ` The access lines of mods-available/${file} are not those of the Debian package, and 2.2 reads this file: ${proof}.`,
    )
    .join('');
  const advice =
    filesOfUser.length === 0
      ? `If you no longer have the 2.2 server, take the usual answer. It reads the ${filesText} as if all these modules were enabled, because the copy does not show which ones are. Some steps can then be about modules that you do not use`
      : `The answer "Read the ${filesText} of mods-available" treats all these modules as enabled. But ${joinedItems(filesOfUser)} in mods-available ${filesOfUser.length === 1 ? 'has' : 'have'} access lines of your own, not those of the Debian package. If mods-enabled did not have ${filesOfUser.length === 1 ? 'this file' : 'these files'}, 2.2 never used these lines. So choose this answer only if mods-enabled of the 2.2 server has ${joinedItems(filesOfUser)}`;
  return openQuestions.map((each): OpenQuestion => {
    const [, enabledFolder] = /^(\/(?:.*\/)?mods-enabled)(?:\/|$)/.exec(each.search?.folders[0] ?? '') ?? [];
    if (each.kind !== 'include-unseen' || enabledFolder === undefined) return each;
    return {
      ...each,
      coveringQuestion: { kind: each.kind, subject: enabledFolder },
      hint: `This copy has ${filesText} in mods-available, but not the links that enable them.${proofText} ${advice}`,
      offeredCopy: {
        path: directory,
        label: `Read the ${filesText} of mods-available, as if all these modules were enabled`,
        isUsual: filesOfUser.length === 0,
      },
    };
  });
}

/**
 * A line that shows that 2.2 has the module of a file in `mods-available` enabled, as the text
 * `sites-enabled/a:2 has ProxyPass, so proxy was enabled`. Null if no line shows it: httpd must
 * certainly read the line, and 2.2 must have its directive in this module only. `file`: the name of
 * the file, such as `proxy.conf`. `root`: the main file.
 */
function proofOfEnabled(
  file: string,
  { files, modules }: Pick<Configuration, 'files' | 'modules'>,
  root: string,
): string | null {
  const name = file.replace(/\.conf$/, '');
  const module = moduleNamed(`${name}_module`);
  // A LoadModule line elsewhere loads the module without its file.
  if (module === null || modules.includes(`${module}.c`)) return null;
  const trees = [...files.values()].map(({ tree }) => tree);
  if (trees.some(({ root: list }) => hasConditionalInclude(list))) return null;
  const needsModule = cachedByNames((names) => names.hasSome((each) => isOnlyInModule(module, each)));
  for (const { path, tree } of files.values()) {
    const offset = needsModule(namesIn(tree.root)) ? offsetOfLineIn(module, tree.root) : null;
    if (offset === null) continue;
    const { line } = tree.lineAt(offset)!;
    const shownPath = path.startsWith(`${parentOf(root)}/`) ? path.slice(parentOf(root).length + 1) : baseName(path);
    return `${shownPath}:${tree.positionAt(offset).line + 1} has ${spelledName(line)}, so ${name} was enabled`;
  }
  return null;
}

/** Whether 2.2 has a directive or section (`<proxy`) in this module only. */
function isOnlyInModule(module: string, name: string): boolean {
  const modulesOf22 = directive(name, { section: name.startsWith('<') })?.['2.2']?.modules ?? [];
  return modulesOf22.length > 0 && modulesOf22.every((each) => each === module);
}

/**
 * Sections whose lines httpd may not read. The lines of a macro count only where a Use line inserts
 * them.
 */
const CONDITIONAL_SECTIONS: ReadonlySet<string> = new Set(['ifmodule', 'ifdefine', 'ifversion', 'macro']);

/**
 * Whether an Include line is in a conditional section, so that it is unknown which files httpd
 * reads.
 */
function hasConditionalInclude(list: List, isInCondition = false): boolean {
  if (!namesIn(list).hasSome((name) => /^include(?:optional)?$/.test(name))) return false;
  let isFound = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Section)
      isFound ||= hasConditionalInclude(item.body, isInCondition || CONDITIONAL_SECTIONS.has(item.name));
    else isFound ||= isInCondition && /^include(?:optional)?$/.test(item.name);
  });
  return isFound;
}

/**
 * The offset of the first line or section with a name that only `module` has. Lines in conditional
 * sections do not count. Null if there is none.
 */
function offsetOfLineIn(module: string, list: List, base = 0): number | null {
  let foundOffset: number | null = null;
  forEachItem(list, base, (item, offset) => {
    if (foundOffset !== null) return;
    if (!(item instanceof Section)) {
      if (item.kind === LineKind.Directive && isOnlyInModule(module, item.name)) foundOffset = offset;
    } else if (!CONDITIONAL_SECTIONS.has(item.name)) {
      const isOfModule = isOnlyInModule(module, `<${item.name}`);
      foundOffset = isOfModule ? offset : offsetOfLineIn(module, item.body, offset + item.open.length);
    }
  });
  return foundOffset;
}

/** A directory of the server, and the directory of the copy that has its files. */
interface OfferedMapping {
  readonly from: string;
  readonly to: string;
  /** The number of missing files that this mapping finds. */
  readonly foundCount: number;
  /** The number of all missing files. */
  readonly missingCount: number;
}

/**
 * Matches a word that a shell does not change. Only such words are offered, because users copy them
 * into a command.
 */
const PLAIN_WORD = /^[\w./@+,=-]+$/;

/**
 * Maximum numbers of missing files: how many are compared with a mapping, and how many suggest
 * mappings. With thousands of Include lines, more would be slow.
 */
const MAX_COMPARED_FILES = 100;
const MAX_FILES_SUGGESTING = 10;

/**
 * If some files of missing Include lines are below the directory of the main file (`root`), adds a
 * mapping to the questions about these lines: the one that finds most of the files. `nameInOption`
 * and `nameInProjectFile` write a local path for the option `--map` and for .httpd-upgrade.json.
 */
export function withOfferedMapping(
  openQuestions: readonly OpenQuestion[],
  root: string,
  view: Pick<FileView, 'kind'>,
  { nameInOption, nameInProjectFile }: Readonly<Record<'nameInOption' | 'nameInProjectFile', PathWriter>>,
): readonly OpenQuestion[] {
  const isMissingInclude = ({ kind, search }: OpenQuestion) => kind === 'include-unseen' && search !== undefined;
  const missingFolders = openQuestions.filter(isMissingInclude).flatMap(({ search }) => search!.folders);
  const offer = offeredMapping([...new Set(missingFolders)].slice(0, MAX_COMPARED_FILES), parentOf(root), view);
  const option = offer && `${offer.from}=${nameInOption(offer.to)}`;
  if (offer === null || !PLAIN_WORD.test(option!)) return openQuestions;
  const { foundCount, missingCount } = offer;
  const settingText = `{"pathMap": {${JSON.stringify(offer.from)}: ${JSON.stringify(nameInProjectFile(offer.to))}}}`;
  const offerText = `${missingCount === 1 ? 'It is' : `${foundCount} of the ${missingCount} missing files ${foundCount === 1 ? 'is' : 'are'}`} in another directory of this copy. Best: add --map ${option} to the command, and run it again. To make this permanent, write ${settingText} into the file .httpd-upgrade.json (if there is none, create it in the working directory).${foundCount < missingCount ? ` The next run asks only about the other ${missingCount - foundCount === 1 ? 'file' : `${missingCount - foundCount} files`}.` : ''}`;
  return openQuestions.map((each) => (isMissingInclude(each) ? { ...each, shownFacts: [offerText] } : each));
}

/**
 * The mapping to `directory` that finds most of the missing files. Null if none finds any. `paths`:
 * the paths of the missing files on the server.
 */
function offeredMapping(
  paths: readonly string[],
  directory: string,
  view: Pick<FileView, 'kind'>,
): OfferedMapping | null {
  const absolutePaths = paths.filter((path) => path.startsWith('/'));
  let bestMapping: OfferedMapping | null = null;
  for (const from of new Set(absolutePaths.slice(0, MAX_FILES_SUGGESTING).flatMap(parentsOf))) {
    const foundCount = absolutePaths.filter(
      (path) => isBelow(path, from) && existsBelow(view, directory, path.slice(from.length)),
    ).length;
    if (foundCount > (bestMapping?.foundCount ?? 0))
      bestMapping = { from, to: directory, foundCount, missingCount: paths.length };
  }
  return bestMapping;
}

/** The directories above a path, the nearest first. The root directory is left out. */
function parentsOf(path: string): string[] {
  const parentNames = path.split('/').slice(1, -1);
  return parentNames.map((_, index) => `/${parentNames.slice(0, parentNames.length - index).join('/')}`);
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/**
 * Whether a path exists below a directory. For a pattern, only the directories before the first
 * wildcard must exist.
 */
function existsBelow(view: Pick<FileView, 'kind'>, directory: string, path: string): boolean {
  const pathParts = path.split('/').filter((part) => part !== '');
  const wildcardIndex = pathParts.findIndex((part) => /[*?[]/.test(part));
  const partsBeforeWildcard = wildcardIndex < 0 ? pathParts : pathParts.slice(0, wildcardIndex);
  const isFile = wildcardIndex < 0 && !path.endsWith('/');
  return (
    partsBeforeWildcard.length > 0 &&
    view.kind([directory, ...partsBeforeWildcard].join('/')) === (isFile ? 'file' : 'folder')
  );
}
