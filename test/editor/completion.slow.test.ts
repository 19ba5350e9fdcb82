/** Writing configuration in VS Code: suggestions, their insertion, help on arguments. */
import assert from 'node:assert/strict';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const FILE = `ServerRoot "/etc/httpd"
LoadModule alias_module modules/mod_alias.so
Listen 8080

<Directory "/srv">
    # here
</Directory>
# end
`;

describe('completion in VS Code', () => {
  let workbench: Workbench;

  before(async function () {
    workbench = await openWorkbenchFor(this, { name: 'completion', folder: folderWith({ 'httpd.conf': FILE }) });
    await workbench.openFile('httpd.conf');
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  const newLineAt = async (text: string) => {
    await workbench.save();
    await workbench.goTo(text);
    await workbench.press('End');
    await workbench.press('Enter');
  };

  it('offers directives as one types, and writes the one that is taken', async () => {
    await newLineAt('Listen 8080');
    await workbench.type('Serv');
    const [first] = await workbench.suggestions(([label]) => label === 'ServerName');
    assert.equal(first, 'ServerName');
    await workbench.screenshot('1-names');
    await workbench.press('Tab');
    await workbench.type('www.example.org');
    assert.match(await workbench.text(), /^Listen 8080\nServerName www\.example\.org$/m);
  });

  it('closes a section', async () => {
    await newLineAt('ServerName');
    await workbench.type('<Loc');
    await workbench.suggestions(([label]) => label === '<Location>');
    await workbench.screenshot('2-section');
    await workbench.press('Tab');
    await workbench.type('/status');
    await workbench.press('Tab');
    await workbench.type('SetH');
    await workbench.suggestions(([label]) => label === 'SetHandler');
    await workbench.press('Tab');
    await workbench.suggestions((labels) => labels.includes('cgi-script'));
    await workbench.screenshot('3-handlers');
    await workbench.type('server-st');
    await workbench.suggestions(([label]) => label === 'server-status');
    await workbench.press('Tab');
    assert.match(await workbench.text(), /^<Location "\/status">\n\s+SetHandler server-status\n<\/Location>$/m);
  });

  it('closes a section whose tag is typed to its end', async () => {
    await newLineAt('Listen 8080');
    await workbench.type('<Files "a.txt">');
    await workbench.page.waitForSelector('.view-line:has-text("</Files>")');
    await workbench.press('Enter');
    await workbench.type('Options None');
    assert.match(await workbench.text(), /^<Files "a\.txt">\n\s+Options None\n<\/Files>$/m);
  });

  it('offers values behind a name, with their signs, and says what they are arguments of', async () => {
    await newLineAt('# here');
    // What follows a comment is one, too, in this editor: the line is begun anew.
    await workbench.press('Home');
    await workbench.press('Shift+End');
    await workbench.type('Options ');
    await workbench.suggestions((labels) => labels.includes('FollowSymLinks'));
    assert.match(await workbench.parameterHelp(), /^Options \{.*\}/s);
    await workbench.screenshot('4-values');
    await workbench.type('+Foll');
    await workbench.suggestions(([label]) => label === '+FollowSymLinks');
    await workbench.press('Tab');
    assert.match(await workbench.text(), /^\s*Options \+FollowSymLinks$/m);
  });

  it('loads the module that a directive needs', async () => {
    await newLineAt('Listen 8080');
    await workbench.type('RewriteEn');
    await workbench.suggestions(([label]) => label === 'RewriteEngine');
    await workbench.screenshot('5-module');
    await workbench.press('Tab');
    await workbench.suggestions((labels) => labels.includes('On'));
    await workbench.type('O');
    await workbench.press('Tab');
    const text = await workbench.text();
    assert.match(
      text,
      /^LoadModule alias_module modules\/mod_alias\.so\nLoadModule rewrite_module modules\/mod_rewrite\.so\nListen 8080\nRewriteEngine On$/m,
    );
  });
});
