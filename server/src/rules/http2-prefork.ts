import { nameSpan } from './support/edits';
import type { ConfigurationRule } from './rule';

export const http2Prefork: ConfigurationRule = {
  id: 'http2-prefork',
  title: 'mod_http2 without effect, because the MPM is prefork',
  consequence: 'ignored',
  fix: 'none',
  checks: 'configuration',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/howto/http2.html',
  examples: [
    {
      title: 'mod_http2 and prefork',
      before:
        'LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\nLoadModule http2_module modules/mod_http2.so\nProtocols h2 http/1.1\n',
      finds: ['prefork'],
    },
  ],
  check({ modules, target }) {
    const [prefork, http2] = ['prefork', 'mod_http2'].map((name) =>
      modules.loadLines.find(({ module, configLine }) => module === name && configLine.activity === 'active'),
    );
    if (!prefork || !http2 || target.patch < 27) return [];
    const { line, offset, file } = http2.configLine;
    return [
      {
        file: file.path,
        messageId: 'prefork',
        ...nameSpan(line, offset),
        what: '`http2_module` has no effect with the prefork MPM',
        cause: 'The server uses HTTP/1.1 only (AH10034).',
        help: 'Load mpm_event instead of mpm_prefork, unless PHP runs as a module.',
      },
    ];
  },
};
