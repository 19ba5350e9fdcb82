/**
 * Removes actions of the lightbulb that our own client does not need, because it has the plan view.
 * All ways to silence a rule become one entry at the end, which asks the user for the place. For an
 * access section of a configuration, its conversion, its explanation, the link to the plan, and
 * that entry stay. The rest of the configuration is in the plan.
 */
import { CodeActionKind, type CodeAction, type Diagnostic } from 'vscode-languageserver-types';
import { orderAllowDeny } from '../rules/order-allow-deny';

/** All ways to silence are listed if this kind is requested. */
export const IGNORE_KIND = 'quickfix.httpdUpgrade.ignore';

/**
 * Commands of the client. This one asks where to put the comment that silences; its arguments are
 * the URI, the line, and the rule. The next one shows the plan.
 */
export const IGNORE_COMMAND = 'httpdUpgrade.ignoreAt';
export const OPEN_PLAN_COMMAND = 'httpdUpgrade.openPlan';

export interface ActionPlace {
  readonly uri: string;
  /** 0-based. */
  readonly line: number;
  /** Whether a configuration reads the file, so that the plan has its sections. */
  readonly isPlanned: boolean;
}

export function fewerActions(actions: readonly CodeAction[], { uri, line, isPlanned }: ActionPlace): CodeAction[] {
  const shownActions: CodeAction[] = [];
  const ways: CodeAction[] = [];
  const ignored = new Set<string>();
  let ofAccess: CodeAction | null = null;
  for (const action of actions) {
    const rule = ruleIgnoredBy(action);
    const isPlannedAccess = isPlanned && isAboutAccess(action);
    if (isPlannedAccess) ofAccess ??= action;
    if (rule === null) {
      // The plan has all other sections and the whole configuration.
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

/** The id of the rule that an action silences; null for any other action. */
export function ruleIgnoredBy({ title }: CodeAction): string | null {
  return /^Ignore "([\w-]+)" (?:here|in this )/.exec(title)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

function isAboutAccess({ diagnostics = [] }: CodeAction): boolean {
  return diagnostics.length > 0 && diagnostics.every(({ code }: Diagnostic) => code === orderAllowDeny.id);
}

/** Whether the action changes other sections than the one at the cursor. */
function isAboutOthers({ title }: CodeAction): boolean {
  return /^(Fix (all|the)|Convert all) /.test(title);
}
