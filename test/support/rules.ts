/** `check` and `fix` for tests: text in, text out. */
import { Engine, type EngineOptions, type PlacedFinding } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

export interface Asked extends Partial<EngineOptions> {
  /** Name of the file; `.htaccess` has a context of its own. */
  readonly file?: string;
  /** Findings of this rule only. */
  readonly rule?: string;
}

/** The findings in a text, in order. */
export function findingsIn(text: string, asked: Asked = {}): PlacedFinding[] {
  const findings = engineFor(asked).analyze(Tree.parse(text), info(asked)).findings();
  return findings.filter((finding) => !asked.rule || finding.rule.id === asked.rule);
}

/**
 * The text with its findings below the lines: `# ^^^^ severity rule-id/message-id
 * (safe|suggestion|none)`.
 */
export function annotated(text: string, asked: Asked = {}): string {
  const findings = findingsIn(text, asked);
  const rows: string[] = [];
  let offset = 0;
  for (const row of text.split('\n')) {
    rows.push(row);
    for (const finding of findings) {
      if (finding.start < offset || finding.start > offset + row.length) continue;
      const column = finding.start - offset;
      const width = Math.max(1, Math.min(finding.end, offset + row.length) - finding.start);
      const mark =
        column === 0 ? `#${'^'.repeat(Math.max(1, width - 1))}` : `#${' '.repeat(column - 1)}${'^'.repeat(width)}`;
      const fixes = finding.fixes ?? [];
      const safety = fixes.some((fix) => fix.safety === 'safe') ? 'safe' : fixes.length > 0 ? 'suggestion' : 'none';
      rows.push(`${mark} ${finding.severity} ${finding.rule.id}/${finding.messageId} ${safety}`);
    }
    offset += row.length + 1;
  }
  return rows.join('\n');
}

/** The text after fixing: safe fixes only, or with `unsafe` the suggestions too. */
export function fixed(text: string, asked: Asked & { readonly unsafe?: boolean } = {}): string {
  const selection = { unsafe: asked.unsafe, rules: asked.rule ? [asked.rule] : undefined };
  return fixText(engineFor(asked), text, info(asked), selection).text;
}

/**
 * Making one takes longer than asking it about some lines: questions without options of the
 * engine's share one.
 */
const shared = new Engine({ rules: ALL_RULES });
const NO_OPTIONS = ['file', 'root', 'rule', 'unsafe'];

/** An engine with all rules, and the options of the engine among what a test asks. */
export function engineFor(asked: Partial<EngineOptions>): Engine {
  return Object.keys(asked).every((key) => NO_OPTIONS.includes(key))
    ? shared
    : new Engine({ rules: ALL_RULES, ...asked });
}

function info(asked: Asked) {
  return { isHtaccess: asked.file === '.htaccess' };
}
