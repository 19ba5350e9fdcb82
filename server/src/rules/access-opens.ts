import { activityInVersion } from '../access/conditions';
import { ACCESS_NAMES } from '../access/conversion-input';
import { discoverHtaccess } from '../access/htaccess-files';
import { namesIn } from '../config/name-set';
import type { Target } from '../config/target';
import type { ComputedAnswer } from '../requests/decide';
import type { FileLine } from '../requests/model';
import { findOpenings, type OpenedRequest } from '../requests/openings';
import { requestText, STATUS_TEXT } from '../requests/request-text';
import type { Tree } from '../syntax/document';
import { argumentsOf, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import { loadsModuleOf24 } from './support/facts';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput, Span } from './rule';

/**
 * Finds lines because of which 2.4 allows requests that 2.2 denied. It finds them by computing the
 * answers of both versions to many requests.
 */
export const accessOpens: ConfigurationRule = {
  id: 'access-opens',
  title: 'A request that 2.2 denies and 2.4 allows with the same files',
  consequence: 'access opens',
  fix: 'none',
  checks: 'configuration',
  names: ['require', 'order', 'allow', 'deny', 'satisfy'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'A login that only 2.4 replaces',
      before:
        '<Directory "/srv/a">\n    AuthType Basic\n    AuthName "a"\n    AuthUserFile /srv/users\n    Require valid-user\n</Directory>\n<Location "/">\n<IfModule !mod_authz_core.c>\n    Order allow,deny\n    Allow from all\n</IfModule>\n<IfModule mod_authz_core.c>\n    Require all granted\n</IfModule>\n</Location>\nDocumentRoot "/srv/a"\n',
      finds: ['opened'],
    },
    {
      title: 'Not reported: both versions allow the same requests',
      before:
        '<Location "/">\n<IfModule !mod_authz_core.c>\n    Order allow,deny\n    Allow from all\n</IfModule>\n<IfModule mod_authz_core.c>\n    Require all granted\n</IfModule>\n</Location>\nDocumentRoot "/srv/a"\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { requests } = ruleInput;
    if (requests === null) return [];
    const rootLists = rootListsOf(ruleInput);
    if (!mayVersionsDiffer(rootLists, ruleInput.target)) return [];
    if (rootLists.length > MAX_FILES_TO_COMPARE) return findingIfNotCompared(ruleInput, 'files');
    const { openedRequests, isComplete } = findOpenings(requests());
    const openedFindings = openedRequests.flatMap((openedRequest) => findingOf(openedRequest, ruleInput) ?? []);
    return isComplete ? openedFindings : [...findingIfNotCompared(ruleInput, 'requests'), ...openedFindings];
  },
};

/**
 * Rules that report single lines because 2.4 decides access differently. If one of them reports a
 * line, this rule does not report it again.
 */
export const RULES_ABOUT_ACCESS: ReadonlySet<string> = new Set([
  'access-compat-differs',
  'access-mixed',
  'allow-override-class',
  'condition-one-version',
  'htaccess-comes-alive',
  'ifmodule-version-test',
  'order-allow-deny',
  'pattern-difference',
  'require-mixed-modules',
  'require-quoted-provider',
  'satisfy-any-above',
  'satisfy-any-inherited',
  'virtual-host-comes-alive',
]);

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of files whose requests are compared. With more files, the comparison would take
 * as long as all other rules together, so the rule only reports that it did not compare.
 */
const MAX_FILES_TO_COMPARE = 1000;

/** All files of the configuration, with the .htaccess files. */
function rootListsOf({ configuration, view }: ConfigurationRuleInput): List[] {
  const includedRoots = [...configuration.files.values()].map(({ tree }) => tree.root);
  if (includedRoots.length > MAX_FILES_TO_COMPARE) return includedRoots;
  const { files } = discoverHtaccess(configuration, view);
  return [...includedRoots, ...new Set(files.map(({ scope }) => scope.file.tree.root))];
}

/**
 * A quick test whether 2.2 and 2.4 may decide some request differently. It looks only at the names
 * in the files. False if a line loads a module of 2.4: such a configuration has no behaviour of 2.2
 * to keep.
 */
function mayVersionsDiffer(roots: readonly List[], target: Target): boolean {
  return !roots.some(loadsModuleOf24) && mayAnyFileDiffer(roots, target);
}

/** Whether one of the files has lines about access that the versions may read differently. */
function mayAnyFileDiffer(roots: readonly List[], target: Target): boolean {
  // Where Require lines apply without an AuthType, 2.2 answers 500. So if no file has an AuthType
  // line, there is no access to compare.
  const hasLogin = roots.some((root) => namesIn(root).hasName('authtype'));
  return roots.some((root) => {
    const difference = cachedDifference(root, target);
    return difference === 'condition' || (difference === 'require' && hasLogin);
  });
}

/**
 * Which lines the versions may read differently: conditions or Satisfy (`condition`), only Require
 * lines (`require`), or none.
 */
type Difference = 'condition' | 'require' | 'none';

const differenceCache = cacheOf<List, { readonly target: Target; readonly difference: Difference }>();

/** The result of `differenceOf`, cached for the last target. */
function cachedDifference(list: List, target: Target): Difference {
  const lastDifference = differenceCache.get(list);
  if (lastDifference?.target === target) return lastDifference.difference;
  const difference = differenceOf(list, target);
  differenceCache.set(list, { target, difference });
  return difference;
}

/** The difference that the lines and sections of a list make. */
function differenceOf(list: List, target: Target): Difference {
  const namesInList = namesIn(list);
  if (![...CONDITION_TAGS, 'require', 'satisfy'].some((name) => namesInList.hasName(name))) return 'none';
  let difference: Difference = 'none';
  forEachItem(list, 0, (item) => {
    if (difference === 'condition') return;
    const itemDifference = item instanceof Section ? differenceOfSection(item, target) : differenceOfLine(item);
    if (itemDifference !== 'none') difference = itemDifference;
  });
  return difference;
}

/** The difference that a line outside of conditions makes. */
function differenceOfLine(line: Line): Difference {
  if (line.name !== 'require' && line.name !== 'satisfy') return 'none';
  const [word] = argumentsOf(line);
  if (line.name === 'satisfy') return word?.value.toLowerCase() === 'any' ? 'condition' : 'none';
  return isAboutUsers(word?.value) ? 'none' : 'require';
}

/** The difference that a section and its body make. */
function differenceOfSection(section: Section, target: Target): Difference {
  const { name, body } = section;
  if (CONDITION_TAGS.has(`<${name}`) && mayDifferByVersion(section, target) && hasAccessLines(body)) return 'condition';
  if (name.startsWith('limit') && namesIn(body).hasName('require')) return 'condition';
  return differenceOf(body, target);
}

/** The tags of sections that perhaps only one version reads, as names with `<`. */
const CONDITION_TAGS: ReadonlySet<string> = new Set(['<ifversion', '<ifmodule', '<ifdefine']);

/** Whether a Require line with this provider has the same meaning in both versions. */
function isAboutUsers(provider: string | undefined): boolean {
  return provider === 'user' || provider === 'valid-user' || provider === 'group';
}

/** Whether only one of the versions reads the section, or may read it. */
function mayDifferByVersion({ open }: Section, target: Target): boolean {
  return activityInVersion('2.2', open, target) !== activityInVersion('2.4', open, target);
}

/** Whether the body has lines that decide access, or that change to which requests they apply. */
function hasAccessLines(body: List): boolean {
  return namesIn(body).hasSome((name) => ACCESS_NAMES.has(name) || NAMES_AFFECTING_REQUESTS.test(name));
}

const NAMES_AFFECTING_REQUESTS =
  /^(include|define|use$|auth|setenvif|browsermatch|redirect|rewrite|server(name|alias)|<virtualhost)/;

/** A finding at the first line of the main file, which says that not all requests were compared. */
function findingIfNotCompared(
  { configuration: { rootScope } }: ConfigurationRuleInput,
  whatIsTooMany: 'files' | 'requests',
): ConfigurationFinding[] {
  const { file, lines } = rootScope;
  const firstLine = lines.find((each) => each.file === file && each.macro === undefined);
  if (firstLine === undefined) return [];
  const { line, offset } = firstLine;
  return [
    {
      file: file.path,
      messageId: `too-many-${whatIsTooMany}`,
      consequence: 'check before the upgrade',
      ...contentSpan(line, offset),
      what: fittingHeadline(
        whatIsTooMany === 'files'
          ? `\`${shortened(line.text.trim(), 30)}\`: too many files to compare the requests`
          : `\`${shortened(line.text.trim(), 30)}\`: too many requests to compare all of them`,
        `Too many ${whatIsTooMany} to compare the requests of 2.2 and 2.4`,
      ),
      cause: `${
        whatIsTooMany === 'files'
          ? `The configuration has more than ${MAX_FILES_TO_COMPARE} files.`
          : 'The configuration has many sections or virtual hosts, and only a part of the requests was compared.'
      } Lines that are right by themselves may together allow requests in 2.4 that 2.2 denied: this was not checked.`,
      help: 'Before the upgrade, ask for important requests with `httpd-upgrade explain --request URL`. Or compare both servers with `httpd-upgrade compare`.',
    },
  ];
}

/**
 * The finding at the line that causes the change for a request. Null if no file has this line.
 */
function findingOf(
  openedRequest: OpenedRequest,
  { configuration, view }: ConfigurationRuleInput,
): ConfigurationFinding | null {
  const { causingLine, isReadOnlyBy22, request, answerBefore, answerAfter, unknownFacts } = openedRequest;
  const tree = configuration.files.get(causingLine.file)?.tree ?? view.read(causingLine.file);
  const placedLine = tree?.lineAt(tree.offsetAt({ line: causingLine.line, character: 0 }));
  if (!tree || !placedLine) return null;
  const directive = `\`${shortened(causingLine.text, 36)}\``;
  const decidingLine = answerBefore.answer.because[0];
  const unknownFactsText =
    unknownFacts.length === 0 ? '' : ` Not shown by the files: ${unknownFacts.map(({ what }) => what).join('; ')}.`;
  const reason = decidingLine
    ? ` (\`${shortened(decidingLine.text, 60)}\`, ${decidingLine.file}:${decidingLine.line + 1})`
    : '';
  return {
    file: causingLine.file,
    messageId: isReadOnlyBy22 ? 'lost' : 'opened',
    ...contentSpan(placedLine.line, placedLine.offset),
    what: isReadOnlyBy22
      ? fittingHeadline(
          `${directive} no longer denies some requests in 2.4`,
          'Requests that 2.2 denied are allowed in 2.4',
        )
      : fittingHeadline(
          `${directive}: 2.4 allows requests that 2.2 denies`,
          'Requests that 2.2 denied are allowed in 2.4',
        ),
    cause: `Example: \`${requestText(request)}\`. 2.2 answers ${STATUS_TEXT[answerBefore.answer.access]}${reason}. 2.4 with mod_access_compat answers ${STATUS_TEXT[answerAfter.answer.access]} with the same files.${unknownFactsText}`,
    help: isReadOnlyBy22
      ? 'Convert the section to `Require` before the upgrade, so that 2.4 denies this request.'
      : 'Change the access lines of this section before the upgrade, so that 2.4 denies this request.',
    about: [answerBefore, answerAfter].flatMap((answer) => spansIn(answer, causingLine, tree)),
  };
}

/** The spans of the sections that decide the answer to a request, if they are in the given file. */
function spansIn({ sections }: ComputedAnswer, { file }: FileLine, tree: Tree): Span[] {
  return sections.flatMap(({ scope: { file: sectionFile, offset, section } }) =>
    sectionFile.path === file ? [{ start: offset, end: section ? offset + section.length : tree.length }] : [],
  );
}
