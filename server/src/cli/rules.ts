/**
 * The command `rules`: lists the rules, the consequences of their findings in httpd 2.4, and
 * whether their fixes are safe.
 */
import { ALL_RULES } from '../rules/all';
import { SEVERITY_OF } from '../rules/rule';
import type { VerifyFormat } from './arguments';
import { ruleLink } from './rule-link';
import type { Terminal } from './terminal';
import { wrapText } from './wrap';

/** The list of rules, as text or JSON. */
export function rulesText(format: VerifyFormat, terminal: Terminal): string {
  const rules = [...ALL_RULES].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (format === 'json') {
    return `${JSON.stringify(
      rules.map(({ id, title, consequence, fix, url }) => ({
        id,
        title,
        consequence,
        severity: SEVERITY_OF[consequence],
        fix,
        url,
      })),
      null,
      1,
    )}\n`;
  }
  const ruleRows = rules.flatMap(({ id, title, consequence, fix }) => [
    terminal.style('bold', ruleLink(terminal, id)),
    ...wrapText(title, '  '),
    `  in 2.4: ${consequence} · best fix: ${fix}`,
  ]);
  return `${ruleRows.join('\n')}\n\n${rules.length} rules. To read about one, for example:\n  httpd-upgrade explain ${rules[0]?.id ?? 'order-allow-deny'}\n`;
}
