/**
 * The findings of rules about whole configurations for the given files, and the results of their
 * fixes.
 */
import type { Engine, PlacedFinding } from '../analysis/engine';
import type { FileView } from '../config/files';
import type { Model, ServerSettings } from '../config/model';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import {
  configurationFindings,
  heldBack,
  betterRuleFor,
  selectConfigurationFixes,
  type ConfigurationFixes,
} from './configuration-findings';

/** Returns the settings for a file. */
export interface Projects {
  engineOf(file: string): Engine;
  /**
   * How the server of a configuration is built and started, and where its files are here, according
   * to the settings.
   */
  serverOf(file: string): ServerSettings;
}

/** All paths are without links. */
export interface ConfigurationWide {
  /** In the order of the text. */
  findings(file: string): readonly PlacedFinding[];
  /** The edits of the fixes in a file, relative to the text that was read. */
  edits(file: string, unsafe: boolean): readonly Edit[];
  /** The edits of each fix, each in all of its files. */
  changes(unsafe: boolean): readonly ReadonlyMap<string, readonly Edit[]>[];
  /** The findings that remain after that. */
  left(file: string, unsafe: boolean): readonly PlacedFinding[];
  /** The rules whose fixes in a file wait for these findings. */
  heldBack(file: string): ReadonlySet<string> | undefined;
  /** Call when the set of changeable files has changed. Returns whether fewer fixes are applied. */
  chooseAgain(): boolean;
}

export interface ConfigurationWideOptions {
  readonly models: readonly Model[];
  readonly view: FileView;
  readonly projects: Projects;
  /** Whether the file may be changed. */
  readonly may: (file: string) => boolean;
}

export function configurationWide({ models, view, projects, may }: ConfigurationWideOptions): ConfigurationWide {
  const found = new Map<string, readonly PlacedFinding[]>();
  const readers = new Map<string, number>();
  for (const model of models) {
    for (const file of model.files.keys()) readers.set(file, (readers.get(file) ?? 0) + 1);
    const findingsByFile = configurationFindings({
      root: model.root,
      view,
      engine: projects.engineOf(model.root),
      server: projects.serverOf(model.root),
      model,
    });
    for (const [file, findings] of findingsByFile) if (!found.has(file)) found.set(file, findings);
  }
  const chosen = new Map<boolean, ConfigurationFixes>();
  const fixes = (unsafe: boolean): ConfigurationFixes => {
    let fix = chosen.get(unsafe);
    // A file that two servers read is not changed, because the fix would have to suit both.
    if (!fix)
      chosen.set(
        unsafe,
        (fix = selectConfigurationFixes(found, { unsafe, may: (file) => may(file) && readers.get(file) === 1 })),
      );
    return fix;
  };
  return {
    findings: (file) => found.get(file) ?? [],
    edits: (file, unsafe) => fixes(unsafe).edits.get(file) ?? [],
    changes: (unsafe) => fixes(unsafe).changes,
    left: (file, unsafe) => (found.get(file) ?? []).filter((finding) => !fixes(unsafe).applied.includes(finding)),
    heldBack: (file) => heldBack(found.get(file) ?? []),
    chooseAgain() {
      const before = [...chosen].map(([unsafe, { applied }]) => [unsafe, applied.length] as const);
      chosen.clear();
      return before.some(([unsafe, countBefore]) => fixes(unsafe).applied.length !== countBefore);
    },
  };
}

/**
 * The findings of single lines and those of the whole configuration, in the order of the text; a
 * problem that both report appears once. `informed` adds to a finding what its configuration says
 * about it.
 */
export function* together(
  tree: Tree,
  ofLines: Iterable<PlacedFinding>,
  ofConfiguration: readonly PlacedFinding[],
  informed: (finding: PlacedFinding) => PlacedFinding = (finding) => finding,
): Generator<PlacedFinding> {
  const placeOf = (rule: string, { start }: PlacedFinding) => `${rule} ${tree.lineAt(start)?.offset}`;
  const reportedPlaces = new Set(ofConfiguration.map((finding) => placeOf(finding.rule.id, finding)));
  let next = 0;
  for (const finding of ofLines) {
    while (next < ofConfiguration.length && ofConfiguration[next]!.start <= finding.start)
      yield informed(ofConfiguration[next++]!);
    const betterRule = betterRuleFor(finding.rule.id, finding.messageId);
    if (betterRule === null || !reportedPlaces.has(placeOf(betterRule, finding))) yield informed(finding);
  }
  while (next < ofConfiguration.length) yield informed(ofConfiguration[next++]!);
}
