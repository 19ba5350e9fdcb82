import { spelledName } from '../syntax/line';
import type { Line } from '../syntax/line';
import { contentSpan, invalidCommandText, NO_FINDINGS, removeLine, replaceWord, wordsOfInput } from './support/edits';
import type { Finding, LineRule, LineRuleInput } from './rule';

export const memCache: LineRule = {
  id: 'mem-cache',
  title: 'MCacheSize, CacheEnable mem and other lines of mod_mem_cache, removed in 2.4',
  consequence: 'will not start',
  since: 0,
  fix: 'suggestion',
  needsLineIn22: true,
  checks: 'line',
  names: [
    'mcachemaxobjectcount',
    'mcachemaxobjectsize',
    'mcachemaxstreamingbuffer',
    'mcacheminobjectsize',
    'mcacheremovalalgorithm',
    'mcachesize',
    'cacheenable',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache.html',
  examples: [
    {
      title: 'A cache in memory',
      before: 'CacheEnable mem /\nMCacheSize 4096\nMCacheMaxObjectCount 100\n',
      after: 'CacheEnable disk /\n',
      finds: ['cache-enable', 'mcache', 'mcache'],
    },
    { title: 'Not reported: a cache on disk', before: 'CacheEnable disk /\n', finds: [] },
  ],
  check(ruleInput) {
    return ruleInput.line.name === 'cacheenable' ? findingsOfCacheEnable(ruleInput) : [findingOfMCache(ruleInput.line)];
  },
};

function findingOfMCache(line: Line): Finding {
  return {
    messageId: 'mcache',
    what: `\`${spelledName(line)}\` was removed with mod_mem_cache`,
    help: `Remove \`${spelledName(line)}\`. Other caches (mod_cache_disk, mod_cache_socache) have their own directives.`,
    serverText: invalidCommandText(line),
    ...contentSpan(line),
    tag: 'deprecated',
    fixes: [
      {
        title: `Remove ${spelledName(line)}`,
        safety: 'suggestion',
        assumes: 'you no longer need this limit',
        edits: [removeLine(line)],
      },
    ],
  };
}

function findingsOfCacheEnable(ruleInput: LineRuleInput): readonly Finding[] {
  const [type] = wordsOfInput(ruleInput);
  const hasSocache = ruleInput.context.target.patch >= 5;
  if (type === undefined || !/^(mem|fd)$/.test(type.value)) return NO_FINDINGS;
  return [
    {
      messageId: 'cache-enable',
      consequence: 'ignored',
      what: `\`CacheEnable ${type.value}\` no longer caches anything`,
      cause: 'mod_mem_cache was removed. httpd 2.4 accepts this line and caches nothing.',
      help: hasSocache
        ? 'Use the type `disk`, with mod_cache_disk and `CacheRoot`, or `socache`, with mod_cache_socache and `CacheSocache`. Or remove the line.'
        : 'Use the type `disk`. It needs mod_cache_disk and `CacheRoot`.',
      start: type.start,
      end: type.end,
      fixes: [
        {
          title: `Change ${type.value} to disk (needs mod_cache_disk and CacheRoot)`,
          safety: 'suggestion',
          assumes: 'mod_cache_disk is loaded and CacheRoot is set',
          edits: [replaceWord(type, 'disk')],
        },
        ...(hasSocache
          ? [
              {
                title: `Change ${type.value} to socache (also needs a CacheSocache line)`,
                safety: 'suggestion' as const,
                assumes: 'mod_cache_socache and a socache module are loaded, and CacheSocache is set',
                edits: [replaceWord(type, 'socache')],
              },
            ]
          : []),
      ],
    },
  ];
}
