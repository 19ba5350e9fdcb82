import { containsVariable, NO_FINDINGS, shortened, wordsOfInput } from './support/edits';
import type { Fix, LineRule } from './rule';
import { titleToChange } from './support/fix-title';

export const sslSessionCacheType: LineRule = {
  id: 'ssl-session-cache-type',
  title: 'SSLSessionCache with the removed type shm: or a type in capital letters',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['sslsessioncache'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslsessioncache',
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
  check(ruleInput) {
    const [word, ...more] = wordsOfInput(ruleInput);
    const type = word && more.length === 0 ? /^([a-z]+):/i.exec(word.value)?.[1] : undefined;
    if (!word || type === undefined || containsVariable(type)) return NO_FINDINGS;
    const lowerCaseType = type.toLowerCase();
    const isHashTable = lowerCaseType === 'shm' || lowerCaseType === 'shmht';
    if (!isHashTable && (lowerCaseType === type || !['shmcb', 'dbm', 'dc'].includes(lowerCaseType))) return NO_FINDINGS;
    const typeStart = word.start + (word.quote === '' ? 0 : 1);
    const edits = [{ start: typeStart, end: typeStart + type.length, text: isHashTable ? 'shmcb' : lowerCaseType }];
    const fix: Fix = isHashTable
      ? {
          title: titleToChange(`SSLSessionCache ${type}`, 'SSLSessionCache shmcb'),
          safety: 'suggestion',
          assumes: 'mod_socache_shmcb is loaded',
          edits,
        }
      : { title: titleToChange(`SSLSessionCache ${type}`, `SSLSessionCache ${lowerCaseType}`), safety: 'safe', edits };
    return [
      {
        messageId: isHashTable ? 'hash-table' : 'case',
        what: isHashTable
          ? `\`SSLSessionCache ${shortened(type)}\` was removed; \`shmcb\` replaces it`
          : `\`SSLSessionCache\`: \`${shortened(type)}\` must be in lower case`,
        help: isHashTable ? 'Use shmcb, and load mod_socache_shmcb.' : `Write ${lowerCaseType}.`,
        start: typeStart,
        end: typeStart + type.length,
        fixes: [fix],
      },
    ];
  },
};
