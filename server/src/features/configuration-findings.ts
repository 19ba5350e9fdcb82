/**
 * What the rules about whole configurations find: from the root through its includes, each finding with the file it belongs to.
 * A pure function of the files that the view shows; the command line and the language server both ask it.
 */
import type { Doubt } from '../access/doubt';
import { idIn } from '../analysis/answers';
import type { Diagnostic } from 'vscode-languageserver-types';
import { isMadeByTemplate } from '../access/template';
import type { Engine, PlacedFinding } from '../analysis/engine';
import { fixToTake, TakenEdits, type FixSelection } from '../analysis/fixes';
import { isSuppressed } from '../analysis/suppression';
import { mindingTemplate } from '../analysis/template-text';
import type { Activity } from '../config/activity';
import { readConfiguration, type Configuration, type Names, type ReadOptions } from '../config/configuration';
import { detectDistribution } from '../config/distribution';
import { isMadeOf } from '../config/file-summary';
import { unmapped, viewWithin, type FileView } from '../config/files';
import { linesOf, loadedModules, type LoadedModules } from '../config/loaded-modules';
import { configView } from '../config/config-view';
import type { Model, ServerSettings } from '../config/model';
import { readModel } from '../config/read-model';
import { includeNoMatch } from '../rules/include-no-match';
import { missingModule } from '../rules/missing-module';
import { nameVirtualHost } from '../rules/name-virtual-host';
import { virtualHostComesAlive } from '../rules/virtual-host-comes-alive';
import { sectionKind } from '../config/sections';
import { namesIn } from '../config/name-set';
import { serviceFile } from '../config/service-file';
import type { ConfigurationFinding, ConfigurationRule, Edit } from '../rules/rule';
import { argumentsOf, type Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';

export interface ConfigurationFindingsOptions {
  readonly root: string;
  readonly view: FileView;
  readonly engine: Engine;
  /** What a person said of the server. */
  readonly server?: ServerSettings;
  /** The configuration's model, where the caller has it already. One that was read from other trees is read again. */
  readonly model?: Model;
}

/**
 * The findings by file (path without links), in the order of its text. Fixes have the file's offsets, and `elsewhere` what belongs to
 * them in other files. Empty where the root cannot be read, and where no rule of this kind is switched on.
 */
export function configurationFindings(
  options: ConfigurationFindingsOptions,
): ReadonlyMap<string, readonly PlacedFinding[]> {
  const { engine, root, view, server = {} } = options;
  const found = new Map<string, PlacedFinding[]>();
  if (engine.configurationRules.length === 0) return found;
  const model =
    options.model && knowsTrees(options.model, view)
      ? options.model
      : readModel({ root, view: configView(view), target: engine.target, server });
  const conditions = model ? conditionsOf(model) : undefined;
  const read = (options: Pick<ReadOptions, 'names' | 'skips'>) =>
    readConfiguration({
      root,
      view,
      ...options,
      target: engine.target,
      map: server.map,
      serverRoot: server.serverRoot,
      defines: server.defines,
      flags: server.flags,
      conditions,
    });
  // First what is loaded, which no section says: which lines are of interest follows from it.
  const first = read({
    names: new Set(['loadmodule', 'include']),
    skips: ({ name }) => sectionKind(name) === 'container',
  });
  if (!first) return found;
  const distribution =
    engine.distribution ??
    server.distribution ??
    model?.distribution ??
    detectDistribution({
      files: [...first.files.keys()].flatMap((file) => [file, unmapped(file, first.map)]),
      loadModulePaths: first.root.lines
        .filter(({ line }) => line.name === 'loadmodule')
        .map(({ line }) => argumentsOf(line)[1]?.value ?? ''),
      serverRoot: first.serverRoot,
    });
  const service = serviceFile(
    linesOf(first, 'include').map(({ expanded }) => argumentsOf(expanded)[0]?.value ?? ''),
    first.map,
    viewWithin(view, first.map),
  );
  const known = loadedModules(first, distribution, server.builtIn, service);
  const configuration = read({ names: namesFor(engine.configurationRules, known) })!;
  const rules = rulesFor(configuration, engine.configurationRules);
  const modules = loadedModules(configuration, distribution, server.builtIn, service);
  const seen = viewWithin(view, configuration.map);
  const answerTo = (doubt: Doubt) => engine.answered.answers.get(idIn(doubt, engine.answered)) ?? null;
  for (const rule of rules) {
    for (const finding of engine.contained(rule, () =>
      rule.check({ configuration, modules, view: seen, target: engine.target, distribution, answerTo }),
    )) {
      // A finding may stand in a .htaccess file of the configuration.
      const tree = configuration.files.get(finding.file)?.tree ?? seen.read(finding.file);
      if (!tree || isSuppressed(tree, finding.start, rule.id)) continue;
      const own = engine.placed(rule, withoutMacros(finding, configuration));
      const placed = own === null || tree.root.templates === 0 ? own : mindingTemplate(tree.root, own, 0);
      if (placed === null) continue;
      const list = found.get(finding.file);
      if (list) list.push(placed);
      else found.set(finding.file, [placed]);
    }
  }
  for (const list of found.values()) list.sort((a, b) => a.start - b.start || a.end - b.end);
  return found;
}

/**
 * A template decides which lines there are, and which files they bring in: of what it makes, only
 * some rules are asked.
 */
function rulesFor({ files }: Configuration, rules: readonly ConfigurationRule[]): readonly ConfigurationRule[] {
  return isMadeByTemplate(files.values()) ? rules.filter(({ isForTemplates }) => isForTemplates) : rules;
}

/** Without the fixes that write into the text of a macro: what a Use makes of it has other words and other lengths. */
function withoutMacros(finding: ConfigurationFinding, { files }: Configuration): ConfigurationFinding {
  const isInMacro = (file: string, edits: readonly Edit[]): boolean => {
    const tree = files.get(file)?.tree;
    if (!tree || !namesIn(tree.root).has('<macro')) return false;
    const macros = macrosIn(tree.root, 0);
    return edits.some(({ start, end }) => macros.some((macro) => start < macro.end && end > macro.start));
  };
  const fixes = finding.fixes?.filter(
    ({ edits, elsewhere }) =>
      ![[finding.file, edits] as const, ...(elsewhere ?? [])].some(([file, own]) => isInMacro(file, own)),
  );
  return fixes?.length === finding.fixes?.length ? finding : { ...finding, fixes };
}

function macrosIn(list: List, base: number): { readonly start: number; readonly end: number }[] {
  const found: { readonly start: number; readonly end: number }[] = [];
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) return;
    if (item.name === 'macro') found.push({ start: offset, end: offset + item.length });
    else found.push(...macrosIn(item.body, offset + item.open.length));
  });
  return found;
}

export interface ConfigurationFixes {
  /** By file; offsets in the file, without overlaps. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  readonly applied: readonly PlacedFinding[];
  /** The edits of each fix by itself. */
  readonly changes: readonly ReadonlyMap<string, readonly Edit[]>[];
}

/**
 * One fix for each finding that has one to take, whole or not at all: what a fix has in several files belongs together. `may` says which files
 * can be changed.
 */
export function selectConfigurationFixes(
  findings: ReadonlyMap<string, readonly PlacedFinding[]>,
  { unsafe = false, rules, may = () => true }: FixSelection & { readonly may?: (file: string) => boolean } = {},
): ConfigurationFixes {
  const taken = new Map<string, TakenEdits>();
  const applied: PlacedFinding[] = [];
  const changes: ReadonlyMap<string, readonly Edit[]>[] = [];
  for (const [file, list] of findings) {
    for (const finding of list) {
      if (rules && !rules.includes(finding.rule.id)) continue;
      const fix = fixToTake(finding.fixes, { unsafe, rules });
      if (!fix) continue;
      const parts: [string, readonly Edit[]][] = [[file, fix.edits], ...(fix.elsewhere ?? [])];
      const isPossible = parts.every(
        ([each, own]) =>
          own.length === 0 || (may(each) && !own.some((edit) => taken.get(each)?.isTouchedBy(edit) === true)),
      );
      if (!isPossible) continue;
      for (const [each, own] of parts) {
        if (own.length === 0) continue;
        const ofFile = taken.get(each) ?? new TakenEdits();
        ofFile.add(own);
        taken.set(each, ofFile);
      }
      applied.push(finding);
      changes.push(new Map(parts.filter(([, own]) => own.length > 0)));
    }
  }
  return { edits: new Map([...taken].map(([file, { edits }]) => [file, edits])), applied, changes };
}

/** The rule about configurations that says of a line what such a finding says, and says it better; null where there is none. */
export function saidBetterBy(rule: string, messageId: string): string | null {
  if (
    (rule === 'unknown-directive' && messageId === 'module-missing') ||
    (rule === 'invalid-value' && messageId === 'refused')
  )
    return missingModule.id;
  if (rule === nameVirtualHost.id) return virtualHostComesAlive.id;
  return rule === 'include-wildcard' ? includeNoMatch.id : null;
}

/** The rules whose fixes in a file wait, because what a configuration rule found in it needs the lines that they remove. */
export function heldBack(found: readonly PlacedFinding[]): ReadonlySet<string> | undefined {
  const isHeld = found.some(({ rule, messageId }) => rule === virtualHostComesAlive && messageId === 'named');
  return isHeld ? NAMED : undefined;
}

const NAMED: ReadonlySet<string> = new Set([nameVirtualHost.id]);

/** What is said of lines by themselves, without what their configuration says of them better. */
export function notSaidTwice(own: readonly Diagnostic[], wide: readonly Diagnostic[]): Diagnostic[] {
  const said = new Set(wide.map(({ code, range }) => `${code} ${range.start.line}`));
  return own.filter(
    ({ code, data, range }) =>
      !said.has(
        `${saidBetterBy(String(code), (data as { message?: string } | undefined)?.message ?? '')} ${range.start.line}`,
      ),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** The names that rules ask for, each worked out when a line has it. */
function namesFor(rules: readonly ConfigurationRule[], modules: LoadedModules): Names {
  const always = new Set(rules.flatMap((rule) => rule.names));
  const known = new Map<string, boolean>();
  return {
    has(name) {
      let answer = known.get(name);
      if (answer === undefined)
        known.set(name, (answer = always.has(name) || rules.some((rule) => rule.wants?.(name, modules) === true)));
      return answer;
    },
  };
}

/** Whether a model was read from these trees, and not from others of the same text: it knows conditions by their lines. */
function knowsTrees(model: Model, view: FileView): boolean {
  return [...model.files].every(([path, readings]) => {
    const tree = view.read(path);
    return tree !== null && readings.every(({ digest }) => isMadeOf(digest, tree.root));
  });
}

/** What the walk through the configuration found out about conditions, by their open tags. */
function conditionsOf(model: Model): (open: Line) => Activity | undefined {
  const answers = new Map<Line, Activity>();
  for (const readings of model.files.values()) {
    for (const { conditions } of readings) {
      for (const [open, { activity }] of conditions)
        answers.set(open, answers.has(open) && answers.get(open) !== activity ? 'unknown' : activity);
    }
  }
  return (open) => {
    const activity = answers.get(open);
    return activity === 'unknown' ? undefined : activity;
  };
}
