import type { ConfigLine, Scope } from '../config/configuration';
import { linesOf } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { contentSpan } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const sslCertificateMissing: ConfigurationRule = {
  id: 'ssl-certificate-missing',
  title: 'SSLEngine on without SSLCertificateFile',
  consequence: 'will not start',
  fix: 'none',
  checks: 'configuration',
  names: ['sslengine', 'sslcertificatefile', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslcertificatefile',
  examples: [
    {
      title: 'A virtual host without a certificate',
      before:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nLoadModule ssl_module modules/mod_ssl.so\nListen 443\n' +
        '<VirtualHost *:443>\n    ServerName www.example.com\n    SSLEngine on\n    SSLCertificateFile conf/www.crt\n</VirtualHost>\n<VirtualHost *:443>\n    ServerName new.example.com\n    SSLEngine on\n</VirtualHost>\n',
      finds: ['missing'],
    },
  ],
  check({ configuration, modules, distribution }) {
    // On Oracle HTTP Server, mod_ossl uses a wallet instead of certificate files.
    if (!modules.isComplete || distribution === 'ohs' || modules.activityOfModule('mod_md') !== 'inactive') return [];
    if (linesOf(configuration, 'sslengine').length === 0 || configuration.rootScope.lines.some(isCertificate))
      return [];
    const findings: ConfigurationFinding[] = [];
    for (const scope of [configuration.rootScope, ...configuration.rootScope.children]) {
      const engineLine = lineSwitchingTlsOn(scope);
      if (!engineLine || scope.lines.some(isCertificate)) continue;
      findings.push({
        file: engineLine.file.path,
        messageId: 'missing',
        ...contentSpan(engineLine.line, engineLine.offset),
        what: `\`SSLEngine\` is on, and ${scope.kind === 'virtualhost' ? 'the virtual host' : 'the main server'} has no certificate`,
        cause: '`httpd -t` does not report this (AH02572).',
        help: scope.lines.some(({ line }) => line.name === 'sslcertificatekeyfile')
          ? 'Add `SSLCertificateFile` with the file of the certificate.'
          : 'Add `SSLCertificateFile` with the file of the certificate, and `SSLCertificateKeyFile` with the file of its key. If one file has both, the first line is enough.',
      });
    }
    return findings;
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The last SSLEngine line of a server or virtual host, if it switches TLS on; otherwise null. */
function lineSwitchingTlsOn({ kind, activity, lines }: Scope): ConfigLine | null {
  if ((kind !== 'virtualhost' && kind !== 'server') || activity !== 'active') return null;
  const lastEngineLine = lines.filter(({ line }) => line.name === 'sslengine').at(-1);
  return lastEngineLine?.activity === 'active' &&
    argumentsOf(lastEngineLine.expandedLine)[0]?.value.toLowerCase() === 'on'
    ? lastEngineLine
    : null;
}

/** Whether a line names a certificate. Also true for lines that may be inactive. */
function isCertificate({ line }: ConfigLine): boolean {
  return line.name === 'sslcertificatefile';
}
