import { argumentsOf, indentOf } from '../syntax/line';
import { contentSpan, lineEnd } from './support/edits';
import type { SectionRule } from './rule';

export const cacheEnablePath: SectionRule = {
  id: 'cache-enable-path',
  title: 'CacheEnable with a path, which no longer caches forward proxy requests',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'section',
  names: ['cacheenable', 'proxyrequests'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache.html#cacheenable',
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
    const cacheEnableMembers = members
      .filter(({ line }) => line.name === 'cacheenable')
      .map((member) => ({ ...member, argumentWords: argumentsOf(member.line) }));
    const hasForwardProxy = members.some(
      ({ line, activity }) =>
        line.name === 'proxyrequests' && activity === 'active' && argumentsOf(line)[0]?.value.toLowerCase() === 'on',
    );
    if (
      !hasForwardProxy ||
      cacheEnableMembers.some(({ argumentWords }) => /^https?:/i.test(argumentWords[1]?.value ?? ''))
    )
      return [];
    return cacheEnableMembers
      .filter(({ argumentWords }) => argumentWords.length === 2 && argumentWords[1]!.value === '/')
      .map(({ line, offset, argumentWords }) => {
        const cacheType = argumentWords[0]!.value;
        const lineEndOffset = offset + line.length;
        const addedLine = `${indentOf(line)}CacheEnable ${cacheType} http://`;
        return {
          messageId: 'path-only',
          what: '`CacheEnable` with a path no longer caches forward proxy requests',
          cause:
            'In 2.4 a path matches only the URLs of the server itself, and not those that the forward proxy fetches.',
          help: `Add \`CacheEnable ${cacheType} http://\` for the forward proxy.`,
          ...contentSpan(line, offset),
          fixes: [
            {
              title: `Add CacheEnable ${cacheType} http://`,
              safety: 'suggestion',
              assumes: 'the forward proxy fetches from port 80; other ports need their own line',
              edits: [
                {
                  start: lineEndOffset,
                  end: lineEndOffset,
                  text: line.text.endsWith('\n') ? `${addedLine}${lineEnd(line)}` : `${lineEnd(line)}${addedLine}`,
                },
              ],
            },
          ],
        };
      });
  },
};
