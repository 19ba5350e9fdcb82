import { nameSpan } from './support/edits';
import type { ConfigurationRule } from './rule';

export const http2Prefork: ConfigurationRule = {
  id: 'http2-prefork',
  title: 'mod_http2 without effect, because the MPM is prefork',
  consequence: 'ignored',
  fix: 'none',
  scope: 'configuration',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/howto/http2.html',
  page: {
    what: 'A configuration that loads both mod_http2 and mod_mpm_prefork. HTTP/2 does not work with prefork.',
    why:
      'HTTP/2 needs threads. prefork has no threads, and mod_http2 then does nothing, even with `Protocols h2`. mod_php needs prefork, and most 2.2 servers used it. Before ' +
      '2.4.27, HTTP/2 also worked with prefork.',
    httpd:
      '`AH10034: The mpm module (prefork.c) is not supported by mod_http2`, when the server starts. The server runs without HTTP/2. `httpd -t` does not report this.',
    fixing: 'There is no automatic fix. Use mpm_event with php-fpm instead of mod_php, or do without HTTP/2.',
    sources: ['modules/http2/mod_http2.c: h2_post_config; CHANGES, 2.4.27', 'experiment: test/httpd/start.test.ts'],
  },
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
      modules.loads.find(({ module, at }) => module === name && at.activity === 'active'),
    );
    if (!prefork || !http2 || target.patch < 27) return [];
    const { line, offset, file } = http2.at;
    return [
      {
        file: file.path,
        messageId: 'prefork',
        ...nameSpan(line, offset),
        what: '`http2_module` has no effect with the prefork MPM',
        cause: 'The server uses HTTP/1.1 only (AH10034).',
        help: 'Load mpm_event instead of mpm_prefork.',
      },
    ];
  },
};
