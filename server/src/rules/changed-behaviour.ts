import { contentSpan, NOTHING, words } from './edits';
import { Fact, hasFact } from './facts';
import type { LineRule, LineSubject } from './rule';

interface Change {
  /** Whether a line gives cause: its words in lower case. */
  readonly when: (words: readonly string[]) => boolean;
  readonly messageId: string;
  readonly what: string;
  readonly cause?: string;
  readonly help?: string;
}

/** What 2.4 does otherwise with a line that it takes as before: to know at the upgrade, nothing to mend. */
export const changedBehaviour: LineRule = {
  id: 'changed-behaviour',
  title: 'What 2.4 does otherwise beside the configuration: files to delete, formats, defaults of tools',
  consequence: 'check after the upgrade',
  fix: 'none',
  scope: 'line',
  get names() {
    return Object.keys(CHANGES);
  },
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#misc',
  page: {
    what: 'Lines that 2.4 reads as before and that give cause to look after something else at the upgrade: the lock database of WebDAV, the cache on disk, titles of `.xhtml` files in listings, `Substitute` and long lines, the multi-language error documents.',
    why: 'These changes are not in the directives themselves but in what they use: a file has another format, a directory has another depth, a filter has a limit.',
    httpd: 'Nothing: `httpd -t` takes the lines as before.',
    fixing: 'None: what there is to do is done on the server. Nothing is said in a file that loads what only 2.4 has: it was written for it.',
    sources: ['manual 2.4, upgrading: misc changes', 'experiment: test/httpd/claims-descriptions.test.ts (long lines of Substitute, titles of .xhtml files)'],
  },
  examples: [
    { title: 'WebDAV', before: 'DavLockDB /var/lib/dav/lockdb\n', finds: ['dav-lock-db'] },
    { title: 'Listings with titles', before: '<Directory "/srv/www">\n    IndexOptions FancyIndexing ScanHTMLTitles\n</Directory>\n', finds: ['xhtml'] },
    { title: 'Listings without', before: '<Directory "/srv/www">\n    IndexOptions FancyIndexing\n</Directory>\n', finds: [] },
  ],
  check(subject: LineSubject) {
    const { line } = subject;
    const said = words(subject).map(({ value }) => value.toLowerCase());
    const change = CHANGES[line.name].find(({ when }) => when(said));
    if (change === undefined) return NOTHING;
    return [{ messageId: change.messageId, what: change.what, cause: change.cause, help: change.help, ...contentSpan(line), resolve: (facts) => (hasFact(facts, Fact.loads24) ? null : {}) }];
  },
};

const always = () => true;
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  davlockdb: [{ when: always, messageId: 'dav-lock-db', what: '`DavLockDB` has a new file format', help: 'Delete the old file at the upgrade, with the locks in it.' }],
  cacheroot: [{ when: always, messageId: 'cache-disk', what: '`CacheRoot`: httpd 2.4 does not find the old cache files', cause: 'The default of CacheDirLevels was 3 and is 2.', help: 'Empty the directory at the upgrade.' }],
  indexoptions: [{ when: (list) => list.some((word) => /^\+?scanhtmltitles$/.test(word)), messageId: 'xhtml', what: '`ScanHTMLTitles` now also reads the titles of .xhtml files', help: 'Check the directory listings that show .xhtml files.' }],
  substitute: [{ when: always, messageId: 'substitute-length', what: '`Substitute` now fails on lines longer than 1 MB', help: 'Set a higher limit with `SubstituteMaxLineLength`.' }],
  errordocument: [{ when: ([, document]) => document?.startsWith('/error/') === true, messageId: 'error-documents', what: '`ErrorDocument`: SSI conditions in pages below /error/ have a new syntax in 2.4', help: 'Use the error pages of 2.4, or set `SSILegacyExprParser On` for them.' }],
};
