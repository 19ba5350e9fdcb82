/** A rule's page in Markdown: for docs/rules, for the editor, for `httpd-upgrade explain`. */
import type { Rule } from './rule';

export function rulePage(rule: Rule): string {
  return `# ${rule.id}\n\n${rule.page.what}\n\n${rule.page.why}\n\n${rule.page.httpd}\n\n${rule.page.fixing}\n`;
}
