/** All that rules say of the examples on their pages, and of the corpus where it is there. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import type { PlacedFinding } from '../../server/src/analysis/findings';
import { decode } from '../../server/src/host/decode';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findingsInFiles } from './configurations';
import { corpusFolder, hasCorpus } from './paths';

export interface Met {
  readonly finding: PlacedFinding;
  /** Which example, or which file. */
  readonly where: string;
}

export function inExamples(): Met[] {
  const engine = new Engine({ rules: ALL_RULES, findsInactive: true });
  return ALL_RULES.flatMap((rule) =>
    rule.examples.flatMap(({ title, before, file, files }) => {
      const where = `${rule.id}: ${title}`;
      const findings =
        rule.scope === 'configuration'
          ? [
              ...findingsInFiles(
                { '/srv/conf/httpd.conf': before, ...files },
                { rule: rule.id, root: '/srv/conf/httpd.conf' },
              ).values(),
            ].flat()
          : engine
              .analyze(Tree.parse(before), { isHtaccess: file === '.htaccess' })
              .findings()
              .filter((finding) => finding.rule === rule);
      return findings.map((finding) => ({ finding, where }));
    }),
  );
}

/** Each file by itself. */
export function inCorpus(): Met[] {
  if (!hasCorpus) return [];
  const engine = new Engine({ rules: ALL_RULES });
  return filesIn(corpusFolder).flatMap((file) => {
    const decoded = decode(readFileSync(file));
    const text = decoded && 'text' in decoded ? decoded.text : undefined;
    if (text === undefined) return [];
    return engine
      .analyze(Tree.parse(text), { isHtaccess: path.basename(file) === '.htaccess' })
      .findings()
      .map((finding) => ({ finding, where: file }));
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const { isDirectory, size } = ((stat) => ({ isDirectory: stat.isDirectory(), size: stat.size }))(statSync(file));
    return isDirectory
      ? filesIn(file)
      : size > 0 && !/^(MANIFEST|TREES|PAIRS|SYMLINKS|README)/.test(name)
        ? [file]
        : [];
  });
}
