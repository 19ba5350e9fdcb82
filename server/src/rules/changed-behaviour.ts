import { isNewForServer } from '../config/target';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Finding, Member, SectionRule } from './rule';
import { isEscaped } from './text-is-expression';
import { addTo } from '../syntax/groups';

/** A change for the lines of a directive: when it affects them, and the texts of the finding. */
interface BehaviourChange {
  /** Whether the change affects a line. The parameter is the line's arguments in lower case. */
  readonly affectsLine: (words: readonly string[]) => boolean;
  /** The patch number of the 2.4 release that made the change. Absent if all releases have it. */
  readonly since?: number;
  readonly messageId: string;
  readonly what: string;
  readonly cause?: string;
  readonly help?: string;
  readonly helpForBothVersions?: string;
  readonly mayStay?: true;
}

/**
 * Finds lines that 2.4 accepts, but that have another effect than in 2.2, which no fix can restore.
 * Lines with the same change are one finding.
 */
export const changedBehaviour: SectionRule = {
  id: 'changed-behaviour',
  title: 'Lines that stay the same but need a check when you upgrade',
  consequence: 'check after the upgrade',
  comparesVersions: true,
  fix: 'none',
  checks: 'section',
  handlesTemplates: true,
  get names() {
    return Object.keys(CHANGES_BY_DIRECTIVE);
  },
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#misc',
  examples: [
    { title: 'The lock file of WebDAV', before: 'DavLockDB /var/lib/dav/lockdb\n', finds: ['dav-lock-db'] },
    {
      title: 'Directory listings with titles',
      before: '<Directory "/srv/www">\n    IndexOptions FancyIndexing ScanHTMLTitles\n</Directory>\n',
      finds: ['xhtml'],
    },
    {
      title: 'Error pages in several languages',
      before: 'ErrorDocument 403 /error/HTTP_FORBIDDEN.html.var\nErrorDocument 404 /error/HTTP_NOT_FOUND.html.var\n',
      finds: ['error-documents'],
    },
    { title: 'A word that was a file name', before: 'DirectoryIndex disabled\n', finds: ['index-disabled'] },
    {
      title: 'Not reported: listings without titles',
      before: '<Directory "/srv/www">\n    IndexOptions FancyIndexing\n</Directory>\n',
      finds: [],
    },
  ],
  check({ members, context }) {
    const membersByChange = new Map<BehaviourChange, Member[]>();
    for (const member of members) {
      const lowerCaseArguments = argumentsOf(member.line).map(({ value }) => value.toLowerCase());
      const change = CHANGES_BY_DIRECTIVE[member.line.name]!.find(
        ({ affectsLine, since = 0 }) => isNewForServer(since, context.target) && affectsLine(lowerCaseArguments),
      );
      if (change) addTo(membersByChange, change, member);
    }
    return [...membersByChange].map(
      ([{ messageId, what, cause, help, helpForBothVersions, mayStay }, [first, ...others]]): Finding => ({
        messageId,
        what: what.replace(/^`\w+`/, (name) =>
          name.slice(1, -1).toLowerCase() === first!.line.name ? `\`${spelledName(first!.line)}\`` : name,
        ),
        cause,
        help,
        helpForBothVersions,
        mayStay,
        ...contentSpan(first!.line, first!.offset),
        ...(others.length > 0 && { places: others.map(({ line, offset }) => contentSpan(line, offset)) }),
        resolve: (facts) => (hasFact(facts, Fact.loads24) && context.target.runningPatch === undefined ? null : {}),
      }),
    );
  },
};

const affectsEveryLine = () => true;

/**
 * For the argument at `index`: since release 2.4.`since`, two backslashes are read as one. The
 * change affects only text that the rule text-is-expression regards as already escaped for 2.4.
 */
const backslashChange = (index: number, since: number): BehaviourChange => ({
  affectsLine: ({ [index]: text = '' }) => text.includes('\\\\') && isEscaped(text),
  since,
  messageId: 'two-backslashes',
  what: `\`${index === 0 ? 'AuthName' : 'ErrorDocument'}\`: 2.4 reads two backslashes as one`,
  cause: `Since 2.4.${since} the text is an expression, in which \`\\\\\` is a backslash.`,
  help: 'If the line was written for 2.2, double each backslash. If it was written for 2.4, keep it.',
  helpForBothVersions:
    'Keep the line for 2.2 in `<IfVersion < 2.4>`. Put a copy with each backslash doubled into `<IfVersion >= 2.4>`.',
});

const CHANGES_BY_DIRECTIVE: Readonly<Record<string, readonly BehaviourChange[]>> = {
  davlockdb: [
    {
      affectsLine: affectsEveryLine,
      messageId: 'dav-lock-db',
      what: '`DavLockDB` has a new file format',
      help: 'When you upgrade: stop 2.2, delete the files of `DavLockDB`, then start 2.4. Clients lose their WebDAV locks.',
      helpForBothVersions:
        'Give each version its own file: put one `DavLockDB` line into `<IfVersion < 2.4>` and one into `<IfVersion >= 2.4>`.',
    },
  ],
  cacheroot: [
    {
      affectsLine: affectsEveryLine,
      messageId: 'cache-disk',
      what: '`CacheRoot`: 2.4 does not use the files that 2.2 cached',
      cause: 'The files in the cache have a new format. httpd 2.4 does not read files of the old format.',
      help: 'When you upgrade, delete the old files in the cache directory.',
      helpForBothVersions:
        'Give each version its own directory: put one `CacheRoot` line into `<IfVersion < 2.4>` and one into `<IfVersion >= 2.4>`.',
    },
  ],
  indexoptions: [
    {
      affectsLine: (list) => list.some((word) => /^\+?scanhtmltitles$/.test(word)),
      messageId: 'xhtml',
      what: '`ScanHTMLTitles` now also reads the titles of .xhtml files',
      help: 'Look at your directory listings with .xhtml files. The listings now show the titles of these files.',
      mayStay: true,
    },
  ],
  substitute: [
    {
      affectsLine: affectsEveryLine,
      messageId: 'substitute-length',
      what: '`Substitute` now fails on lines longer than 1 MB',
      help: 'If your pages have such lines, set a higher limit with `SubstituteMaxLineLength`.',
      helpForBothVersions:
        'If your pages have such lines, set a higher limit with `SubstituteMaxLineLength` in `<IfVersion >= 2.4>`.',
      mayStay: true,
    },
  ],
  authname: [backslashChange(0, 55)],
  directoryindex: [
    {
      affectsLine: ([first, ...more]) => first === 'disabled' && more.length === 0,
      messageId: 'index-disabled',
      what: '`DirectoryIndex disabled` now turns index files off',
      cause: 'In 2.2 `disabled` was the name of a file.',
      help: 'If there is an index file with the name `disabled`, rename it.',
      mayStay: true,
    },
  ],
  errordocument: [
    backslashChange(1, 13),
    {
      affectsLine: ([, document = '']) => /^\/error\/.*(?:http_|\.var$)/.test(document),
      messageId: 'error-documents',
      what: '`ErrorDocument`: old pages in /error/ use SSI conditions that 2.4 does not understand',
      help: 'Use the error pages that come with 2.4, or set `SSILegacyExprParser On` in the `<Directory>` of the old ones.',
      helpForBothVersions:
        'Keep the pages for 2.2. For 2.4, write `SSILegacyExprParser On` in their `<Directory>`, in `<IfVersion >= 2.4>`.',
    },
  ],
};
