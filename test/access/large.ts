/** Large inputs for access control, such as lists that block bots, and mass hosting. */
import { accessConditionDecider } from '../../server/src/access/conditions';
import { planAccessConversion, type AccessPlan } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { readConfiguration, type Configuration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

const MAIN = '/srv/conf/httpd.conf';

/** The body of one section: addresses, networks, names and variables, allowed and denied. */
export function longSection(lines: number): string {
  const operand = (i: number) =>
    [`10.${i >> 8}.${i & 255}.1`, `172.${16 + (i >> 8)}.${i & 255}.0/24`, `bot${i}.example.org`, `env=bad_${i}`][i % 4];
  return `Order allow,deny\nAllow from all\n${Array.from({ length: lines }, (_, i) => `${i % 50 === 0 ? 'Allow' : 'Deny'} from ${operand(i)}\n`).join('')}`;
}

/**
 * Directories beside each other and in each other, some with a login, some with Files in them, and
 * a Location now and then.
 */
export function manySections(count: number): Record<string, string> {
  const sections = Array.from({ length: count }, (_, i) => {
    const folder = `/srv/www/site${i % 10 === 9 ? `${i - 1}/private` : i}`;
    const login = i % 7 === 0 ? 'AuthType Basic\nAuthName x\nAuthUserFile /srv/conf/passwd\nRequire valid-user\n' : '';
    if (i % 20 === 19)
      return `<Location /site${i - 1}>\nOrder deny,allow\nDeny from all\nAllow from 10.${i >> 8}.${i & 255}\n</Location>\n`;
    const files = i % 13 === 0 ? '<Files secret>\nOrder allow,deny\nDeny from all\n</Files>\n' : '';
    return `<Directory ${folder}>\n${login}Order deny,allow\nDeny from all\nAllow from 10.${i >> 8}.${i & 255}\n${files}</Directory>\n`;
  });
  return { [MAIN]: `DocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n${sections.join('')}` };
}

/**
 * Virtual hosts with folders and locations of their own, and locations of the server, which apply
 * in all of them.
 */
export function hostingServer(hosts: number, sections: number, locations: number): string {
  const rules = 'Order deny,allow\nDeny from all\nAllow from 192.0.2';
  const own = (i: number) =>
    ['', '/private']
      .map((at) => `<Directory /srv/www/h${i}${at}>\n${rules}.${i % 256}\n</Directory>\n`)
      .concat(`<Location /stats>\n${rules}.${i % 256}\n</Location>\n`);
  const host = (i: number) =>
    `<VirtualHost *:80>\nServerName h${i}.example.org\nDocumentRoot /srv/www/h${i}\n${own(i).slice(0, sections).join('')}</VirtualHost>\n`;
  const times = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join('');
  return `<Directory />\n${rules}\n</Directory>\n${times(locations, (i) => `<Location /l${i}>\n${rules}.1\n</Location>\n`)}${times(hosts, host)}`;
}

export function planOf(texts: Readonly<Record<string, string>>): AccessPlan {
  return planAccessConversion(configurationOf(texts), [], []);
}

export function configurationOf(texts: Readonly<Record<string, string>>, root = MAIN): Configuration {
  return readConfiguration({
    root,
    view: memoryFiles(texts),
    names: ACCESS_NAMES,
    decideCondition: accessConditionDecider(),
    serverRoot: '/srv',
  })!;
}
