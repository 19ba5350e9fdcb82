/** The texts about a conversion, before and after it. */
import assert from 'node:assert/strict';
import { conversionPlan, fixPlan, sectionPlan, type Conversion } from '../../server/src/features/conversion';

const change = (path: string) => ({ path, before: '', after: '', edits: [] });
const SMALL: Conversion = {
  roots: ['/etc/httpd.conf'],
  sectionCount: 1,
  changes: [change('/etc/httpd.conf')],
  assumptions: [],
  unconvertedSections: [],
  reasonsNotConverted: [],
};
const LARGE: Conversion = {
  roots: ['/etc/httpd.conf'],
  sectionCount: 25,
  changes: ['a', 'b', 'c', 'd'].map((name) => change(`/etc/${name}.conf`)),
  assumptions: ['"gone.conf" is included and not here'],
  unconvertedSections: [
    { path: '/etc/a.conf', line: 12, section: '<Files "preview.html">', reason: 'a word never matched' },
  ],
  reasonsNotConverted: ['b/httpd.conf: it shares files with another one'],
};
const shown = (path: string) => path.replace('/etc/', '');

describe('the texts of a conversion', () => {
  it('ask, and tell', () => {
    assert.equal(conversionPlan(SMALL, shown).question, 'Convert 1 section in 1 file?');
    assert.equal(conversionPlan(LARGE, shown).question, 'Convert 25 sections in 4 files?');
    assert.equal(conversionPlan(SMALL, shown).messageAfter, 'Converted 1 section in 1 file.');
    assert.equal(conversionPlan(LARGE, shown).messageAfter, 'Converted 25 sections in 4 files. 1 is left.');
  });

  it('say in full what is assumed, what stays and why', () => {
    assert.equal(
      conversionPlan(LARGE, shown).summary,
      `Access control of httpd.conf

25 sections in 4 files get Require lines for 2.4. Nothing is written yet.

- a.conf
- b.conf
- c.conf
- d.conf

Check these points first. The conversion keeps all decisions of 2.2, as far as the files show. The files do not show this:

- "gone.conf" is included and not here

These sections are not converted:

- a.conf:12 <Files "preview.html">: a word never matched

These configurations are not converted:

- b/httpd.conf: it shares files with another one
`,
    );
    assert.equal(
      conversionPlan(SMALL, shown).summary,
      'Access control of httpd.conf\n\n1 section in 1 file gets Require lines for 2.4. Nothing is written yet.\n\n- httpd.conf\n',
    );
  });

  it('have no page to read first where nothing has to be checked', () => {
    const { summary, buttonText, question } = sectionPlan(SMALL, shown);
    assert.deepEqual([summary, buttonText, question], ['', 'Apply', 'Convert 1 section in 1 file?']);
    assert.match(sectionPlan(LARGE, shown).summary, /^Access control of httpd\.conf\n/);
  });

  it('ask for a fix that changes files which are not open', () => {
    const one = fixPlan('Load ssl_module', [change('/etc/httpd.conf')], shown);
    assert.deepEqual(
      [one.question, one.buttonText, one.messageAfter, one.shortText],
      ['Load ssl_module in httpd.conf?', 'Apply', 'Changed httpd.conf.', 'Load ssl_module in httpd.conf?'],
    );
    const two = fixPlan('Load ssl_module', [change('/etc/a.conf'), change('/etc/b.conf')], shown);
    assert.deepEqual(
      [two.shortText, two.messageAfter],
      ['Load ssl_module in 2 files? Files: a.conf, b.conf.', 'Changed 2 files.'],
    );
  });

  it('say it in short where there is no room', () => {
    assert.equal(
      conversionPlan(LARGE, shown).shortText,
      'Convert 25 sections in 4 files? Files: a.conf, b.conf, c.conf, and 1 more. Check first: "gone.conf" is included and not here. 1 section is not converted, such as <Files "preview.html">: a word never matched.',
    );
    assert.equal(conversionPlan(SMALL, shown).shortText, 'Convert 1 section in 1 file? Files: httpd.conf.');
  });
});
