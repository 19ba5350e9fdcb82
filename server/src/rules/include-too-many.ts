import { linesOf } from '../config/loaded-modules';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, headline } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/**
 * Finds an Include of more files than this program reads. The user has to know that the others are
 * not checked.
 */
export const includeTooMany: ConfigurationRule = {
  id: 'include-too-many',
  title: 'Include that leads to too many files',
  consequence: 'check after the upgrade',
  fix: 'none',
  scope: 'configuration',
  isForTemplates: true,
  names: ['include', 'includeoptional'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#include',
  page: {
    what:
      '`Include` of a directory, or with a wildcard, that leads to more files or directories than this program reads. Example: a link to `/` in `conf.d`. The limits are 20,000 files, 50,000 names in directories, ' +
      'and 100 files that are no configuration of httpd.',
    why: 'httpd has no such limit. The other files are not read here, so their lines are not checked. Access control of the configuration is not converted by a safe fix.',
    httpd:
      'No message for the number of files. At the first file that is no configuration, httpd does not start: `Invalid command`.',
    fixing: '- **By hand**: let the line name the directory of your files, or remove the link that leads out of it.',
    sources: ['server/config.c: ap_process_resource_config', 'test/config/bounded.test.ts'],
  },
  examples: [
    {
      title: 'Not reported: a directory of configuration',
      before: 'ServerRoot /srv/conf\nInclude conf.d\n',
      finds: [],
      files: { '/srv/conf/conf.d/a.conf': 'Listen 80\n' },
    },
  ],
  check({ configuration }) {
    // Nothing after it is read either, so one finding names the cause.
    const cut = configuration.gaps.find(({ reason }) => reason === 'too-many');
    const at = this.names
      .flatMap((name) => linesOf(configuration, name))
      .find(({ file, offset }) => file === cut?.file && offset === cut.offset);
    if (at === undefined) return [];
    const { line, file, offset } = at;
    const path = argumentsOf(line)[0]?.value ?? '';
    const finding: ConfigurationFinding = {
      file: file.path,
      messageId: 'too-many',
      ...contentSpan(line, offset),
      what: headline(
        `\`${spelledName(line)} ${path}\` leads to too many files, and not all are checked`,
        `\`${spelledName(line)}\` leads to too many files, and not all are checked`,
      ),
      cause: `${configuration.files.size} files of this configuration were read.`,
      help: 'Name the directory of your files, or remove the link that leads out of it, and run again.',
      fixes: [],
    };
    return [finding];
  },
};
