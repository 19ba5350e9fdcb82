/** All texts of rules for the examples on their pages, and for the corpus if present. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import type { PlacedFinding } from '../../server/src/analysis/findings';
import { decode } from '../../server/src/host/decode';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findingsInFiles } from './configurations';
import { corpusFolder, hasCorpus, repositoryRoot } from './paths';

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
        rule.checks === 'configuration'
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
  const engine = new Engine({ rules: ALL_RULES });
  return textsOfCorpus().flatMap(({ file, text }) =>
    engine
      .analyze(Tree.parse(text), { isHtaccess: path.basename(file) === '.htaccess' })
      .findings()
      .map((finding) => ({ finding, where: file })),
  );
}

export interface PlacedText {
  readonly file: string;
  readonly text: string;
}

/** The files that people wrote, where they are beside the checkout. */
export function textsOfCorpus(): PlacedText[] {
  return hasCorpus ? textsIn(corpusFolder) : [];
}

export function textsOfSamples(): PlacedText[] {
  return textsIn(path.join(repositoryRoot, 'test', 'samples'));
}

function textsIn(folder: string): PlacedText[] {
  return filesIn(folder).flatMap((file) => {
    const decoded = decode(readFileSync(file));
    return decoded && 'text' in decoded ? [{ file, text: decoded.text }] : [];
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
