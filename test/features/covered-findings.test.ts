import assert from 'node:assert/strict';
import { reportedProblemOf, withoutCoveredFindings } from '../../server/src/features/covered-findings';
import { Tree } from '../../server/src/syntax/document';
import { findingsInFiles } from '../support/configurations';
import { engineFor } from '../support/rules';

const ROOT = '/etc/httpd/conf/httpd.conf';
const TOP = 'Listen 80\nDocumentRoot /srv/www\n';
const CLOSED = '<Directory /srv/www>\nOrder deny,allow\nDeny from all\n</Directory>\n';

function shown(text: string): string[] {
  const [all = []] = [...findingsInFiles({ [ROOT]: text }, { rule: 'access-opens' }).values()];
  assert.equal(all.length, 1, 'the rule itself finds it');
  const ofLines = engineFor({}).analyze(Tree.parse(text), { isHtaccess: false }).findings();
  return withoutCoveredFindings(Tree.parse(text), all, () => ofLines.map(reportedProblemOf)).map(({ rule }) => rule.id);
}

describe('findings that others include', () => {
  it('leaves out an opening for which the condition is reported', () => {
    assert.deepEqual(shown(`${TOP}<IfVersion < 2.4>\n${CLOSED}</IfVersion>\n`), []);
    assert.deepEqual(
      shown(
        `${TOP}<Directory /srv/www>\nOrder deny,allow\n<IfVersion < 2.4>\nDeny from all\n</IfVersion>\n</Directory>\n`,
      ),
      [],
    );
  });

  it('keeps it where problems are elsewhere, or about something else', () => {
    const login = 'AuthType Basic\nAuthName a\nAuthUserFile /srv/users\nRequire valid-user\n';
    const opened = `<Directory /srv/www>\n${login}</Directory>\n<Location /x>\nRequire ip 10\n</Location>\n`;
    assert.deepEqual(shown(TOP + opened), ['access-opens']);
    const other = '<IfVersion < 2.4>\n<Location /other>\nDeny from all\n</Location>\n</IfVersion>\n';
    const text = TOP + opened + other;
    const [all = []] = [...findingsInFiles({ [ROOT]: text }, { rule: 'access-opens' }).values()];
    const ofLines = engineFor({}).analyze(Tree.parse(text), { isHtaccess: false }).findings();
    assert.ok(ofLines.some(({ rule }) => rule.id === 'condition-one-version'));
    const left = withoutCoveredFindings(Tree.parse(text), all, () => ofLines.map(reportedProblemOf));
    assert.deepEqual(
      left.map(({ start }) => Tree.parse(text).positionAt(start).line),
      [9],
    );
  });
});
