import { choiceQuestion } from '../access/open-question';
import { PROFILES } from '../config/distribution';
import { serverPathOf } from '../config/files';
import type { LoadModuleLine } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { nameSpan, removeLine } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule, Edit, Safety } from './rule';
import { addTo } from '../syntax/groups';
import { titleToRemove } from './support/fix-title';

export const loadModuleTwice: ConfigurationRule = {
  id: 'load-module-twice',
  title: 'LoadModule of a module that is already loaded',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'configuration',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_so.html#loadmodule',
  examples: [
    {
      title: 'The main file and an included file load the same module',
      before:
        'ServerRoot /srv/conf\nInclude modules.d/*.conf\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\n',
      after: 'ServerRoot /srv/conf\nInclude modules.d/*.conf\nLoadModule mime_module modules/mod_mime.so\n',
      finds: ['twice'],
      files: { '/srv/conf/modules.d/00-base.conf': 'LoadModule dir_module modules/mod_dir.so\n' },
    },
    {
      title: 'The httpd.conf of Red Hat for 2.2, with the files of the 2.4 package',
      before:
        'ServerRoot /srv/conf\nInclude conf.modules.d/*.conf\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nLoadModule own_module modules/mod_own.so\n',
      after: 'ServerRoot /srv/conf\nInclude conf.modules.d/*.conf\nLoadModule own_module modules/mod_own.so\n',
      finds: ['twice'],
      files: {
        '/srv/conf/conf.modules.d/00-base.conf':
          'LoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\n',
      },
    },
  ],
  check({ configuration, modules, distribution, answerTo }) {
    const isForBothVersions = answerTo(choiceQuestion('versions')) === 'both';
    const firstLineByIdentifier = new Map<string, LoadModuleLine>();
    const findings: ConfigurationFinding[] = [];
    /**
     * The repeated lines. Lines become one finding if they have the same file and the same safety,
     * and if edits are possible for all or none of them.
     */
    const repeatedLinesByGroup = new Map<string, RepeatedLine[]>();
    for (const loadLine of modules.loadLines) {
      const { line, expandedLine, offset, file, activity } = loadLine.configLine;
      // Compares the identifiers as written, because `loadLine.module` is the same for
      // mod_disk_cache and mod_cache_disk.
      const identifier = argumentsOf(expandedLine)[0]!.value;
      if (activity !== 'active') continue;
      // A file for 2.2 and 2.4 needs the line of mod_version above its first `<IfVersion>`.
      if (isForBothVersions && identifier === 'version_module') continue;
      const place = { file: file.path, ...nameSpan(line, offset) };
      const edits = file.readingCount === 1 ? [removeLine(line, offset)] : null;
      if (distribution === 'debian' && PROFILES.debian.builtIn!.has(loadLine.module)) {
        findings.push({
          ...place,
          messageId: 'built-in',
          what: `\`${identifier}\` is built into Debian's httpd`,
          help: 'Remove the line.',
          serverText: `module ${identifier} is built-in and can't be loaded`,
          fixes: edits ? [{ title: titleToRemove(line), safety: 'suggestion', edits }] : [],
        });
        continue;
      }
      const earlierLine = firstLineByIdentifier.get(identifier);
      if (!earlierLine) firstLineByIdentifier.set(identifier, loadLine);
      else if (earlierLine.configLine.line !== line) {
        const placeText =
          earlierLine.configLine.file === file
            ? 'above'
            : `in ${serverPathOf(earlierLine.configLine.file.path, configuration.pathMap)}`;
        // Another server may include this file, but not the file of the first line. So only the
        // removal from a main file can be safe.
        const isMainFile = file === configuration.rootScope.file;
        const safety =
          distribution === 'rhel' && isMainFile && FILE_OF_PACKAGE.test(earlierLine.configLine.file.path)
            ? 'safe'
            : 'suggestion';
        const groupKey = `${safety} ${edits !== null} ${file.path}`;
        addTo(repeatedLinesByGroup, groupKey, { identifier, loadLine, placeText, safety, edits });
      }
    }
    return [...findings, ...[...repeatedLinesByGroup.values()].map(findingOfFile)];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** One finding for the repeated lines of a file. */
function findingOfFile(repeatedLines: readonly RepeatedLine[]): ConfigurationFinding {
  const [first, ...more] = repeatedLines;
  const { identifier, loadLine, placeText, safety, edits } = first!;
  const textParts =
    more.length > 0
      ? {
          what: `\`${identifier}\` and ${moreModules(more.length)} are already loaded`,
          cause: `LoadModule lines ${more.every((each) => each.placeText === placeText) ? placeText : `${placeText} and in other files`} load these modules first. httpd skips these lines (AH01574).`,
          help: 'Remove these lines.',
          helpForBothVersions: 'Put these lines into `<IfVersion < 2.4>`.',
        }
      : {
          what: `\`${identifier}\` is already loaded`,
          cause: `The LoadModule line ${placeText} loads this module first. httpd skips this line (AH01574).`,
          help: 'Remove this line.',
          helpForBothVersions: 'Put this line into `<IfVersion < 2.4>`.',
        };
  const title =
    more.length > 0
      ? `Remove ${repeatedLines.length} repeated LoadModule lines`
      : titleToRemove(loadLine.configLine.line);
  return {
    file: loadLine.configLine.file.path,
    ...spanOf(first!),
    messageId: 'twice',
    consequence: 'ignored',
    ...textParts,
    places: more.map(spanOf),
    fixes: edits ? [{ title, safety, edits: repeatedLines.flatMap((each) => each.edits ?? []) }] : [],
  };
}

/** A LoadModule line for a module that an earlier line loads. */
interface RepeatedLine {
  readonly identifier: string;
  readonly loadLine: LoadModuleLine;
  /** Where the first LoadModule line of the module is, as a part of a sentence. */
  readonly placeText: string;
  readonly safety: Safety;
  /** The removal of the line; null if the configuration reads the file several times. */
  readonly edits: readonly Edit[] | null;
}

/**
 * Matches files of Red Hat's package httpd itself, so they exist on each server with httpd
 * (httpd.spec of Fedora, RHEL 7 and RHEL 8).
 */
const FILE_OF_PACKAGE = /(?:^|\/)conf\.modules\.d\/(?:00-(?:base|dav|lua|mpm|optional|proxy|systemd)|01-cgi)\.conf$/;

function spanOf({ loadLine: { configLine } }: RepeatedLine): { readonly start: number; readonly end: number } {
  return nameSpan(configLine.line, configLine.offset);
}

function moreModules(count: number): string {
  return `${count} more ${count === 1 ? 'module' : 'modules'}`;
}
