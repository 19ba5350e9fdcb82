import assert from 'node:assert/strict';
import { reasonText } from '../../server/src/access/not-converted';
import { planOfFiles } from './plan-of-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const section = (lines: string) => `ServerRoot /etc/httpd\nListen 80\n<Directory /srv>\n${lines}</Directory>\n`;

describe('a reason not converted', () => {
  const cases: [code: string, text: string, causedBy: string][] = [
    ['variable', section('Order allow,deny\nAllow from ${X}\n'), 'Allow from ${X}'],
    ['broken-order', section('Order deny allow\nDeny from all\n'), 'Order deny allow'],
    ['broken-host-line', section('Order allow,deny\nAllow all\n'), 'Allow all'],
    ['matches-no-client', section('Order allow,deny\nAllow from 10.*\n'), 'Allow from 10.*'],
    ['require-of-24', section('Deny from all\nRequire local\n'), 'Require local'],
    ['auth-merging', section('Deny from all\nAuthMerging And\n'), 'AuthMerging And'],
    ['relative-path', section('Deny from all\n').replace('/srv', 'srv/*'), '<Directory srv/*>'],
    ['tag-variable', section('Deny from all\n').replace('/srv', '/${X}'), '<Directory /${X}>'],
    ['unknown-method', section('<Limit PURGE>\nDeny from all\n</Limit>\n'), 'Deny from all'],
  ];
  for (const [code, text, causedBy] of cases) {
    it(`${code} names ${causedBy}`, () => {
      const [{ reason }] = planOfFiles({ [MAIN]: text }).plan.refusals;
      assert.deepEqual([reason.code, reason.location], [code, { path: MAIN, offset: text.indexOf(causedBy) }]);
      assert.match(reasonText(reason), /: \S|, or keep the lines/);
    });
  }

  it('of a section beside another names the line that causes the other one', () => {
    const outer = section('Order allow,deny\nAllow from ${X}\n');
    const text = `${outer}<Directory /srv/a>\nOrder deny,allow\nDeny from all\nAllow from 10\n</Directory>\n`;
    const { refusals } = planOfFiles({ [MAIN]: text }).plan;
    const at = { path: MAIN, offset: text.indexOf('Allow from ${X}') };
    assert.deepEqual(
      refusals.map(({ reason: { code, location } }) => [code, location]),
      [
        ['variable', at],
        ['beside-section', at],
      ],
    );
    assert.equal(
      reasonText(refusals[0].reason),
      '"Allow from ${X}" (httpd.conf:5) contains a variable: write its value, then run again',
    );
    assert.equal(
      reasonText(refusals[1].reason),
      'waits for <Directory /srv> (httpd.conf:3), which applies to the same requests: convert that section first',
    );
  });
});
