import { spelledName } from '../syntax/line';
import type { Line } from '../syntax/line';
import { contentSpan, invalidCommand, NOTHING, removeLine, replaceWord, words } from './support/edits';
import type { Finding, LineRule, LineSubject } from './rule';
import { changingLine } from './support/fix-title';

export const memCache: LineRule = {
  id: 'mem-cache',
  title: 'MCacheSize, CacheEnable mem and other lines of mod_mem_cache, removed in 2.4',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'line',
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
  page: {
    what: 'The `MCache…` directives, and `CacheEnable` with the type `mem` or `fd`. They belong to mod_mem_cache, which 2.4 does not have.',
    why:
      'mod_mem_cache had one cache in each process. 2.4 has two replacements:\n\n' +
      '- mod_cache_disk stores files. The operating system also keeps them in memory.\n' +
      '- mod_cache_socache (since 2.4.5) uses memory that all processes share.\n\n' +
      'The type `fd` kept files open. mod_file_cache with `CacheFile` still does this.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'MCacheSize', perhaps misspelled or defined by a module not included in the server configuration`.\n\n" +
      '`CacheEnable mem /` gives no error, but nothing is cached.',
    fixing:
      'All fixes are suggestions:\n\n' +
      '- Remove an `MCache…` line.\n' +
      '- Replace the type of a `CacheEnable` line by `disk`. This needs mod_cache_disk and a `CacheRoot`.\n' +
      '- Replace the type by `socache`. This needs mod_cache_socache and a module such as mod_socache_shmcb.\n\n' +
      'Choose new sizes with `CacheMaxFileSize` and `CacheSocacheMaxSize`.',
    sources: [
      'modules/cache/mod_mem_cache.c of 2.2; modules/cache/mod_cache.c of 2.4: add_cache_enable',
      'manual 2.4, caching guide',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A cache in memory',
      before: 'CacheEnable mem /\nMCacheSize 4096\nMCacheMaxObjectCount 100\n',
      after: 'CacheEnable disk /\n',
      finds: ['cache-enable', 'mcache', 'mcache'],
    },
    { title: 'Not reported: a cache on disk', before: 'CacheEnable disk /\n', finds: [] },
  ],
  check(subject) {
    return subject.line.name === 'cacheenable' ? cacheEnable(subject) : [mcache(subject.line)];
  },
};

function mcache(line: Line): Finding {
  return {
    messageId: 'mcache',
    what: `\`${spelledName(line)}\` was removed with mod_mem_cache`,
    help: `Remove \`${spelledName(line)}\`. Other caches (mod_cache_disk, mod_cache_socache) have their own directives.`,
    serverText: invalidCommand(line),
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

function cacheEnable(subject: LineSubject): readonly Finding[] {
  const [type] = words(subject);
  const hasSocache = subject.context.target.patch >= 5;
  if (type === undefined || !/^(mem|fd)$/.test(type.value)) return NOTHING;
  return [
    {
      messageId: 'cache-enable',
      consequence: 'ignored',
      what: `\`CacheEnable ${type.value}\` no longer caches anything`,
      cause: 'mod_mem_cache was removed. httpd 2.4 starts without an error and caches nothing.',
      help: hasSocache ? 'Use the type `disk` or `socache`.' : 'Use the type `disk`.',
      start: type.start,
      end: type.end,
      fixes: [
        {
          title: changingLine(subject.line, replaceWord(type, 'disk')),
          safety: 'suggestion',
          assumes: 'mod_cache_disk is loaded and CacheRoot is set',
          edits: [replaceWord(type, 'disk')],
        },
        ...(hasSocache
          ? [
              {
                title: changingLine(subject.line, replaceWord(type, 'socache')),
                safety: 'suggestion' as const,
                assumes: 'mod_cache_socache and a socache module are loaded',
                edits: [replaceWord(type, 'socache')],
              },
            ]
          : []),
      ],
    },
  ];
}
