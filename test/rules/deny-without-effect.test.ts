import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'deny-without-effect' };
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;
const count = (body: string) => findingsIn(dir(body), rule).length;

describe('deny-without-effect', () => {
  it('marks the first Deny line, in odd case, continued, with CR LF, without an Order line', () => {
    assert.equal(
      annotated('oRDER deny,ALLOW\r\nALLOW from ALL\r\nDENY \\\r\n from env=bad\r\nDeny from 192.0.2.1\r\n', rule),
      'oRDER deny,ALLOW\r\nALLOW from ALL\r\nDENY \\\r\n#^^^^^^ warning deny-without-effect/overridden suggestion\n from env=bad\r\nDeny from 192.0.2.1\r\n',
    );
    assert.equal(count('Allow from all\nDeny from 192.0.2.1\n'), 1);
    assert.equal(count('Order allow,deny\nAllow from all\nDeny from 192.0.2.1\nOrder deny,allow\n'), 1);
  });

  it('leaves alone what denies, what denies all, and what hangs on a condition', () => {
    for (const body of [
      'Order allow,deny\nAllow from all\nDeny from 192.0.2.1\n',
      'Order mutual-failure\nAllow from all\nDeny from 192.0.2.1\n',
      'Order deny,allow\nDeny from all\nAllow from all\n',
      'Order deny,allow\nDeny from none\nAllow from all\n',
      'Order deny,allow\nDeny from 192.0.2.0/24\nAllow from 192.0.2.1\n',
      'Order deny,allow\nDeny from ${BAD}\nAllow from all\n',
      'Order deny,allow\nDeny from 192.0.2.1 10.0.0.1\nAllow from 192.0.2\n',
      'Order deny,allow\nDeny from 192.0.0.0/16\nAllow from 192.0.2.0/24\n',
      'Order deny,allow\nDeny from 192.0.3.1\nAllow from 192.0.2.0/24\n',
      'Order deny,allow\nDeny from 2001:db8::1\nAllow from 2001:db8::/32\n',
      'Order deny,allow\nDeny from a.example.org\nAllow from example.org\n',
      'Order deny,allow\nDeny from env=bad\nAllow from env=!bad\n',
      '<Limit GET>\nOrder deny,allow\nDeny from 192.0.2.1\n</Limit>\nAllow from all\n',
      '<Limit GET>\nDeny from 192.0.2.1\nAllow from all\n</Limit>\n<Limit HEAD>\nOrder allow,deny\n</Limit>\n',
      '<Limit GET>\nDeny from 192.0.2.1\nAllow from all\n</Limit>\n<LimitExcept POST>\nOrder allow,deny\n</LimitExcept>\n',
      '<IfDefine X>\nOrder allow,deny\n</IfDefine>\nDeny from 192.0.2.1\nAllow from all\n',
    ])
      assert.equal(count(body), 0, body);
  });

  it('looks into each Limit, where no method is in two', () => {
    const body = 'Order deny,allow\nDeny from 192.0.2.1\nAllow from all\n';
    assert.equal(count(`<Limit GET>\n${body}</Limit>\n`), 1);
    assert.equal(count(`<LimitExcept GET>\n${body}</LimitExcept>\n`), 1);
    assert.equal(count(`<Limit GET>\n${body}</Limit>\n<Limit POST>\n${body}</Limit>\n`), 2);
    assert.equal(count(`<Limit HEAD>\n${body}</Limit>\n<LimitExcept GET>\nDeny from all\n</LimitExcept>\n`), 1);
  });

  it('knows networks that have an address in them, and leaves the order', () => {
    for (const [inner, outer] of [
      ['192.0.2.1', '192.0.0.0/16'],
      ['192.0.2.1', '192.0.2.1'],
      ['192.0.2', '192.0.'],
      ['192.0.2.0/25', '192.0.2.0/255.255.255.0'],
      ['192.0.2.1 192.0.2.2', '192.0.2'],
      ['env=bad', 'env=bad'],
      ['Example.org', 'example.org'],
      ['2001:DB8::1', '2001:db8::1'],
    ]) {
      const text = dir(`Order deny,allow\nDeny from ${inner}\nAllow from ${outer}\n`);
      const [finding] = findingsIn(text, rule);
      assert.equal(finding?.what, `\`Deny\` has no effect: \`Allow from ${outer}\` wins`, text);
      assert.deepEqual(finding.fixes, []);
    }
  });

  it('offers the order in which Deny decides, and never safely', () => {
    const text = dir('Order deny,allow\r\nDeny from 192.0.2.1\r\nAllow from all\r\n');
    assert.equal(fixed(text, rule), text);
    assert.equal(fixed(text, { ...rule, unsafe: true }), text.replace('deny,allow', 'allow,deny'));
    assert.deepEqual(findingsIn(dir('Deny from 192.0.2.1\nAllow from all\n'), rule)[0].fixes, []);
  });

  it('names an Allow line that Deny from all overrides, and does not offer to open it', () => {
    assert.equal(
      annotated('ORDER Allow,Deny\r\nDENY from ALL\r\nallow from 192.0.2.1\r\n', rule),
      'ORDER Allow,Deny\r\nDENY from ALL\r\nallow from 192.0.2.1\r\n#^^^^^^^^^^^^^^^^^^^ warning deny-without-effect/allow-overridden none\n',
    );
    for (const order of ['allow,deny', 'mutual-failure']) {
      const text = dir(`Order ${order}\nAllow from 192.0.2.1\nDeny from all\n`);
      const [finding] = findingsIn(text, rule);
      assert.equal(finding?.what, '`Allow` has no effect: `Deny from all` wins');
      assert.equal(fixed(text, { ...rule, unsafe: true }), text);
    }
    for (const body of [
      'Order allow,deny\nAllow from all\nDeny from all\n',
      'Order allow,deny\nAllow from none\nDeny from all\n',
      'Order allow,deny\nAllow from 192.0.2.1\nDeny from 192.0.2.0/24\n',
      'Order allow,deny\nAllow from ${GOOD}\nDeny from all\n',
      'Order allow\nAllow from 192.0.2.1\nDeny from all\n',
    ])
      assert.equal(count(body), 0, body);
  });

  it('is silent in a section that 2.4 does not read', () => {
    assert.equal(count('<IfVersion < 2.4>\nOrder deny,allow\nDeny from 192.0.2.1\nAllow from all\n</IfVersion>\n'), 0);
  });
});
