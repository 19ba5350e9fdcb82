import { linesIn, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { argumentsOf, type Line } from '../syntax/line';
import { fittingHeadline, nameSpan } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const virtualHostShadowed: ConfigurationRule = {
  id: 'virtual-host-shadowed',
  title: 'A virtual host with the name and address of an earlier one',
  consequence: 'check before the upgrade',
  fix: 'none',
  checks: 'configuration',
  names: ['servername', 'serveralias'],
  url: 'https://httpd.apache.org/docs/2.4/vhosts/details.html',
  examples: [
    {
      title: 'Two virtual hosts with the same name',
      before:
        '<VirtualHost *:80>\n    ServerName www.example.com\n    DocumentRoot /srv/www\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName www.example.com\n    DocumentRoot /srv/new\n</VirtualHost>\n',
      finds: ['shadowed'],
    },
  ],
  check({ configuration }) {
    const findings: ConfigurationFinding[] = [];
    if (!mayRepeat(configuration)) return findings;
    /** The first virtual host for each address and name. The key is `ADDRESS NAME`. */
    const firstHostByAddressAndName = new Map<string, Scope>();
    for (const host of configuration.rootScope.children) {
      if (host.kind !== 'virtualhost' || host.activity !== 'active' || host.words.some((word) => word.includes('${')))
        continue;
      const addresses = host.words.map((word) => word.toLowerCase().replace(/^_default_/, '*'));
      const hostNames = namesOf(host);
      if (hostNames.serverName !== null) {
        const { configLine, name } = hostNames.serverName;
        const earlierHosts = addresses.map((address) => firstHostByAddressAndName.get(`${address} ${name}`));
        const [earlierHost] = earlierHosts;
        // If a file is included twice, its sections occur twice and do not shadow themselves.
        if (earlierHost && earlierHosts.every((each) => each !== undefined && each.section !== host.section)) {
          const placeText = earlierHost.file === host.file ? 'above' : `in ${earlierHost.file.path}`;
          findings.push({
            file: configLine.file.path,
            messageId: 'shadowed',
            ...nameSpan(configLine.line, configLine.offset),
            what: fittingHeadline(
              `\`<VirtualHost>\`: requests for \`${name}\` go to a virtual host ${placeText}`,
              '`<VirtualHost>`: another virtual host has the same name',
            ),
            cause: 'Two virtual hosts have the same address and name. httpd uses the first one, without a warning.',
            help: 'Change the `ServerName` of one of the two virtual hosts, or remove one.',
          });
        }
      }
      for (const name of hostNames.allNames) {
        for (const address of addresses)
          if (!firstHostByAddressAndName.has(`${address} ${name}`))
            firstHostByAddressAndName.set(`${address} ${name}`, host);
      }
    }
    return findings;
  },
};

/** Whether a ServerName may occur in another line, or as an alias. This is a quick test. */
function mayRepeat(configuration: Configuration): boolean {
  const usedNames = namesInUse(configuration);
  const serverNames = new Set<string>();
  let lineCount = 0;
  for (const line of usedNames.lines('servername')) {
    const name = plainName(line);
    if (name === null) return true;
    serverNames.add(name);
    if (serverNames.size < ++lineCount) return true;
  }
  for (const line of usedNames.lines('serveralias')) {
    const name = plainName(line);
    if (name === null || serverNames.has(name)) return true;
  }
  return false;
}

/** The name in a line that has one plain name, in lower case; null for other lines. */
function plainName({ text, nameEnd }: Line): string | null {
  USUAL_NAME_ENDING.lastIndex = nameEnd;
  if (USUAL_NAME_ENDING.test(text)) return text.slice(nameEnd + 1, -1);
  const nameText = text.slice(nameEnd).trim().toLowerCase();
  return PLAIN_NAME.test(nameText) ? nameText : null;
}

/**
 * Matches the rest of a ServerName or ServerAlias line in its usual form: one space, one name in
 * lower case, line end.
 */
const USUAL_NAME_ENDING = / [a-z\d_.-]+\n$/y;

/** The directives that name a virtual host. */
const HOST_NAME_DIRECTIVES = new Set(['servername', 'serveralias']);

/** Matches one name without wildcards and variables. */
const PLAIN_NAME = /^[\w.-]+$/;

/**
 * The names of a virtual host in lower case. Leaves out names with wildcards, because all plain
 * names take precedence over these.
 */
function namesOf(host: Scope): {
  readonly serverName: { readonly configLine: ConfigLine; readonly name: string } | null;
  readonly allNames: readonly string[];
} {
  let serverName: { configLine: ConfigLine; name: string } | null = null;
  const aliases: string[] = [];
  for (const configLine of linesIn(host, HOST_NAME_DIRECTIVES)) {
    if (configLine.activity !== 'active') continue;
    const words = argumentsOf(configLine.expandedLine).map((word) => word.value.toLowerCase());
    // Of several ServerName lines, the last one applies.
    if (configLine.line.name === 'servername' && words.length === 1 && !words[0]!.includes('${'))
      serverName = { configLine, name: words[0]!.replace(/^[a-z]+:\/\//, '').replace(/:\d*$/, '') };
    if (configLine.line.name === 'serveralias') aliases.push(...words.filter((word) => !/[*?]|\$\{/.test(word)));
  }
  return { serverName, allNames: serverName ? [serverName.name, ...aliases] : aliases };
}
