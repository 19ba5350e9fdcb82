/** Whole configurations for tests: files in, findings and fixed files out. */
import type { EngineOptions, PlacedFinding } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { configurationFindings, selectConfigurationFixes } from '../../server/src/features/configuration-findings';
import { memoryFiles } from '../../server/src/config/memory-files';
import { engineFor } from './rules';

export type Files = Readonly<Record<string, string>>;

export interface AskedOfConfiguration extends Partial<EngineOptions> {
  /** Default: the first file. */
  readonly root?: string;
  readonly rule?: string;
  readonly unsafe?: boolean;
}

/** The findings of the rules about whole configurations, by file. */
export function findingsInFiles(files: Files, asked: AskedOfConfiguration = {}): Map<string, readonly PlacedFinding[]> {
  const engine = engineFor(asked);
  const found = configurationFindings({
    mainFile: asked.root ?? Object.keys(files)[0],
    view: memoryFiles(files),
    engine,
  });
  return new Map(
    [...found]
      .map(([file, findings]): [string, PlacedFinding[]] => [
        file,
        findings.filter(({ rule }) => !asked.rule || rule.id === asked.rule),
      ])
      .filter(([, findings]) => findings.length > 0),
  );
}

/** `file:line: severity rule/message (safety)`, a line each. */
export function listed(files: Files, asked: AskedOfConfiguration = {}): string[] {
  return [...findingsInFiles(files, asked)].flatMap(([file, findings]) =>
    findings.map((finding) => {
      const line = files[file].slice(0, finding.start).split('\n').length;
      const safety = finding.fixes.some((fix) => fix.safety === 'safe')
        ? 'safe'
        : finding.fixes.length > 0
          ? 'suggestion'
          : 'none';
      return `${file}:${line}: ${finding.severity} ${finding.rule.id}/${finding.messageId} ${safety}`;
    }),
  );
}

/** The files after the fixes, until there are none; suggestions only when asked. */
export function fixedFiles(files: Files, asked: AskedOfConfiguration = {}): Record<string, string> {
  let current: Record<string, string> = { ...files };
  for (let round = 0; round < 10; round++) {
    const edits = selectConfigurationFixes(findingsInFiles(current, { root: Object.keys(files)[0], ...asked }), {
      unsafe: asked.unsafe,
      rules: asked.rule ? [asked.rule] : undefined,
    }).editsByFile;
    if (edits.size === 0) return current;
    current = Object.fromEntries(
      Object.entries(current).map(([file, text]) => [file, applyEdits(text, edits.get(file) ?? [])]),
    );
  }
  return current;
}
