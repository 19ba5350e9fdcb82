import { argumentsOf, indentOf } from '../syntax/line';
import { contentSpan, lineEnd } from './support/edits';
import type { SectionRule } from './rule';

export const cacheEnablePath: SectionRule = {
  id: 'cache-enable-path',
  title: 'CacheEnable with a path, which no longer caches forward proxy requests',
  consequence: 'meaning changed',
  fix: 'suggestion',
  scope: 'section',
  names: ['cacheenable', 'proxyrequests'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache.html#cacheenable',
  page: {
    what: '`CacheEnable` with the path `/` in a server or virtual host with `ProxyRequests On`. In 2.4 a path no longer covers the URLs of a forward proxy.',
    why:
      "In 2.2 a path matched every URL with this path, including the URLs that a forward proxy fetched from other servers. In 2.4 a path matches only the server's own URLs. " +
      'The URLs of a forward proxy need the protocol: `http://` for all hosts, or `http://www.example.org/` for one host. A URL without a port means the default port. Another port needs its own line, such as `http://www.example.org:8080/` for port 8080.',
    httpd: 'No message. The answers of the forward proxy are no longer cached.',
    fixing:
      '- **Suggestion**: add a second line with `http://`. Perhaps you need only one of the two lines. `ftp://` and other ports need their own lines.',
    sources: [
      'modules/cache/cache_util.c of 2.4: uri_meets_conditions',
      'manual 2.4, mod_cache: CacheEnable; upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A forward proxy with a cache',
      before: 'ProxyRequests On\nCacheEnable disk /\n',
      after: 'ProxyRequests On\nCacheEnable disk /\nCacheEnable disk http://\n',
      finds: ['path-only'],
    },
    { title: 'Not reported: a reverse proxy', before: 'ProxyRequests Off\nCacheEnable disk /\n', finds: [] },
  ],
  check({ members }) {
    const enables = members
      .filter(({ line }) => line.name === 'cacheenable')
      .map((member) => ({ ...member, list: argumentsOf(member.line) }));
    const isForward = members.some(
      ({ line, activity }) =>
        line.name === 'proxyrequests' && activity === 'active' && argumentsOf(line)[0]?.value.toLowerCase() === 'on',
    );
    if (!isForward || enables.some(({ list }) => /^https?:/i.test(list[1]?.value ?? ''))) return [];
    return enables
      .filter(({ list }) => list.length === 2 && list[1]!.value === '/')
      .map(({ line, offset, list }) => {
        const end = offset + line.length;
        const text = `${indentOf(line)}CacheEnable ${list[0]!.value} http://`;
        return {
          messageId: 'path-only',
          what: '`CacheEnable` with a path no longer caches forward proxy requests',
          cause:
            'In 2.4 a path matches only the URLs of the server itself, and not those that the forward proxy fetches.',
          help: `Add \`CacheEnable ${list[0]!.value} http://\` for the forward proxy.`,
          ...contentSpan(line, offset),
          fixes: [
            {
              title: `Add CacheEnable ${list[0]!.value} http://`,
              safety: 'suggestion',
              assumes: 'the forward proxy fetches from port 80; other ports need their own line',
              edits: [
                {
                  start: end,
                  end,
                  text: line.text.endsWith('\n') ? `${text}${lineEnd(line)}` : `${lineEnd(line)}${text}`,
                },
              ],
            },
          ],
        };
      });
  },
};
