/** The verdict of a report, with the requests that prove it. */
import assert from 'node:assert/strict';
import { accessProof, hasProof, proofParts, proofVerdict } from '../../../server/src/features/report/access-proof';
import { markdownWriter } from '../../../server/src/features/report/markdown';
import { configurationOf, MAIN } from '../../requests/support';

const HEAD = 'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\n';
const FILES = { '/srv/www/index.html': '' };
const section = (lines: string) => `${HEAD}<Directory /srv/www>\n${lines}\n</Directory>\n`;
const OLD = section('Order deny,allow\nDeny from all\nAllow from 10.1');
const shown = (file: string) => file.slice(file.lastIndexOf('/') + 1);

function reported(old: string, now: string): { readonly verdict: string; readonly text: string } {
  const proof = accessProof(configurationOf({ [MAIN]: old, ...FILES }, { [MAIN]: now, ...FILES }), shown)!;
  return { verdict: proofVerdict([proof], 1, false), text: proofParts(proof, markdownWriter()).join('\n') };
}

describe('the proof of a report', () => {
  it('has a command for each request, and its answers', () => {
    const { verdict, text } = reported(OLD, section('Require ip 10.1'));
    assert.equal(verdict, 'No client gains or loses access by the fixes that are ready. See "Requests that prove it".');
    assert.match(text, /\*\*No client gains or loses access\.\*\*/);
    assert.match(
      text,
      /^\| `<Directory \/srv\/www>` `httpd\.conf:4` \| `GET \/index\.html from 203\.0\.113\.9` \| 403 \| 403 \| `curl .* http:\/\/localhost\/index\.html` \|$/m,
    );
    assert.match(text, /`GET \/index\.html from 10\.1\.0\.9` \| 200 \| 200 \|/);
  });

  it('begins with who gains access', () => {
    const { verdict, text } = reported(OLD, section('Require ip 10'));
    assert.match(verdict, /^Clients gain access in 1 section with 2\.4 after the fixes that are ready\./);
    assert.match(text, /\| gains \| `GET \/index\.html from 10\.0\.0\.9: 403 → 200` \|/);
  });

  it('names no gain where 2.2 cannot read the lines of 2.4', () => {
    const now = section('Require ip 10.1');
    const { verdict, text } = reported(now, now);
    assert.match(verdict, /^1 section has lines of 2\.4, which 2\.2 cannot read\. To see who gains or loses access, /);
    assert.doesNotMatch(text, /gains? /);
    assert.match(text, /`GET \/index\.html from 10\.1\.0\.9` \| – \| 200 \|/);
  });

  it('names a gain beside lines of 2.4', () => {
    const [old, now] = ['Order deny,allow\nDeny from all', 'Require all granted'].map(
      (lines) => `${section(lines)}<Directory /srv/www/b>\nRequire ip 10.1\n</Directory>\n`,
    );
    const { verdict } = reported(old!, now!);
    assert.match(verdict, /^Clients gain access in 1 section with 2\.4/);
  });

  it('is left out, and not named, if there is no request to send', () => {
    const old = `${HEAD}<Directory /nowhere>\nOrder deny,allow\nDeny from all\n</Directory>\n`;
    const now = `${HEAD}<Directory /nowhere>\nRequire all denied\n</Directory>\n`;
    const proof = accessProof(configurationOf({ [MAIN]: old, ...FILES }, { [MAIN]: now, ...FILES }), shown)!;
    assert.equal(hasProof(proof), false);
    assert.equal(proofVerdict([proof], 1, false), 'No client gains or loses access by the fixes that are ready.');
  });

  it('says what unknown means, if both servers must give the same answer', () => {
    const files = '<Directory />\nAllowOverride All\n</Directory>\nDocumentRoot /srv/gone\n';
    const [old, now] = ['Order allow,deny\nAllow from example.org', 'Require host example.org'].map(
      (lines) => `${HEAD}${files}<Location /a>\n${lines}\n</Location>\n`,
    );
    const { text } = reported(old!, now!);
    assert.match(text, / unknown: this copy does not show the answer, but both servers must give the same one\.\n/);
    assert.match(text, /`GET \/a[^|]*` \| unknown \| unknown \|/);
    assert.doesNotMatch(reported(OLD, section('Require ip 10.1')).text, /unknown/);
  });

  it('is null where no section controls access', () => {
    assert.equal(accessProof(configurationOf({ [MAIN]: HEAD, ...FILES }), shown), null);
  });
});
