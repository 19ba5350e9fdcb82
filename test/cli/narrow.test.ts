/** `check` on a screen of 80 columns: a long headline continues on the next row. */
import assert from 'node:assert/strict';
import { needs, withFolder } from './run';
import { inTerminal } from './terminal';

const HEADLINE = '`DefaultType` is ignored: files of unknown type have no Content-Type';

describe(
  'headlines on a screen',
  withFolder((folder) => {
    beforeEach(() => folder().write('conf/httpd.conf', 'ServerRoot /srv\nListen 80\nDefaultType text/html\n'));

    it('are wrapped between words', async function () {
      needs(this, 'python3');
      const { text } = await inTerminal(['check', 'conf/httpd.conf'], [], { cwd: folder().path });
      const rows = text.split(/\r?\n/);
      const at = rows.findIndex((row) => row.startsWith('warning[default-type]: '));
      assert.equal(`${rows[at]} ${rows[at + 1]?.trim()}`, `warning[default-type]: ${HEADLINE}`);
      assert.match(rows[at + 1]!, /^ {2}\S/);
      assert.ok(rows.every((row) => row.length <= 80));
    });

    it('stay on one line in a pipe, so that programs find them', async () => {
      const { out } = await folder().run(['check', 'conf/httpd.conf']);
      assert.ok(out.includes(`warning[default-type]: ${HEADLINE}\n`));
    });
  }),
);
