/**
 * Every regular expression of ours takes linear time, because it runs over text of untrusted files.
 * scslre reads every literal and finds characters that make it slow. Expressions built from pieces
 * are not read here; test/soak measures them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript-api';
import { lacks } from '../support/lacks';
import { repositoryRoot } from '../support/paths';
import { sources } from './sources';

/** Literals that scslre reports, and why each takes no longer than its text. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/^\\[|(%.*)?\\]$/g': 'address.ts asks of MAX_ADDRESS_LENGTH characters at most',
  '/^(.*:)([\\d.]+\\.[\\d.]+)$/': 'address.ts asks of MAX_ADDRESS_LENGTH characters at most',
  "/^(?:[^'/]|'[^']*'|(?<![=!]~\\s*|m)\\/)*'[^']*$/": 'what stands before a slash is looked at once for that slash',
  '/-?\\w*$/': 'of LONGEST_NAME characters',
  '/%([<>!\\d,]*\\^?\\w*)$/': 'of LONGEST_NAME characters',
  '/[\\s,.]+\\S*$/': 'of MOST_OF_QUESTION characters',
  '/\\[\\^?\\]?[^\\]]*\\]/g': 'withoutClasses gives it text that ends with the last `]`: it matches at every `[`',
};

/** What is used of scslre. */
interface Analyser {
  analyse(
    literal: { readonly source: string; readonly flags: string },
    options: { readonly maxReports: number },
  ): { readonly reports: readonly { readonly character: { readonly literal: RegExp } }[] };
}

let analyser: Analyser;

describe('regular expressions', () => {
  before(function () {
    try {
      analyser = require('scslre') as Analyser;
    } catch {
      lacks(this, 'scslre is not installed: npm install');
    }
  });

  const found = ['server/src', 'client/src'].flatMap((folder) =>
    sources(path.join(repositoryRoot, folder)).flatMap((file) =>
      literalsIn(readFileSync(file, 'utf8')).map(({ text, line }) => ({
        text,
        at: `${path.relative(repositoryRoot, file)}:${line}`,
      })),
    ),
  );

  it('take linear time', () => {
    assert.ok(found.length > 1000, String(found.length));
    assert.deepEqual(
      found.flatMap(({ text, at }) => {
        const slow = slowBy(text);
        return slow.length > 0 && !(text in BOUNDED) ? [`${at}: ${text} on many ${slow.join(', or ')}`] : [];
      }),
      [],
    );
  });

  it('that have a bound are there, and have need of it', () => {
    const texts = new Set(found.map(({ text }) => text));
    assert.deepEqual(
      Object.keys(BOUNDED).filter((text) => !texts.has(text) || slowBy(text).length === 0),
      [],
    );
  });

  for (const slow of ['/^(a+)+$/', '/a+$/', '/[ \\t]+$/g', '/a*b?a*c/', '/\\[[^\\]]+\\]/', '/^\\s*(.*?)\\s*$/'])
    it(`${slow} does not`, () => assert.ok(slowBy(slow).length > 0));
});

function slowBy(text: string): string[] {
  const end = text.lastIndexOf('/');
  const { reports } = analyser.analyse({ source: text.slice(1, end), flags: text.slice(end + 1) }, { maxReports: 3 });
  return reports.map(({ character }) => character.literal.source);
}

function literalsIn(text: string): { readonly text: string; readonly line: number }[] {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest);
  const literals: { text: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node))
      literals.push({ text: node.text, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return literals;
}
