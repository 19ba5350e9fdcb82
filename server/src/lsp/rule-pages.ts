/** Our own requests: the list of rules, and the page of one rule. */
import { ALL_RULES, ruleById } from '../rules/all';
import { rulePage } from '../rules/support/page';
import type { Session } from './session';

export function serveRulePages(session: Session): void {
  session.connection.onRequest('httpdUpgrade/rules', () => ALL_RULES.map(({ id, title }) => ({ id, title })));
  session.connection.onRequest('httpdUpgrade/rulePage', ({ rule: id }: { rule: string }) => {
    const rule = ruleById(id);
    return rule ? { title: rule.title, markdown: rulePage(rule) } : null;
  });
}
