/** The addresses of our own pages. A test compares them with package.json and with the site. */

/** Where the site is published (docs/site.md). */
export const SITE = 'https://httpd-upgrade.github.io/httpd-upgrade/';

/** The page of a rule, by its id. */
export function rulePageAddress(id: string): string {
  return `${SITE}rules/${id}.html`;
}
