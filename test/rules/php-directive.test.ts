import assert from 'node:assert/strict';
import { explain } from '../../server/src/features/explain';
import { thirdPartyAdvice } from '../../server/src/rules/third-party-module';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'php-directive' };

describe('php-directive', () => {
  it('names the file where PHP-FPM reads the setting', () => {
    const message = (text: string, file?: string) => findingsIn(text, { ...rule, ...(file && { file }) })[0]!.message;
    assert.match(message('php_value memory_limit 1M\n', '.htaccess'), /\.user\.ini/);
    assert.match(message('<Directory /srv>\nphp_value memory_limit 1M\n</Directory>\n'), /\.user\.ini/);
    for (const text of ['php_value memory_limit 1M\n', '<Directory /srv>\nphp_admin_value a b\n</Directory>\n'])
      assert.match(message(text), /php_admin_value\[/);
  });

  it('one finding for a section or a .htaccess, with what happens there', () => {
    const text = 'php_flag engine off\nphp_value memory_limit 1M\n';
    const [found, ...others] = findingsIn(text, { ...rule, file: '.htaccess' });
    assert.equal(others.length, 0);
    assert.match(found.message, /without the PHP module, requests get 500/);
    const [inSection] = findingsIn(`<Directory /srv>\n${text}</Directory>\n`, rule);
    assert.match(inSection.message, /httpd does not start/);
    assert.deepEqual(findingsIn(`<IfModule mod_php5.c>\n${text}</IfModule>\n`, { ...rule, file: '.htaccess' }), []);
  });

  it('goes with the answer that there is no PHP module, and stays with others', () => {
    const text = 'Options None\nphp_flag display_errors off\n';
    const with_ = (value: string) =>
      fixed(text, {
        ...rule,
        file: '.htaccess',
        unsafe: true,
        answerSet: { answers: new Map([['php', value]]), folder: '/' },
      });
    assert.equal(with_('none'), 'Options None\n# .user.ini: display_errors = Off\n');
    assert.equal(with_('8'), text);
    assert.equal(fixed(text, { file: '.htaccess', unsafe: true }), text);
  });

  const written = (text: string, answers: [string, string][], unsafe = false) =>
    fixed(text, { ...rule, file: '.htaccess', unsafe, answerSet: { answers: new Map(answers), folder: '/' } });
  const ANY: [string, string] = ['php', 'any'];

  it('writes the settings for each PHP module if the user does not know which one runs', () => {
    const text = 'Options None\nphp_value memory_limit 1M\nphp_flag display_errors off\n';
    const sections = ['mod_php5.c', 'mod_php7.c', 'mod_php.c']
      .map(
        (name) => `<IfModule ${name}>\n    php_value memory_limit 1M\n    php_flag display_errors off\n</IfModule>\n`,
      )
      .join('');
    assert.equal(written(text, [ANY]), `Options None\n${sections}`);
    assert.deepEqual(findingsIn(`Options None\n${sections}`, { ...rule, file: '.htaccess' }), []);
  });

  it('keeps lines between the settings, the indentation and the line ends', () => {
    const section = (name: string, line: string) => `  <IfModule ${name}>\r\n      ${line}\r\n  </IfModule>\r\n`;
    const sections = (line: string) =>
      ['mod_php5.c', 'mod_php7.c', 'mod_php.c'].map((each) => section(each, line)).join('');
    assert.equal(
      written('<Files "a">\r\n  php_value a 1\r\n  # b\r\n  php_value b 2\r\n</Files>\r\n', [ANY]),
      `<Files "a">\r\n${sections('php_value a 1')}  # b\r\n${sections('php_value b 2')}</Files>\r\n`,
    );
    assert.match(written('php_value a 1', [ANY]), /<IfModule mod_php\.c>\n {4}php_value a 1\n<\/IfModule>$/);
  });

  it('writes a removed setting only for the modules of PHP that have it', () => {
    assert.equal(
      written('php_flag magic_quotes_gpc off\n', [ANY]),
      '<IfModule mod_php5.c>\n    php_flag magic_quotes_gpc off\n</IfModule>\n',
    );
    assert.equal(
      written('php_flag track_errors off\n', [ANY]),
      ['mod_php5.c', 'mod_php7.c']
        .map((name) => `<IfModule ${name}>\n    php_flag track_errors off\n</IfModule>\n`)
        .join(''),
    );
  });

  it('for both versions, writes the same after the answer, and without it names the answer', () => {
    const BOTH: [string, string] = ['versions', 'both'];
    const text = 'php_value a 1\n';
    assert.equal(written(text, [BOTH]), text);
    assert.equal(written(text, [BOTH], true), text);
    const answerSet = { answers: new Map([BOTH]), folder: '/' };
    assert.match(findingsIn(text, { ...rule, file: '.htaccess', answerSet })[0]!.message, /`--answer php=any`/);
    assert.match(written(text, [BOTH, ANY]), /^<IfModule mod_php5\.c>\n {4}php_value a 1\n/);
  });

  it('leaves each setting as PHP-FPM reads it', () => {
    const without = (text: string, file = '.htaccess') =>
      fixed(text, { ...rule, file, unsafe: true, answerSet: { answers: new Map([['php', 'none']]), folder: '/' } });
    const cases: [string, string][] = [
      ['php_value upload_max_filesize 20M', '.user.ini: upload_max_filesize = 20M'],
      ['php_flag a true', '.user.ini: a = Off'],
      ['PHP_FLAG "a" 1', '.user.ini: a = On'],
      ['php_value auto_prepend_file NONE', '.user.ini: auto_prepend_file = ""'],
      ['php_value session.name "a b;c"', '.user.ini: session.name = "a b;c"'],
      ['  php_admin_flag a on', 'PHP-FPM pool: php_admin_flag[a] = on'],
    ];
    for (const [line, setting] of cases) assert.equal(without(`${line}\n`).trim(), `# ${setting}`.trim(), line);
    assert.equal(without('php_value a 1\n', 'httpd.conf'), '# PHP-FPM pool: php_value[a] = 1\n');
  });

  it('a line that keeps scripts from running stays: PHP-FPM would run them', () => {
    assert.equal(written('php_flag engine off\n', [ANY]), 'php_flag engine off\n');
    for (const line of ['php_flag engine off', 'php_admin_flag Engine "Off"', 'php_value engine 0']) {
      const [found] = findingsIn(`${line}\nphp_value memory_limit 1M\n`, { ...rule, file: '.htaccess' });
      assert.deepEqual([...found.fixes], [], line);
      assert.match(found.message, /`Require all denied` in `<FilesMatch "\\\.php\$">`/);
    }
    const [on] = findingsIn('php_flag engine on\n', { ...rule, file: '.htaccess' });
    assert.equal(on.fixes.length, 2);
  });

  it('leaves out settings that PHP has removed', () => {
    const helpOf = (text: string, file = '.htaccess') => findingsIn(text, { ...rule, file })[0]!.help ?? '';
    assert.match(helpOf('php_flag safe_mode off\n'), /^Remove the line: PHP 5\.4 removed `safe_mode`\.$/);
    assert.match(
      helpOf('php_flag track_errors off\n', 'httpd.conf'),
      /^Remove the line: PHP 8 removed `track_errors`\.$/,
    );
    assert.match(
      helpOf('php_flag magic_quotes_gpc off\nphp_value memory_limit 1M\nphp_value "register_globals" 0\n'),
      /\.user\.ini.*\. Leave out `magic_quotes_gpc`, `register_globals`: PHP removed them\.$/,
    );
    const none = {
      ...rule,
      file: '.htaccess',
      unsafe: true,
      answerSet: { answers: new Map([['php', 'none']]), folder: '/' },
    };
    assert.equal(
      fixed('Options None\nphp_flag safe_mode off\nphp_flag a on\n', none),
      'Options None\n# .user.ini: a = On\n',
    );
  });

  it('says where PHP-FPM finds php.ini', () => {
    const [found] = findingsIn('PHPINIDir /etc/php\n', rule);
    assert.match(found.message, /reads the directory of php\.ini/);
    assert.doesNotMatch(found.message, /memory_limit|settings of PHP/);
  });

  it('explain knows directives of other modules', () => {
    const options = { rules: [], adviceFor: thirdPartyAdvice };
    for (const [term, said] of [
      ['php_flag', /directive of `php_module`.*\n\nAllowed in: server configuration, virtual host, .*`\.htaccess`/],
      ['JkShmFile', /Allowed in: server configuration \(not in a virtual host\)\.$/m],
      ['SecDataDir', /Allowed in: server configuration \(not in a virtual host\)\.$/m],
      ['PassengerRoot', /Allowed in: server configuration \(a virtual host takes it for the whole server, with a/],
      [
        'PassengerAppRoot',
        /Allowed in: server configuration, virtual host, `<Directory>`, `<Location>`, `\.htaccess` \(with some versions of the module\)\.$/m,
      ],
      ['KrbMethodNegotiate', /auth_kerb_module[^]*mod_auth_gssapi/],
      ['AuthzUnixgroup', /does not have it\. Write `Require unix-group`/],
      ["Invalid command 'KrbMethodNegotiate', perhaps misspelled", /auth_kerb_module[^]*mod_auth_gssapi/],
    ] as const) {
      const found = explain(term, options);
      assert.match('markdown' in found ? found.markdown : '', said, term);
    }
  });
});
