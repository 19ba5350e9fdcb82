import { linesOf } from '../config/loaded-modules';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, fittingHeadline } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds an Include of more files than this program reads. The files after this limit are not
 * checked.
 */
export const includeTooMany: ConfigurationRule = {
  id: 'include-too-many',
  title: 'Include that leads to too many files',
  consequence: 'check after the upgrade',
  fix: 'none',
  checks: 'configuration',
  isForTemplates: true,
  names: ['include', 'includeoptional'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#include',
  examples: [
    {
      title: 'Not reported: a directory of configuration',
      before: 'ServerRoot /srv/conf\nInclude conf.d\n',
      finds: [],
      files: { '/srv/conf/conf.d/a.conf': 'Listen 80\n' },
    },
  ],
  check({ configuration }) {
    // httpd-upgrade stops reading at the first Include line that exceeds the limit. So there is at
    // most one such gap, and one finding.
    const gapOfLimit = configuration.gaps.find(({ reason }) => reason === 'too-many');
    const includeLine = this.names
      .flatMap((name) => linesOf(configuration, name))
      .find(({ file, offset }) => file === gapOfLimit?.file && offset === gapOfLimit.offset);
    if (includeLine === undefined) return [];
    const { line, file, offset } = includeLine;
    const includedPath = argumentsOf(line)[0]?.value ?? '';
    const finding: ConfigurationFinding = {
      file: file.path,
      messageId: 'too-many',
      ...contentSpan(line, offset),
      what: fittingHeadline(
        `\`${spelledName(line)} ${includedPath}\` leads to too many files, and not all are checked`,
        `\`${spelledName(line)}\` leads to too many files, and not all are checked`,
      ),
      cause: `Only the first ${configuration.files.size} files of this configuration were read.`,
      help: 'Write the path of the directory that has only your configuration, or remove the link in it that leads elsewhere. Then run again.',
      fixes: [],
    };
    return [finding];
  },
};
