/**
 * Makes the facts about each file of a configuration in the form that rules use (`FileContext`).
 * Equal contexts are one object, also after the configuration is read again. So a file keeps its
 * cached findings as long as its context does not change.
 */
import { rawArguments, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { Activity } from './activity';
import { SummarySection, forEachPart, type FileSummary } from './file-summary';
import type { Distribution } from './distribution';
import type { Model, Reading } from './model';
import { FileUses } from './macro';
import {
  classesAllowedAnywhere,
  allowedOverridesIn,
  reasonForIgnoringHtaccess,
  type AllowedOverrides,
} from './overrides';
import type { ConditionResult } from './environment';
import type { FileContext } from './file-context';

/** The context of a file that one configuration reads in one place, or of a .htaccess file. */
export class SharedFileContext implements FileContext {
  constructor(
    readonly contextKey: string,
    readonly containers: readonly string[],
    readonly activity: Activity,
    readonly modules: ReadonlySet<string> | null,
    readonly foundModules: ReadonlySet<string>,
    readonly overrides: ReadonlySet<string> | null,
    readonly overrideList: ReadonlySet<string> | undefined,
    readonly macros: ReadonlySet<string> | null,
    readonly providers: ReadonlySet<string> | null,
    readonly distribution: Distribution | null,
    /** The results of conditions, by the text of the condition. */
    private readonly resultsByCondition: ReadonlyMap<string, ConditionResult>,
    /**
     * For conditions of the file with equal texts and different results: the results, in the order
     * of the conditions in the file, by the text.
     */
    private readonly differingResultsByCondition: ReadonlyMap<string, readonly ConditionResult[]>,
    private readonly variables: ReadonlyMap<string, string | null> | null,
    readonly lacksAccessCompat: boolean,
    readonly isFor24: boolean,
    readonly asksForOldModule: boolean,
    readonly usesMemoryCache: boolean,
  ) {}

  /**
   * The results of the Use lines. They are not part of the key of this object, because a file with
   * Use lines shares the object with no other file. Null if the file has none.
   */
  uses: FileUses | null = null;

  /** The results of conditions with equal texts and different results, by their opening tags. */
  private readonly resultByTag = new WeakMap<Line, ConditionResult>();

  activityOf(section: Section): Activity | undefined {
    const conditionResult = this.conditionResultOf(section);
    return conditionResult?.activity === 'unknown' ? undefined : conditionResult?.activity;
  }

  conditionResultOf({ open }: Section): ConditionResult | undefined {
    const tagText = conditionKey(open);
    return this.differingResultsByCondition.has(tagText)
      ? (this.resultByTag.get(open) ?? DIFFERING_RESULT)
      : this.resultsByCondition.get(tagText);
  }

  variable(name: string): string | null | undefined {
    const valueOfVariable = this.variables?.get(name.toLowerCase());
    if (valueOfVariable !== undefined) return valueOfVariable ?? undefined;
    return this.variables ? null : undefined;
  }

  /**
   * Assigns the results to the conditions in the current text of the file. Must be called after an
   * edit, because the line objects may be new.
   */
  bindConditions(fileSummary: FileSummary): void {
    this.uses?.bindLines(fileSummary);
    if (this.differingResultsByCondition.size === 0) return;
    const countByTag = new Map<string, number>();
    forEachCondition(fileSummary, (open) => {
      const tagText = conditionKey(open);
      const resultsOfTag = this.differingResultsByCondition.get(tagText);
      if (!resultsOfTag) return;
      const indexOfTag = countByTag.get(tagText) ?? 0;
      countByTag.set(tagText, indexOfTag + 1);
      if (resultsOfTag[indexOfTag]) this.resultByTag.set(open, resultsOfTag[indexOfTag]);
    });
  }
}

/**
 * Returns one object for equal contexts. Keeps the contexts of the last reading, so that an
 * unchanged context is the same object after the configuration is read again.
 */
export class ContextInterner {
  private contextByKey = new Map<string, SharedFileContext>();
  private usedContextByKey = new Map<string, SharedFileContext>();
  /**
   * A number for each distinct text. The keys of contexts contain this number instead of the long
   * text.
   */
  private numberByKey = new Map<string, number>();

  sharedContext(key: string, makeIfNew: () => SharedFileContext): SharedFileContext {
    let context = this.usedContextByKey.get(key) ?? this.contextByKey.get(key);
    if (!context) context = makeIfNew();
    this.usedContextByKey.set(key, context);
    return context;
  }

  numberOf(text: string): number {
    let numberOfText = this.numberByKey.get(text);
    if (numberOfText === undefined) this.numberByKey.set(text, (numberOfText = this.numberByKey.size));
    return numberOfText;
  }

  /**
   * Removes the contexts that were not used since the last call. Must be called each time after a
   * configuration is read.
   */
  dropUnused(): void {
    this.contextByKey = this.usedContextByKey;
    this.usedContextByKey = new Map();
  }
}

/** Makes the contexts of the files of one configuration. */
export class FileContexts {
  private readonly macros: ReadonlySet<string> | null;
  /**
   * The number by which `interner` knows the facts that all files of the configuration have in
   * common.
   */
  private readonly numberOfCommonFacts: number;

  constructor(
    private readonly model: Model,
    private readonly interner: ContextInterner,
    /**
     * As in `FileContext`. The model alone does not show it, because the reader of models reads no
     * .htaccess files.
     */
    private readonly asksForOldModule = model.asksForOldModule,
  ) {
    this.macros = model.knowsMacros ? new Set(model.macros.keys()) : null;
    this.numberOfCommonFacts = interner.numberOf(
      JSON.stringify([
        model.modules !== null,
        [...model.foundModules].sort(),
        this.macros && [...this.macros].sort(),
        model.providers && [...model.providers].sort(),
        model.distribution,
        model.knowsVariables,
        model.lacksAccessCompat,
        model.isFor24,
        asksForOldModule,
        model.usesMemoryCache,
      ]),
    );
  }

  /**
   * The context at each place where a file is read; empty if the configuration does not read the
   * file.
   */
  contextsOfFile(path: string, fileSummary: FileSummary): SharedFileContext[] {
    return (this.model.files.get(path) ?? []).map((reading) => this.contextOfReading(reading, fileSummary, path));
  }

  /**
   * The context of a .htaccess file in a folder (a path of this machine). Null if the configuration
   * does not serve the folder, or reads no .htaccess files there.
   */
  contextOfHtaccess(folder: string, fileSummary: FileSummary): SharedFileContext | null {
    const overrides = allowedOverridesIn(this.model, folder);
    return overrides && this.htaccessContext(overrides, fileSummary);
  }

  /** The context of a .htaccess file that may be read in any folder, under any name. */
  contextOfHtaccessAnywhere(fileSummary: FileSummary): SharedFileContext {
    return this.htaccessContext({ classes: classesAllowedAnywhere(this.model), overrideList: null }, fileSummary);
  }

  /** The context of a .htaccess file in which the configuration allows these overrides. */
  private htaccessContext({ classes, overrideList }: AllowedOverrides, fileSummary: FileSummary): SharedFileContext {
    const variables = this.variablesForFile(fileSummary);
    const contextKey = JSON.stringify([
      '.htaccess',
      this.numberOfCommonFacts,
      classes && [...classes].sort(),
      overrideList && [...overrideList].sort(),
      [...variables],
    ]);
    return this.interner.sharedContext(contextKey, () =>
      this.makeContext(contextKey, NO_NAMES, 'active', { overrides: classes, overrideList, variables }),
    );
  }

  /**
   * The reason why the server does not read the .htaccess file of a folder. Null if the server
   * reads it, or if that is uncertain.
   */
  reasonUnread(folder: string): string | null {
    return reasonForIgnoringHtaccess(this.model, folder);
  }

  /** The context of a file at one of its readings. */
  private contextOfReading(reading: Reading, fileSummary: FileSummary, path: string): SharedFileContext {
    const { containers, activity } = reading;
    const { resultsByCondition, differingResultsByCondition } = resultsByConditionText(reading.conditions, fileSummary);
    const variables = this.variablesForFile(fileSummary);
    const contextKey = `${this.numberOfCommonFacts} ${activity} ${containers.join(' ')}${textOfResults(resultsByCondition)}${differingResultsByCondition.size > 0 ? JSON.stringify([...differingResultsByCondition]) : ''}${variables.size > 0 ? JSON.stringify([...variables]) : ''}${fileSummary.hasUse ? `\n${this.model.mainFile}\n${path}` : ''}`;
    /** The context with this key. If there is none, `makeIfNew` makes it. */
    const sharedContext = this.interner.sharedContext(contextKey, () =>
      this.makeContext(contextKey, containers, activity, {
        overrides: null,
        variables,
        resultsByCondition,
        differingResultsByCondition,
      }),
    );
    if (fileSummary.hasUse) {
      const uses = new FileUses(reading.uses, reading.fileSummary);
      sharedContext.uses =
        sharedContext.uses?.keyOfUses === uses.keyOfUses ? sharedContext.uses.takeLinesOf(uses) : uses;
    }
    sharedContext.bindConditions(fileSummary);
    return sharedContext;
  }

  private makeContext(
    key: string,
    containers: readonly string[],
    activity: Activity,
    factsOfFile: {
      overrides: ReadonlySet<string> | null;
      overrideList?: ReadonlySet<string> | null;
      variables: ReadonlyMap<string, string | null>;
      resultsByCondition?: ReadonlyMap<string, ConditionResult>;
      differingResultsByCondition?: ReadonlyMap<string, readonly ConditionResult[]>;
    },
  ): SharedFileContext {
    const { model } = this;
    const variables = model.knowsVariables ? factsOfFile.variables : null;
    return new SharedFileContext(
      key,
      containers,
      activity,
      model.modules,
      model.foundModules,
      factsOfFile.overrides,
      factsOfFile.overrideList ?? undefined,
      this.macros,
      model.providers,
      model.distribution,
      factsOfFile.resultsByCondition ?? NO_RESULTS,
      factsOfFile.differingResultsByCondition ?? NO_DIFFERENCES,
      variables,
      model.lacksAccessCompat,
      model.isFor24,
      this.asksForOldModule,
      model.usesMemoryCache,
    );
  }

  /**
   * The variables that a file mentions, with their values. A value is null if it is unknown, or if
   * the variable has several values.
   */
  private variablesForFile(fileSummary: FileSummary): ReadonlyMap<string, string | null> {
    if (fileSummary.variables.length === 0) return NO_VARIABLES;
    const valueByName = new Map<string, string | null>();
    for (const name of fileSummary.variables) {
      const definitions = this.model.variables.get(name);
      if (!definitions) continue;
      const firstValue = definitions[0]?.value ?? null;
      valueByName.set(name, definitions.every((definition) => definition.value === firstValue) ? firstValue : null);
    }
    return valueByName;
  }
}

/** Visits the open tags of conditional sections, in order. */
function forEachCondition(fileSummary: FileSummary, visit: (open: Line) => void): void {
  forEachPart(fileSummary, 0, 0, (item) => {
    if (!(item instanceof SummarySection)) return;
    if (item.kind === 'conditional') visit(item.open);
    forEachCondition(item.body, visit);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_NAMES: readonly string[] = [];
const NO_RESULTS: ReadonlyMap<string, ConditionResult> = new Map();
const NO_DIFFERENCES: ReadonlyMap<string, readonly ConditionResult[]> = new Map();
const NO_VARIABLES: ReadonlyMap<string, string | null> = new Map();

const DIFFERING_RESULT: ConditionResult = {
  activity: 'unknown',
  why: 'httpd reads these lines more than once, and the condition is not always true',
};

function textOfResults(resultsByCondition: ReadonlyMap<string, ConditionResult>): string {
  let joinedResults = '';
  for (const [key, { activity, why }] of resultsByCondition) joinedResults += `\n${key}\t${activity}\t${why}`;
  return joinedResults;
}

/** A text that is equal for conditions with the same name and arguments. */
function conditionKey(open: Line): string {
  return `${open.name} ${rawArguments(open).value}`;
}

/**
 * The results of conditions, by the texts of the conditions. If conditions with equal texts have
 * different results, `differingResultsByCondition` has the results in the order of the conditions.
 */
function resultsByConditionText(
  conditions: ReadonlyMap<Line, ConditionResult>,
  fileSummary: FileSummary,
): { resultsByCondition: Map<string, ConditionResult>; differingResultsByCondition: Map<string, ConditionResult[]> } {
  const resultsByCondition = new Map<string, ConditionResult>();
  const differingResultsByCondition = new Map<string, ConditionResult[]>();
  if (conditions.size === 0) return { resultsByCondition, differingResultsByCondition };
  for (const [open, result] of conditions) {
    if (testsAccessCompat(open)) continue;
    const tagText = conditionKey(open);
    const earlierResult = resultsByCondition.get(tagText);
    if (earlierResult === undefined) resultsByCondition.set(tagText, result);
    else if (earlierResult.activity !== result.activity) differingResultsByCondition.set(tagText, []);
  }
  if (differingResultsByCondition.size === 0) return { resultsByCondition, differingResultsByCondition };
  for (const key of differingResultsByCondition.keys()) resultsByCondition.delete(key);
  forEachCondition(fileSummary, (open) =>
    differingResultsByCondition.get(conditionKey(open))?.push(conditions.get(open) ?? DIFFERING_RESULT),
  );
  return { resultsByCondition, differingResultsByCondition };
}

/**
 * Whether a condition tests mod_access_compat. Such a condition was written for 2.4 (activity.ts),
 * so its result is not taken from the loaded modules.
 */
function testsAccessCompat(open: Line): boolean {
  return open.name === 'ifmodule' && /^(mod_access_compat\.c|access_compat_module)$/.test(rawArguments(open).value);
}
