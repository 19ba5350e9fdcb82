/**
 * Reduces the lightbulb's actions for the editor with the plan view: the ways to silence a rule
 * become one entry, the last, which lets the user choose the place; an access section of a
 * configuration keeps its conversion, its explanation, the link to the plan, and that entry. The
 * plan handles the rest of the configuration.
 */
import { CodeActionKind, type CodeAction, type Diagnostic } from 'vscode-languageserver-types';
import { orderAllowDeny } from '../rules/order-allow-deny';

/** If this kind is requested, all ways to silence are listed. */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/** Commands of the client: ask where to put a comment (URI, line, rule), and show the plan. */
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
  const shownActions: CodeAction[] = [];
  const ways: CodeAction[] = [];
  const ignored = new Set<string>();
  let ofAccess: CodeAction | null = null;
  for (const action of actions) {
    const rule = ruleIgnoredBy(action);
    const isPlannedAccess = isPlanned && isAboutAccess(action);
    if (isPlannedAccess) ofAccess ??= action;
    if (rule === null) {
      // The plan offers all other sections and the whole configuration.
      if (!isPlannedAccess || !isAboutOthers(action)) shownActions.push(action);
      continue;
    }
    if (ignored.has(rule)) continue;
    ignored.add(rule);
    const title = `Ignore "${rule}"…`;
    ways.push({
      title,
      kind: CodeActionKind.QuickFix,
      diagnostics: action.diagnostics,
      command: { title, command: IGNORE_COMMAND, arguments: [uri, line, rule] },
    });
  }
  if (ofAccess === null) return [...shownActions, ...ways];
  const title = 'Open in the upgrade plan';
  const plan: CodeAction = {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: ofAccess.diagnostics,
    command: { title, command: OPEN_PLAN_COMMAND, arguments: [{ uri, line }] },
  };
  return [...shownActions, plan, ...ways];
}

/** The rule that an action silences; null for any other action. */
export function ruleIgnoredBy({ title }: CodeAction): string | null {
  return /^Ignore "([\w-]+)" (?:here|in this )/.exec(title)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

function isAboutAccess({ diagnostics = [] }: CodeAction): boolean {
  return diagnostics.length > 0 && diagnostics.every(({ code }: Diagnostic) => code === orderAllowDeny.id);
}

/** Whether it changes other sections than the one at the position. */
function isAboutOthers({ title }: CodeAction): boolean {
  return /^(Fix (all|the)|Convert all) /.test(title);
}
