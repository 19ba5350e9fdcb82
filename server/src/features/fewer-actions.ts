/**
 * Removes actions of the lightbulb that the extension for VS Code does not need, because it has the
 * plan view. All actions that silence a rule become one entry at the end, which asks the user for
 * the place. An access section of a configuration keeps its conversion, its explanation, a link to
 * the plan, and this entry. Actions for other sections are in the plan.
 */
import { CodeActionKind, type CodeAction, type Diagnostic } from 'vscode-languageserver-types';
import { orderAllowDeny } from '../rules/order-allow-deny';

/** The kind with which a client requests all actions that silence a rule. */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/**
 * A command of the client that asks where to put the comment that silences a rule. Its arguments
 * are the URI, the 0-based line, and the rule's id.
 */
export const IGNORE_COMMAND = 'httpdUpgrade.ignoreAt';
/**
 * A command of the client that shows a place in the plan view. Its argument has the URI and the
 * 0-based line.
 */
export const OPEN_PLAN_COMMAND = 'httpdUpgrade.openPlan';

/** The place in a file for which code actions were requested. */
export interface ActionPlace {
  readonly uri: string;
  /** The 0-based line number. */
  readonly line: number;
  /** Whether a configuration reads the file, so that the plan has its sections. */
  readonly isPlanned: boolean;
}

/**
 * Returns the actions for the extension for VS Code: without those that the plan view offers, and
 * with one entry for each rule that can be silenced.
 */
export function fewerActions(actions: readonly CodeAction[], { uri, line, isPlanned }: ActionPlace): CodeAction[] {
  const shownActions: CodeAction[] = [];
  const ignoreActions: CodeAction[] = [];
  const ignoredRules = new Set<string>();
  let accessAction: CodeAction | null = null;
  for (const action of actions) {
    const rule = ruleIgnoredBy(action);
    const isPlannedAccess = isPlanned && isAboutAccess(action);
    if (isPlannedAccess) accessAction ??= action;
    if (rule === null) {
      // An action for other sections or the whole configuration is left out: the plan offers it.
      if (!isPlannedAccess || !changesOtherSections(action)) shownActions.push(action);
      continue;
    }
    if (ignoredRules.has(rule)) continue;
    ignoredRules.add(rule);
    const title = `Ignore "${rule}"…`;
    ignoreActions.push({
      title,
      kind: CodeActionKind.QuickFix,
      diagnostics: action.diagnostics,
      command: { title, command: IGNORE_COMMAND, arguments: [uri, line, rule] },
    });
  }
  if (accessAction === null) return [...shownActions, ...ignoreActions];
  const title = 'Open in the upgrade plan';
  const plan: CodeAction = {
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: accessAction.diagnostics,
    command: { title, command: OPEN_PLAN_COMMAND, arguments: [{ uri, line }] },
  };
  return [...shownActions, plan, ...ignoreActions];
}

/** The id of the rule that an action silences; null for any other action. */
export function ruleIgnoredBy({ title }: CodeAction): string | null {
  return /^Ignore "([\w-]+)" (?:here|in this )/.exec(title)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the action fixes only findings of the rule order-allow-deny. */
function isAboutAccess({ diagnostics = [] }: CodeAction): boolean {
  return diagnostics.length > 0 && diagnostics.every(({ code }: Diagnostic) => code === orderAllowDeny.id);
}

/** Whether the action changes other sections than the one at the cursor. */
function changesOtherSections({ title }: CodeAction): boolean {
  return /^(Fix (all|the)|Convert all) /.test(title);
}
