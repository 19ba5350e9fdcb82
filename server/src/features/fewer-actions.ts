/**
 * The lightbulb cut to what helps, for the editor that has the view of the upgrade plan: of the ways to silence a rule there is one entry, which asks where; of an
 * access section of a configuration there is its conversion, the way to the plan, and that entry. What a whole configuration needs is done in the plan.
 */
import { CodeActionKind, type CodeAction, type Diagnostic } from 'vscode-languageserver-types';
import { orderAllowDeny } from '../rules/order-allow-deny';

/** Asked for by this kind, the ways to silence come one by one. */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/** The client's commands: to ask where a comment goes (URI, line, rule), and to show the plan. */
export const IGNORE_COMMAND = 'httpdUpgrade.ignoreAt';
export const OPEN_PLAN_COMMAND = 'httpdUpgrade.openPlan';

export interface FewerOptions {
  readonly uri: string;
  /** 0-based. */
  readonly line: number;
  /** Whether a configuration reads the file: then the plan has its sections. */
  readonly isPlanned: boolean;
}

export function fewerActions(actions: readonly CodeAction[], { uri, line, isPlanned }: FewerOptions): CodeAction[] {
  const kept: CodeAction[] = [];
  const ignored = new Set<string>();
  let conversions = 0;
  for (const action of actions) {
    const rule = ruleIgnoredBy(action);
    if (rule !== null) {
      if (ignored.has(rule)) continue;
      ignored.add(rule);
      const title = `Ignore "${rule}"…`;
      kept.push({
        title,
        kind: CodeActionKind.QuickFix,
        diagnostics: action.diagnostics,
        command: { title, command: IGNORE_COMMAND, arguments: [uri, line, rule] },
      });
      continue;
    }
    if (!isPlanned || !isAboutAccess(action)) {
      kept.push(action);
      continue;
    }
    // The plan is at hand: its page, all other sections and the whole configuration are a step away there.
    if (conversions++ > 0) continue;
    if (isFix(action)) kept.push(action);
    const title = 'Open in the upgrade plan';
    kept.push({
      title,
      kind: CodeActionKind.QuickFix,
      diagnostics: action.diagnostics,
      command: { title, command: OPEN_PLAN_COMMAND, arguments: [{ uri, line }] },
    });
  }
  return kept;
}

/** The rule that an action silences; null for any other action. */
export function ruleIgnoredBy({ title }: CodeAction): string | null {
  return /^Ignore "([\w-]+)" (?:here|in this )/.exec(title)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

function isAboutAccess({ diagnostics = [] }: CodeAction): boolean {
  return diagnostics.length > 0 && diagnostics.every(({ code }: Diagnostic) => code === orderAllowDeny.id);
}

/** Not one that changes other sections, or shows a page. */
function isFix({ title, command }: CodeAction): boolean {
  return (
    !/^(Fix (all|the)|Convert all|Explain) /.test(title) &&
    (command === undefined || command.command === 'httpdUpgrade.applyFix')
  );
}
