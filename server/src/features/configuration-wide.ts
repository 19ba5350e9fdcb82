/** What the rules about whole configurations say of the files that are at hand, and what their fixes come to. */
import type { Engine, PlacedFinding } from '../analysis/engine';
import type { FileView } from '../config/files';
import type { Model, ServerSettings } from '../config/model';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import {
  configurationFindings,
  heldBack,
  saidBetterBy,
  selectConfigurationFixes,
  type ConfigurationFixes,
} from './configuration-findings';

/** With what settings a file is looked at. */
export interface Projects {
  engineOf(file: string): Engine;
  /** How the server of a configuration is built and started, and where its files are here, as far as somebody said. */
  serverOf(file: string): ServerSettings;
}

/** Files are asked for by their paths without links. */
export interface ConfigurationWide {
  /** In the order of the text. */
  findings(file: string): readonly PlacedFinding[];
  /** What the fixes change in a file, as the text was read. */
  edits(file: string, unsafe: boolean): readonly Edit[];
  /** The same fix by fix, each in all of its files. */
  changes(unsafe: boolean): readonly ReadonlyMap<string, readonly Edit[]>[];
  /** The findings that are left after that. */
  left(file: string, unsafe: boolean): readonly PlacedFinding[];
  /** The rules whose fixes in a file wait for what is found here. */
  heldBack(file: string): ReadonlySet<string> | undefined;
  /** Other files may be changed than before. Says whether fewer fixes are taken. */
  chooseAgain(): boolean;
}

export interface ConfigurationWideOptions {
  readonly models: readonly Model[];
  readonly view: FileView;
  readonly projects: Projects;
  /** Whether the file is among those that are changed. */
  readonly may: (file: string) => boolean;
}

export function configurationWide({ models, view, projects, may }: ConfigurationWideOptions): ConfigurationWide {
  const found = new Map<string, readonly PlacedFinding[]>();
  const readers = new Map<string, number>();
  for (const model of models) {
    for (const file of model.files.keys()) readers.set(file, (readers.get(file) ?? 0) + 1);
    const own = configurationFindings({
      root: model.root,
      view,
      engine: projects.engineOf(model.root),
      server: projects.serverOf(model.root),
      model,
    });
    for (const [file, findings] of own) if (!found.has(file)) found.set(file, findings);
  }
  const chosen = new Map<boolean, ConfigurationFixes>();
  const fixes = (unsafe: boolean): ConfigurationFixes => {
    let fix = chosen.get(unsafe);
    // What two servers read would have to suit both.
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
      return before.some(([unsafe, taken]) => fixes(unsafe).applied.length !== taken);
    },
  };
}

/**
 * The findings of the lines and those of the whole configuration, in the order of the text; what both say of a line is said once. `informed` makes of each what its configuration
 * says about it.
 */
export function* together(
  tree: Tree,
  own: Iterable<PlacedFinding>,
  wide: readonly PlacedFinding[],
  informed: (finding: PlacedFinding) => PlacedFinding = (finding) => finding,
): Generator<PlacedFinding> {
  const placeOf = (rule: string, { start }: PlacedFinding) => `${rule} ${tree.lineAt(start)?.offset}`;
  const said = new Set(wide.map((finding) => placeOf(finding.rule.id, finding)));
  let next = 0;
  for (const finding of own) {
    while (next < wide.length && wide[next]!.start <= finding.start) yield informed(wide[next++]!);
    const better = saidBetterBy(finding.rule.id, finding.messageId);
    if (better === null || !said.has(placeOf(better, finding))) yield informed(finding);
  }
  while (next < wide.length) yield informed(wide[next++]!);
}
