/** Which requests are granted, and by which lines. */
import assert from 'node:assert/strict';
import { ask, MAIN } from './support';

const SITE = { '/srv/www/index.html': '', '/srv/www/admin/x.php': '' };
const main = (text: string) => ({ [MAIN]: `Listen 80\nDocumentRoot /srv/www\n${text}`, ...SITE });

describe('a request', () => {
  it('is refused by the line of Deny', () => {
    const files = main('<Directory /srv/www/admin>\nOrder deny,allow\nDeny from all\n</Directory>');
    for (const server of ['2.2', '2.4-compat'] as const) {
      const { access, because } = ask(files, 'GET /admin/x.php', { server });
      assert.equal(access, 'denied');
      assert.deepEqual(because, [{ file: MAIN, line: 4, text: 'Deny from all' }]);
    }
  });
});
