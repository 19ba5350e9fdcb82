/** `httpd -t` from the editor: what is run, and what it said. */
import assert from 'node:assert/strict';
import { commandFor, shellText, verdictOf } from '../../client/src/verify-output';

describe('the check with httpd -t', () => {
  it('runs what the setting names', () => {
    assert.deepEqual(commandFor([], '/w/conf/httpd.conf', '/w'), ['apachectl', '-t', '-f', '/w/conf/httpd.conf']);
    assert.deepEqual(commandFor(['/usr/sbin/apache2'], '/w/httpd.conf', '/w'), ['/usr/sbin/apache2', '-t', '-f', '/w/httpd.conf']);
    const container = ['docker', 'run', '--rm', '-v', '${folder}:/w:ro', 'httpd:2.4', 'httpd', '-t', '-f', '${file}'];
    assert.deepEqual(commandFor(container, '/w/httpd.conf', '/w').slice(4), ['/w:/w:ro', 'httpd:2.4', 'httpd', '-t', '-f', '/w/httpd.conf']);
  });

  it('is shown as a person would type it', () => assert.equal(shellText(['a b', '-t', "it's"]), "'a b' -t 'it'\\''s'"));

  it('puts what it refuses at its line', () => {
    const text = "AH00526: Syntax error on line 2 of /w/conf/httpd.conf:\nInvalid command 'Order', perhaps misspelled\n";
    const verdict = verdictOf({ code: 1, text }, (path) => `file://${path}`);
    assert.deepEqual(verdict, {
      isFine: false, summary: "httpd refuses this configuration. Invalid command 'Order', perhaps misspelled",
      problems: [{ uri: 'file:///w/conf/httpd.conf', line: 1, message: "Invalid command 'Order', perhaps misspelled" }],
    });
  });

  it('takes no word for yes but httpd\'s own', () => {
    assert.equal(verdictOf({ code: 0, text: 'AH00558: could not determine the name\nSyntax OK\n' }, () => null).isFine, true);
    assert.equal(verdictOf({ code: 0, text: '' }, () => null).isFine, false);
    assert.equal(verdictOf({ code: 1, text: 'Syntax OK' }, () => null).isFine, false);
    assert.equal(verdictOf({ code: null, text: 'spawn apachectl ENOENT' }, () => null).summary, 'The check could not be run. spawn apachectl ENOENT');
  });
});
