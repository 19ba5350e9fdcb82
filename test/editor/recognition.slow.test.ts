/**
 * Which files VS Code recognizes as httpd's, and which as main files: the files that a
 * configuration reads, whatever their names, in every open folder.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderWith, openWorkbenchFor, type Workbench } from './workbench';

const MODULES =
  'LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\nLoadModule unixd_module modules/mod_unixd.so\n';
const MAIN = `ServerRoot "$FOLDER/one"
ServerName www.example.org
Listen 80
${MODULES}Include conf.d/*.conf
Include sites/*
MaxClients 10
DefaultType text/plain
`;
const OTHER = `ServerRoot "$FOLDER/two"\nListen 81\n${MODULES}MaxClients 20\nDefaultType text/plain\nSSLMutex default\n`;

describe('several folders in VS Code', () => {
  let workbench: Workbench;
  let folder: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  before(async function () {
    folder = folderWith({
      'one/conf/httpd.conf': MAIN,
      'one/conf/httpd.conf.rpmnew': MAIN,
      'one/conf/httpd.conf.org': MAIN,
      'one/conf.d/a.conf': 'Timeout 60\n',
      'one/sites/shop': '# a name without an ending\nTimeout 60\n',
      'two/conf/httpd.conf': OTHER,
      'both.code-workspace': JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }),
    });
    workbench = await openWorkbenchFor(this, { name: 'folders', folder, workspace: 'both.code-workspace' });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('are planned each by itself, and no copy of a main file is', async () => {
    await workbench.waitForStatus(/blocking/);
    await workbench.commandByKeys('httpd-upgrade: Plan the Upgrade');
    await workbench.waitForItem(/^one\/conf\/httpd\.conf, /);
    await workbench.waitForItem(/^two\/conf\/httpd\.conf, /);
    await workbench.screenshot('1-two-folders');
    const mains = (await workbench.heard()).filter(({ level }) => level === 1).map(({ label }) => label ?? '');
    assert.deepEqual(
      mains
        .map((label) => label.replace(/,.*/, ''))
        .filter((label) => label.includes('/'))
        .sort(),
      ['one/conf/httpd.conf', 'two/conf/httpd.conf'],
    );
  });

  it('have one count in the status bar, whatever file is open: that of the view', async () => {
    await workbench.waitForStatus(/· 5 blocking/);
    await workbench.openFile('two/conf/httpd.conf');
    await workbench.waitForStatus(/· 5 blocking/);
    await workbench.openFile('one/conf/httpd.conf');
    await workbench.waitForStatus(/· 5 blocking/);
  });

  it('have answers, changes and an undo of their own', async () => {
    const before = ['one/conf/httpd.conf', 'two/conf/httpd.conf'].map(text);
    await workbench.commandByKeys('httpd-upgrade: Answer a Question');
    await workbench.question(/Questions of the upgrade plan/);
    await workbench.answer('7 settings have new defaults');
    await workbench.question(/^one\/conf\/httpd\.conf: .*new defaults in 2\.4/);
    await workbench.answer('Yes: use the values of 2.4');
    await workbench.waitForItem(/new defaults in 2\.4.*answered/);
    assert.deepEqual(JSON.parse(text('one/.httpd-upgrade.json')), { answers: { defaults: '2.4' } });
    assert.equal(existsSync(path.join(folder, 'two/.httpd-upgrade.json')), false);
    await workbench.itemAction(/^one\/conf\/httpd\.conf, /, 'Preview and Apply');
    await workbench.question(/^Apply/);
    await workbench.screenshot('4-apply');
    await workbench.answer('Apply');
    await workbench.message(/Applied/);
    assert.notEqual(text('one/conf/httpd.conf'), before[0]);
    assert.equal(text('two/conf/httpd.conf'), before[1]);
    await workbench.messageAction('Undo');
    await workbench.message(/undone/);
    assert.deepEqual(['one/conf/httpd.conf', 'two/conf/httpd.conf'].map(text), before);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('have files that are httpd’s where a configuration reads them, whatever they are called', async () => {
    await workbench.openFile('one/sites/shop');
    await workbench.waitForLanguage(/apache/i);
  });

  it('have new files that are so at once, though nothing stands in them yet', async () => {
    writeFileSync(path.join(folder, 'one/conf.d/new.conf'), '');
    await workbench.openFile('one/conf.d/new.conf');
    await workbench.waitForLanguage(/apache/i);
    await workbench.screenshot('2-new');
  });

  it('have findings whose rule leads to the page of the rule', async () => {
    await workbench.openFile('two/conf/httpd.conf');
    await workbench.problems('**/two/**', (found) =>
      found.some(({ text: shown }) => shown.includes('mutex-directive')),
    );
    await workbench.followRule('mutex-directive');
    await workbench.waitForTab(/mutex-directive/);
    await workbench.screenshot('3-rule');
  });
});

describe('the httpd.conf of OpenBSD in VS Code', () => {
  let workbench: Workbench;

  before(async function () {
    const folder = folderWith({
      'etc/httpd.conf': `# $OpenBSD: httpd.conf,v 1.22 $
prefork 2
server "example.com" {
	listen on * port 80
	root "/htdocs/example.com"
	location "/.well-known/acme-challenge/*" {
		root "/acme"
		request strip 2
	}
}
types { include "/usr/share/misc/mime.types" }
`,
    });
    workbench = await openWorkbenchFor(this, {
      name: 'openbsd',
      folder,
      settings: { 'httpdUpgrade.invitation': true },
    });
  });
  afterEach(function () {
    return workbench?.keepEvidence(this.currentTest);
  });
  after(() => workbench?.close());

  it('is plain text, without a problem and without a word of an upgrade', async () => {
    await workbench.openFile('etc/httpd.conf');
    await workbench.waitForLanguage(/plain text/i);
    // As long as problems and the invitation would take.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await workbench.screenshot('1-opened');
    await workbench.waitForErrors(0);
    await workbench.noMessages();
    assert.deepEqual(
      (await workbench.statusBar()).filter((text) => text.includes('httpd 2.2')),
      [],
    );
  });
});
