/** Messages of a real httpd as verify reads them. */
import assert from 'node:assert/strict';
import { readServerMessages } from '../../server/src/analysis/server-check';

describe('messages of httpd -t', () => {
  it('of several lines have spaces in place of the escapes of the log', () => {
    // As apache2 -t of 2.4.71 writes it for `User root`.
    const output =
      'AH00526: Syntax error on line 3 of /etc/httpd/httpd.conf:\nError:\\tApache has not been designed to serve pages while\\n\\trunning as root.\\n\n';
    const { error } = readServerMessages(output, false);
    assert.equal(error?.message, 'Error: Apache has not been designed to serve pages while running as root.');
    assert.equal(error.line, 3);
  });

  it('do not end with the word before the place', () => {
    // As apache2 -t of 2.4.71 writes it, if mod_alias is not loaded.
    const row =
      "AH00116: Discarding unrecognized directive `Redirect' in AllowOverrideList at /etc/httpd/httpd.conf:7\n";
    const [warning] = readServerMessages(row, true).warnings;
    assert.deepEqual(
      [warning!.message, warning!.line],
      ["Discarding unrecognized directive `Redirect' in AllowOverrideList", 7],
    );
  });

  it('keep a backslash in a path, and name a file on a drive', () => {
    const output =
      "AH00526: Syntax error on line 7 of C:/Apache24/conf/httpd.conf:\nDocumentRoot 'C:\\new\\tmp' is not a directory\n";
    const { error } = readServerMessages(output, false);
    assert.equal(error?.message, "DocumentRoot 'C:\\new\\tmp' is not a directory");
    assert.deepEqual([error.file, error.line], ['C:/Apache24/conf/httpd.conf', 7]);
  });
});
