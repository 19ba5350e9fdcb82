import assert from 'node:assert/strict';
import facts from '../../server/src/directives/data/third-party.json';
import { moduleDirectiveRemoved } from '../../server/src/rules/module-directive-removed';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'module-directive-removed' };

describe('module-directive-removed', () => {
  it('has the names of the table', () => {
    const names = facts.flatMap((each) => Object.keys(('removed' in each && each.removed) || {}));
    assert.deepEqual([...moduleDirectiveRemoved.names].sort(), names.map((name) => name.toLowerCase()).sort());
  });

  it('says what to do instead, and removes the line', () => {
    const text = '<Location /s>\nShibRequireAll On\nRequire valid-user\n</Location>\n';
    const [finding] = findingsIn(text, rule);
    assert.match(finding.message, /`ShibRequireAll` was removed from mod_shib/);
    assert.match(finding.message, /<RequireAll>/);
    // With a second Require line, the removal alone would open access.
    assert.match(finding.fixes[0]!.assumes!, /^only one `Require` line/);
    assert.equal(finding.fixes[0]!.isAppliedAlone, true);
    const [off] = findingsIn(text.replace('On', 'Off'), rule);
    assert.equal(off.fixes[0]!.isAppliedAlone, undefined);
    assert.equal(fixed(text, { ...rule, unsafe: true }), '<Location /s>\nRequire valid-user\n</Location>\n');
  });
});
