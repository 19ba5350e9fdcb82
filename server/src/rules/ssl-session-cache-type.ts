import { isVariable, NOTHING, short, words } from './support/edits';
import type { Fix, LineRule } from './rule';
import { changing } from './support/fix-title';

export const sslSessionCacheType: LineRule = {
  id: 'ssl-session-cache-type',
  title: 'SSLSessionCache with the removed type shm: or a type in capital letters',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['sslsessioncache'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslsessioncache',
  page: {
    what: '`SSLSessionCache` with the type `shm:` or `shmht:`, which 2.4 does not have, or with a type in capital letters.',
    why:
      'In 2.4 each type of cache is a module, and other modules can also use it. There is no module for the old hash table (`shm`, `shmht`). `shmcb` replaces it. The types ' +
      'are names of modules, and case matters.',
    httpd:
      "`AH00526: Syntax error …: SSLSessionCache: 'shm' session cache not supported (known names: shmcb,dbm,…). Maybe you need to load the appropriate socache module " +
      '(mod_socache_shm?).`',
    fixing:
      '- **Suggestion**: replace `shm:` and `shmht:` by `shmcb:`, with the same file and size. This needs mod_socache_shmcb. Like the old cache, the new one loses its ' +
      'contents when the server stops.\n' +
      '- **Safe**: write a type in lower case.',
    sources: [
      'modules/ssl/ssl_engine_config.c of 2.2 and 2.4: ssl_cmd_SSLSessionCache',
      'manual 2.4, socache',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'The type shm',
      before: 'SSLSessionCache shm:/var/cache/mod_ssl/scache(512000)\nSSLSessionCacheTimeout 300\n',
      after: 'SSLSessionCache shmcb:/var/cache/mod_ssl/scache(512000)\nSSLSessionCacheTimeout 300\n',
      finds: ['hash-table'],
    },
    {
      title: 'A type in upper case',
      before: 'SSLSessionCache DBM:/var/cache/mod_ssl/scache\n',
      after: 'SSLSessionCache dbm:/var/cache/mod_ssl/scache\n',
      finds: ['case'],
    },
    {
      title: 'Not reported: the type shmcb',
      before: 'SSLSessionCache shmcb:/var/cache/mod_ssl/scache(512000)\n',
      finds: [],
    },
  ],
  check(subject) {
    const [word, ...more] = words(subject);
    const type = word && more.length === 0 ? /^([a-z]+):/i.exec(word.value)?.[1] : undefined;
    if (!word || type === undefined || isVariable(type)) return NOTHING;
    const lower = type.toLowerCase();
    const isHashTable = lower === 'shm' || lower === 'shmht';
    if (!isHashTable && (lower === type || !['shmcb', 'dbm', 'dc'].includes(lower))) return NOTHING;
    const start = word.start + (word.quote === '' ? 0 : 1);
    const edits = [{ start, end: start + type.length, text: isHashTable ? 'shmcb' : lower }];
    const fix: Fix = isHashTable
      ? {
          title: changing(`SSLSessionCache ${type}`, 'SSLSessionCache shmcb'),
          safety: 'suggestion',
          assumes: 'mod_socache_shmcb is loaded',
          edits,
        }
      : { title: changing(`SSLSessionCache ${type}`, `SSLSessionCache ${lower}`), safety: 'safe', edits };
    return [
      {
        messageId: isHashTable ? 'hash-table' : 'case',
        what: isHashTable
          ? `\`SSLSessionCache ${short(type)}\` was removed; \`shmcb\` replaces it`
          : `\`SSLSessionCache\`: \`${short(type)}\` must be in lower case`,
        help: isHashTable ? 'Use shmcb, and load mod_socache_shmcb.' : `Write ${lower}.`,
        start,
        end: start + type.length,
        fixes: [fix],
      },
    ];
  },
};
