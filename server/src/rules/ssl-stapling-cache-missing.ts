import type { ConfigLine, Scope } from '../config/configuration';
import { linesOf } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { contentSpan } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const sslStaplingCacheMissing: ConfigurationRule = {
  id: 'ssl-stapling-cache-missing',
  title: 'SSLUseStapling on without SSLStaplingCache',
  consequence: 'will not start',
  fix: 'none',
  checks: 'configuration',
  names: ['sslusestapling', 'sslstaplingcache', 'sslengine'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslstaplingcache',
  examples: [
    {
      title: 'SSLUseStapling without a cache',
      before:
        '<VirtualHost *:443>\n    SSLEngine on\n    SSLCertificateFile conf/www.crt\n    SSLUseStapling on\n</VirtualHost>\n',
      finds: ['missing'],
    },
    {
      title: 'Not reported: a cache is configured',
      before:
        'SSLStaplingCache shmcb:/run/httpd/stapling(32768)\n<VirtualHost *:443>\n    SSLEngine on\n    SSLCertificateFile conf/www.crt\n    SSLUseStapling on\n</VirtualHost>\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    const { rootScope, gaps } = configuration;
    if (
      gaps.length > 0 ||
      linesOf(configuration, 'sslusestapling').length === 0 ||
      linesOf(configuration, 'sslstaplingcache').length > 0
    )
      return [];
    const main = {
      engine: lastLineNamed(rootScope, 'sslengine'),
      stapling: lastLineNamed(rootScope, 'sslusestapling'),
    };
    const hosts = rootScope.children
      .filter(({ kind, activity }) => kind === 'virtualhost' && activity === 'active')
      .map((host) => ({
        engine: lastLineNamed(host, 'sslengine') ?? main.engine,
        stapling: lastLineNamed(host, 'sslusestapling') ?? main.stapling,
      }));
    const staplingLines = new Set(
      [main, ...hosts].flatMap(({ engine, stapling }) =>
        isLineOn(engine) && stapling && isLineOn(stapling) ? [stapling] : [],
      ),
    );
    return [...staplingLines].map(
      ({ line, offset, file }): ConfigurationFinding => ({
        file: file.path,
        messageId: 'missing',
        ...contentSpan(line, offset),
        what: '`SSLUseStapling` is on, and `SSLStaplingCache` is missing',
        cause: '`httpd -t` does not report this (AH01958).',
        help: 'Add `SSLStaplingCache shmcb:/run/httpd/stapling(32768)` outside of the virtual hosts.',
        serverText: 'no stapling cache available',
      }),
    );
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The last line of the scope with this name; undefined if there is none. */
function lastLineNamed({ lines }: Scope, name: string): ConfigLine | undefined {
  return lines.filter(({ line }) => line.name === name).at(-1);
}

function isLineOn(configLine: ConfigLine | undefined): boolean {
  return configLine?.activity === 'active' && argumentsOf(configLine.expandedLine)[0]?.value.toLowerCase() === 'on';
}
