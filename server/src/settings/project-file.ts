/**
 * Reads `.httpd-upgrade.json`: the settings that a team shares between its editors, the command
 * line and CI. Reading never fails: an invalid part is reported with its position and ignored, the
 * rest is used.
 */
import type { Distribution } from '../config/distribution';
import { isAbsolute, resolvePath, isInFolder, type LinkView } from '../config/files';
import { moduleByAnyName } from '../config/modules';
import { parseTarget, type Target } from '../config/target';
import { module as findModule, modules } from '../directives';
import { nearest } from '../directives/nearest';
import { ALL_RULES } from '../rules/all';
import { answerProblem, pathInAnswer, NO_ANSWERS, questionText, type Answers } from '../analysis/answers';
import { SEVERITIES, type Severity } from '../rules/rule';
import { cacheOf, lazy } from '../syntax/memory';
import { applyEdits, editsThatSet, parseJson, propertiesOf, type JsonNode, type JsonProperty } from './json';
import { SETTINGS, type Setting } from './schema';
import { fittingPart, MAX_TEXT_LENGTH, quotedAlternatives, quotedPart, type SettingValues } from './values';

/** The name of the project file. */
export const PROJECT_FILE = '.httpd-upgrade.json';

/**
 * Whether `unused` contains a file or a directory above it. `name`: the path of the file relative
 * to the directory of the project file.
 */
export function isMarkedUnused({ unused = [] }: Pick<ProjectSettings, 'unused'>, name: string): boolean {
  return unused.length > 0 && pathAndParents(name).some((each) => unusedNamesIn(unused).has(each));
}

/** The settings in a `.httpd-upgrade.json`. */
export interface ProjectSettings {
  readonly target?: Target;
  /**
   * The distribution; null if the file asks to find it by the configuration, undefined if the file
   * does not name it.
   */
  readonly distribution?: Distribution | null;
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Values of the settings that an editor has, too, by their names in the editor. */
  readonly values: Partial<SettingValues>;
  /** The base of relative paths of the configuration, as a path of the server. */
  readonly serverRoot?: string;
  /** The names that are defined when the server starts; `-D NAME` has the value ''. */
  readonly defines: ReadonlyMap<string, string>;
  /**
   * The modules that are compiled into the server, by their names in the manual; undefined to use
   * those of the distribution.
   */
  readonly builtIn?: ReadonlySet<string>;
  /** Answers to questions of the plan, by the ids of the questions. */
  readonly answers: Answers;
  /**
   * Maps paths of the server to paths of this machine. The values are as written in the project
   * file: a relative path is below its folder.
   */
  readonly pathMap: readonly { readonly from: string; readonly to: string }[];
  /**
   * Files and directories that the server does not use, relative to the folder of the project file,
   * such as `conf/old`.
   */
  readonly unused?: readonly string[];
}

/** A mistake in a project file. */
export interface ProjectProblem {
  /** UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** The settings without a project file. */
export const NO_PROJECT_SETTINGS: ProjectSettings = {
  severities: {},
  values: {},
  defines: new Map(),
  answers: NO_ANSWERS,
  pathMap: [],
};

/** The settings in a project file, and its mistakes. */
export interface ParsedProjectFile {
  readonly settings: ProjectSettings;
  readonly problems: readonly ProjectProblem[];
}

/**
 * Maximum size of a project file, in UTF-16 units or bytes, because an editor reads it during a
 * request. Real ones are far shorter.
 */
export const MAX_PROJECT_FILE_SIZE = 512 * 1024;

/** The problem of a larger file: the words after "This file". */
export const TOO_LARGE_TEXT = `is larger than ${MAX_PROJECT_FILE_SIZE / 1024} kB`;

const TOO_LONG_MESSAGE = `This text has more than ${MAX_TEXT_LENGTH} characters. Write a shorter one.`;

/**
 * Maximum number of paths in the file. Each is looked up on the disk and compared with each path of
 * the configuration.
 */
export const MAX_PATHS = 1000;

/** Maximum number of modules in the file. httpd has about a hundred. */
export const MAX_MODULES = 1000;

/** Maximum number of answers in the file. Each is compared with the text of its question. */
const MAX_ANSWERS = 5000;

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 5000;

/**
 * Maximum number of unknown names for which a similar name is suggested, because finding it takes
 * time.
 */
const MAX_SIMILAR_NAME_SEARCHES = 100;

/**
 * The directory of a project file. The paths in the file must stay below it. `view`, if given,
 * resolves links.
 */
export interface ProjectPlace {
  readonly folder: string;
  readonly view?: LinkView;
}

/**
 * An arbitrary directory, for a file whose place is unknown. Whether a path stays below it is then
 * decided by the text of the path alone.
 */
const ANY_PLACE: ProjectPlace = { folder: '/.project' };

/**
 * Why the project file in a folder must not be read, as the end of a sentence that begins with
 * "This file". Null if the file may be read. A project file can come from somebody else, so it must
 * not be a link to a file outside of the folder.
 */
export function whyLeadsOut({ folder, view }: ProjectPlace): string | null {
  return isInFolder(PROJECT_FILE, folder, view) ? null : 'is a link that leads out of its directory';
}

/**
 * Like `readProjectSettings`, but also accepts a file that could not be read. `problem`: the
 * reason, to follow the words "This file".
 */
export function readProjectFile(
  file: { readonly text: string } | { readonly problem: string },
  place?: ProjectPlace,
): ParsedProjectFile & { readonly text: string } {
  if ('text' in file) return { text: file.text, ...readProjectSettings(file.text, place) };
  return { text: '', ...unreadableFile(0, 0, `This file ${file.problem}.`) };
}

/** The settings in the text, and its problems. */
export function readProjectSettings(text: string, place: ProjectPlace = ANY_PLACE): ParsedProjectFile {
  if (text.length > MAX_PROJECT_FILE_SIZE) return unreadableFile(0, 1, `This file ${TOO_LARGE_TEXT}.`);
  const parsedJson = parseJson(text);
  if ('problem' in parsedJson) {
    const { offset, message } = parsedJson.problem;
    return unreadableFile(offset, Math.min(text.length, offset + 1), `This is not JSON: ${message}.`);
  }
  return new ProjectFileReader(place).read(parsedJson.root);
}

/** Further settings that `withAnswers` adds, unless the file already has them. */
export interface FurtherSettings {
  /**
   * Whether the files are of 2.2. Then the setting `source` is added, because the fixed files no
   * longer show that they are of 2.2.
   */
  readonly isFrom22?: boolean;
  /** The names and values that httpd gets with `-D`. */
  readonly defines?: ReadonlyMap<string, string>;
}

/**
 * Returns the text with the answers and the further settings added; everything else stays. Null if
 * the text is not a JSON object. `text` is null for a new file.
 */
export function withAnswers(
  text: string | null,
  answers: Answers,
  { isFrom22 = false, defines = new Map() }: FurtherSettings = {},
): string | null {
  const originalText = text ?? '{}\n';
  const parsedJson = parseJson(originalText);
  if ('problem' in parsedJson || parsedJson.root.type !== 'object') return null;
  const properties = propertiesOf(parsedJson.root);
  const answersProperty = properties.findLast(({ key }) => key === 'answers');
  const withValue = (before: string, path: readonly string[], value: unknown) =>
    applyEdits(before, editsThatSet(before, path, value));
  const hasProperty = (name: string) => properties.some(({ key }) => key === name);
  const haveDefinesNoValues = [...defines.values()].every((value) => value === '');
  let changedText =
    answersProperty && answersProperty.value.type !== 'object'
      ? withValue(originalText, ['answers'], {})
      : originalText;
  if (defines.size > 0 && !hasProperty('defines'))
    changedText = withValue(
      changedText,
      ['defines'],
      haveDefinesNoValues ? [...defines.keys()] : Object.fromEntries(defines),
    );
  for (const [id, answer] of answers) changedText = withValue(changedText, ['answers', id], answer);
  return isFrom22 && !hasProperty('source') ? withValue(changedText, ['source'], '2.2') : changedText;
}

// ---------------------------------------------------------------------------------------------------------------------

const unusedNamesCache = cacheOf<readonly string[], ReadonlySet<string>>();

/** The list as a set, because each file is looked up in it. */
function unusedNamesIn(unused: readonly string[]): ReadonlySet<string> {
  let unusedNames = unusedNamesCache.get(unused);
  if (!unusedNames) unusedNamesCache.set(unused, (unusedNames = new Set(unused)));
  return unusedNames;
}

/** The path and the directories above it: `a/b`, `a`. */
function pathAndParents(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
}

/**
 * The result for a file of which nothing is used. The message is about the text at these offsets.
 */
function unreadableFile(start: number, end: number, message: string): ParsedProjectFile {
  return {
    settings: NO_PROJECT_SETTINGS,
    problems: [{ start, end, message: `${message} Nothing in this file is used.` }],
  };
}

/** A setting that a team may set in the file. */
type SharedSetting = Setting & Required<Pick<Setting, 'project'>>;

/** The settings that a team may set, by their keys in the file. */
const SHARED_SETTINGS: ReadonlyMap<string, SharedSetting> = new Map(
  SETTINGS.filter((setting: Setting): setting is SharedSetting & (typeof SETTINGS)[number] => 'project' in setting).map(
    (setting) => [setting.project.key, setting],
  ),
);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the values of the file into settings, and collects the problems. */
class ProjectFileReader {
  constructor(private readonly place: ProjectPlace) {}

  private readonly problems: ProjectProblem[] = [];
  /** The number of paths that were looked up on the disk so far. */
  private pathCount = 0;
  private readonly settings: Mutable<ProjectSettings> = { ...NO_PROJECT_SETTINGS };
  /** Readers for values that the schema alone does not describe. */
  private readonly readerByKey: Readonly<Record<string, (value: JsonNode) => void>> = {
    $schema: (value) => void this.textValue(value, 'an address'),
    target: (value) => this.readTarget(value),
    distribution: (value) => this.readDistribution(value),
    severity: (value) => this.readSeverities(value),
    serverRoot: (value) => this.readServerRoot(value),
    defines: (value) => this.readDefines(value),
    builtinModules: (value) => this.readBuiltinModules(value),
    pathMap: (value) => this.readPathMap(value),
    answers: (value) => this.readAnswers(value),
    unused: (value) => this.readUnused(value),
  };

  read(root: JsonNode): { settings: ProjectSettings; problems: readonly ProjectProblem[] } {
    const settingNames = [
      ...new Set([...SHARED_SETTINGS.keys(), ...Object.keys(this.readerByKey).filter((each) => each !== '$schema')]),
    ];
    this.forEachProperty(root, 'the settings, such as { "target": "2.4.6" }', (property) => {
      const { key, value } = property;
      const setting = SHARED_SETTINGS.get(key);
      if (Object.hasOwn(this.readerByKey, key)) this.readerByKey[key]!(value);
      else if (setting) {
        const fittingValue = this.simpleValue(value, setting);
        if (fittingValue !== undefined)
          this.settings.values = { ...this.settings.values, [setting.name]: fittingValue };
      } else this.reportUnknown(property, 'setting', settingNames);
    });
    return { settings: this.settings, problems: this.problems };
  }

  /**
   * A text, number or boolean that fits the schema of the setting. If the value does not fit,
   * reports that and returns undefined.
   */
  private simpleValue(value: JsonNode, { manifest, project: { subjectOfMessages, expects } }: SharedSetting): unknown {
    if (manifest.type === 'boolean' || manifest.type === 'integer') {
      const fittingValue = fittingPart(value.value, manifest);
      const minimumText = manifest.minimum === undefined ? '' : ` from ${manifest.minimum}`;
      if (fittingValue === undefined)
        this.reportProblem(
          value,
          manifest.type === 'boolean' ? 'Write true or false here.' : `Write a whole number${minimumText} here.`,
        );
      return fittingValue;
    }
    const allowedWords = manifest.enum ?? [];
    const expectedValue = expects ?? quotedAlternatives(allowedWords);
    const text = this.textValue(value, expectedValue);
    if (text === null) return undefined;
    const fittingValue = fittingPart(text, manifest);
    if (fittingValue === undefined)
      this.reportProblem(
        value,
        `${subjectOfMessages} is ${expectedValue}, not "${quotedPart(text)}".${similarNameText(text, allowedWords)}`,
      );
    return fittingValue;
  }

  private readTarget(value: JsonNode): void {
    const targetText = this.simpleValue(value, SHARED_SETTINGS.get('target')!);
    const target = targetText === undefined ? null : parseTarget(targetText as string);
    if (target) this.settings.target = target;
  }

  private readDistribution(value: JsonNode): void {
    const distributionText = this.simpleValue(value, SHARED_SETTINGS.get('distribution')!) as
      | 'auto'
      | Distribution
      | undefined;
    if (distributionText !== undefined)
      this.settings.distribution = distributionText === 'auto' ? null : distributionText;
  }

  private readSeverities(value: JsonNode): void {
    const allowedSeverities = ['off', ...SEVERITIES];
    const ruleIds = ALL_RULES.map((rule) => rule.id);
    const severities: Record<string, Severity | 'off'> = {};
    this.forEachProperty(value, 'rules and their severities, such as { "max-clients": "off" }', (property) => {
      const ruleId = property.key.toLowerCase();
      if (!ruleIds.includes(ruleId)) return this.reportUnknown(property, 'rule', ruleIds);
      const severityText = this.textValue(property.value, quotedAlternatives(allowedSeverities));
      if (severityText === null) return;
      if (allowedSeverities.includes(severityText)) severities[ruleId] = severityText as Severity | 'off';
      else
        this.reportProblem(
          property.value,
          `A severity is ${quotedAlternatives(allowedSeverities)}, not "${quotedPart(severityText)}".${similarNameText(severityText, allowedSeverities)}`,
        );
    });
    this.settings.severities = severities;
  }

  private readServerRoot(value: JsonNode): void {
    const serverRoot = this.absolutePath(value, 'The server root');
    if (serverRoot !== null) this.settings.serverRoot = serverRoot;
  }

  private readDefines(value: JsonNode): void {
    const defines = new Map<string, string>();
    if (value.type === 'object') {
      this.forEachProperty(value, '', (property) => {
        const variableValue = this.textValue(property.value, 'text: what the variable stands for');
        if (variableValue !== null && this.isValidName(property.key, property.keyNode))
          defines.set(property.key, variableValue);
      });
    } else if (value.type === 'array') {
      for (const item of value.children ?? []) {
        const flagName = this.textValue(item, 'the name of a -D option');
        if (flagName !== null && this.isValidName(flagName, item)) defines.set(flagName, '');
      }
    } else {
      this.reportProblem(
        value,
        'Write a list of names here, as in ["SSL"], or names with their values, as in { "SSL": "" }.',
      );
    }
    this.settings.defines = defines;
  }

  private readBuiltinModules(value: JsonNode): void {
    if (value.type !== 'array')
      return this.reportProblem(
        value,
        'Write a list of modules here, as httpd -l prints them: ["mod_so.c", "prefork.c"].',
      );
    const builtIn = new Set(['core', 'mod_so']);
    for (const [index, item] of (value.children ?? []).entries()) {
      if (index >= MAX_MODULES) {
        this.reportProblem(item, tooManyText('modules', MAX_MODULES));
        break;
      }
      const moduleText = this.textValue(item, 'the name of a module');
      if (moduleText === null) continue;
      const module = builtinModule(moduleText);
      // A third-party module may be compiled in, too. A name similar to that of an httpd module is
      // probably a typing error.
      const nameWithoutAffixes = moduleText.replace(/^mod_|\.c$|_module$/g, '');
      const [suggestion] = findModule(module ?? moduleText) ? [] : nearest(nameWithoutAffixes, moduleNames(), 1);
      if (module === null || suggestion !== undefined)
        this.reportProblem(
          item,
          `httpd 2.4 has no module "${quotedPart(moduleText)}".${suggestion === undefined ? '' : ` Did you mean "mod_${suggestion}.c"?`}`,
        );
      else builtIn.add(module);
    }
    this.settings.builtIn = builtIn;
  }

  private readPathMap(value: JsonNode): void {
    const pathMap: { from: string; to: string }[] = [];
    this.forEachProperty(
      value,
      'folders of the server and where they are here, such as { "/etc/httpd": "etc/httpd" }',
      (property) => {
        const localPath = this.textValue(property.value, 'a path');
        const serverPath = resolvePath('/', property.key);
        if (!isAbsolute(property.key))
          return this.reportProblem(property.keyNode, 'A directory of the server must be an absolute path.');
        if (localPath !== null && this.staysBelow(localPath, property.value))
          pathMap.push({
            from: serverPath,
            to: localPath.length > 1 ? localPath.replace(/(?<![/\\])[/\\]+$/, '') : localPath,
          });
      },
    );
    // The longest prefix applies: `/srv/www` goes before `/srv`.
    this.settings.pathMap = pathMap.sort((a, b) => b.from.length - a.from.length);
  }

  private readAnswers(value: JsonNode): void {
    const answers = new Map<string, string>();
    let answerCount = 0;
    this.forEachProperty(
      value,
      'questions and their answers, such as { "htaccess-unseen:/var/www": "none" }',
      (property) => {
        if (++answerCount > MAX_ANSWERS)
          return this.reportProblem(property.keyNode, tooManyText('answers', MAX_ANSWERS));
        const answerText = this.textValue(property.value, 'an answer, such as "none"');
        if (answerText === null) return;
        const problem = answerProblem(property.key, answerText);
        if (problem !== null)
          return this.reportProblem(
            questionText(property.key) ? property.value : property.keyNode,
            answerProblem(quotedPart(property.key), quotedPart(answerText)) ?? problem,
          );
        const pathOfAnswer = pathInAnswer(answerText);
        if (pathOfAnswer === null || this.staysBelow(pathOfAnswer, property.value))
          answers.set(property.key, answerText);
      },
    );
    this.settings.answers = answers;
  }

  /**
   * Whether a path stays below the directory of the project file. If not, reports a problem. The
   * file can come from somebody else, who must not choose other directories of this machine.
   */
  private staysBelow(path: string, value: JsonNode): boolean {
    if (++this.pathCount > MAX_PATHS) {
      this.reportProblem(value, tooManyText('directories', MAX_PATHS));
      return false;
    }
    const isBelowFile = isInFolder(path, this.place.folder, this.place.view);
    if (!isBelowFile)
      this.reportProblem(
        value,
        `"${quotedPart(path)}" leads out of the directory of this file. Name a directory below it, or use --map on the command line.`,
      );
    return isBelowFile;
  }

  private readUnused(value: JsonNode): void {
    if (value.type !== 'array')
      return this.reportProblem(value, 'Write a list of files and directories here, as in ["conf/httpd.conf.old"].');
    this.settings.unused = (value.children ?? []).flatMap((item) => {
      const unusedPath = this.textValue(item, 'the path of a file or directory');
      return unusedPath === null ? [] : [resolvePath('/', unusedPath).slice(1)];
    });
  }

  /** Whether a text can be the name of a variable. Reports a problem if not. */
  private isValidName(name: string, node: JsonNode): boolean {
    const isValid = /^[^\s${}]+$/.test(name);
    if (!isValid) this.reportProblem(node, 'This is not a name for a variable: it cannot contain white space or ${ }.');
    return isValid;
  }

  /**
   * The absolute path in a value. If the value is no absolute path, reports that and returns null.
   * `what`: the subject of the message.
   */
  private absolutePath(value: JsonNode, what: string): string | null {
    const pathText = this.textValue(value, 'an absolute path');
    if (pathText === null || isAbsolute(pathText)) return pathText;
    this.reportProblem(value, `${what} is an absolute path, as the server sees it.`);
    return null;
  }

  /**
   * The text in a value. If the value is no text or is too long, reports that and returns null.
   * `expected`: words for the message.
   */
  private textValue(value: JsonNode, expected: string): string | null {
    const text: unknown = value.value;
    const isTextTooLong = typeof text === 'string' && text.length > MAX_TEXT_LENGTH;
    if (value.type === 'string' && !isTextTooLong) return text as string;
    this.reportProblem(value, isTextTooLong ? TOO_LONG_MESSAGE : `Write ${expected} here.`);
    return null;
  }

  /**
   * Calls `read` for each property of an object. Reports a value that is no object, keys that are
   * too long, and keys that occur twice. `expected`: words for the message.
   */
  private forEachProperty(value: JsonNode, expected: string, read: (property: JsonProperty) => void): void {
    if (value.type !== 'object') return this.reportProblem(value, `Write an object here: ${expected}.`);
    const seenKeys = new Set<string>();
    for (const property of propertiesOf(value)) {
      if (seenKeys.has(property.key))
        this.reportProblem(property.keyNode, `"${quotedPart(property.key)}" appears twice; the last one counts.`);
      seenKeys.add(property.key);
      if (property.key.length > MAX_TEXT_LENGTH) this.reportProblem(property.keyNode, TOO_LONG_MESSAGE);
      else read(property);
    }
  }

  /** Reports a key that is none of `validNames`. `what`: what such a name stands for, in words. */
  private reportUnknown(property: JsonProperty, what: string, validNames: readonly string[]): void {
    const hint = this.problems.length < MAX_SIMILAR_NAME_SEARCHES ? similarNameText(property.key, validNames) : '';
    this.reportProblem(property.keyNode, `There is no ${what} "${quotedPart(property.key)}".${hint}`);
  }

  private reportProblem({ offset, length }: JsonNode, message: string): void {
    const { length: count } = this.problems;
    if (count >= MAX_PROBLEMS) return;
    const isLastAllowedProblem = count === MAX_PROBLEMS - 1;
    this.problems.push({
      start: offset,
      end: offset + length,
      message: isLastAllowedProblem ? TOO_MANY_PROBLEMS_MESSAGE : message,
    });
  }
}

/**
 * The manual's name of a module, such as `mod_so`. `name`: its source file, its identifier, or one
 * of them without its ending. Null if no module of httpd has this name.
 */
export function builtinModule(name: string): string | null {
  return moduleByAnyName(name);
}

const moduleNames = lazy(() => modules().map(({ name }) => name.replace(/^mod_/, '')));

const TOO_MANY_PROBLEMS_MESSAGE =
  'This file has more problems, which are not listed. Correct those above, then run again.';

function tooManyText(things: string, maximum: number): string {
  return `This file names more than ${maximum} ${things}. Remove those that you do not need.`;
}

/** A question about the nearest valid name, with a space before it; '' if no name is similar. */
function similarNameText(word: string, validNames: readonly string[]): string {
  const [first] = nearest(word, validNames, 1);
  return first === undefined ? '' : ` Did you mean "${first}"?`;
}
