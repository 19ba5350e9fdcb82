import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'piped-log' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('piped-log', () => {
  it('leaves files alone, programs with their path, comments, and what says how', () => {
    const clean = [
      'ErrorLog logs/error',
      'ErrorLog syslog',
      'CustomLog "|/usr/sbin/rotatelogs /var/log/a.%Y-%m-%d 86400" common',
      'ErrorLog "|/usr/bin/logger -t httpd -p local6.err"',
      '# ErrorLog "|cat > x"',
      'CustomLog "||cat > x" common',
      'CustomLog "|$cat > x" common',
      'TransferLog "|${BIN}/cronolog ${LOGS}/a"',
      'ErrorLog "|bin/rotatelogs logs/a 5M"',
      'ErrorLog "|\\"/a b/c\\" d"',
      'ErrorLog',
      'CustomLog |/bin/log common',
      'ErrorLog |',
      '',
    ].join('\n');
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('marks the command, in odd case, in virtual hosts', () => {
    assert.equal(
      marked('eRRORlOG "|/bin/cat > /x"\n<VirtualHost *>\n  CustomLog "|logger -t a" common\n</VirtualHost>\n'),
      `eRRORlOG "|/bin/cat > /x"
#        ^^^^^^^^^^^^^^^^ warning piped-log/needs-shell safe
<VirtualHost *>
  CustomLog "|logger -t a" common
#           ^^^^^^^^^^^^^^ error piped-log/needs-path safe
</VirtualHost>
`,
    );
  });

  it('brings the shell back', () => {
    for (const command of [
      '/bin/cat >> x',
      '/bin/a | /bin/b',
      'a',
      'A=1 /bin/a',
      '/bin/a &',
      '/bin/a *.x',
      '/bin/a `date`',
      "/bin/a '$x'",
      '/bin/a $(date)',
      '/bin/a ~/x',
      'exec /bin/a',
      '/bin/a; /bin/b',
    ]) {
      assert.equal(fix(`ErrorLog "|${command}"\n`), `ErrorLog "|$${command}"\n`, command);
    }
    assert.equal(fix('TransferLog |log\n'), 'TransferLog |$log\n');
    assert.equal(
      fix('CustomLog \\\r\n  "|/bin/a > ${X}" common\r\n'),
      'CustomLog \\\r\n  "|$/bin/a > ${X}" common\r\n',
    );
  });

  it('a first word that is no file keeps the server from starting, whatever follows', () => {
    const findings = (command: string) =>
      annotated(`ErrorLog "|${command}"\n`, rule).match(/(error|warning) piped-log\/\S+/)?.[0];
    for (const command of [
      'cat >> f',
      'A=1 /bin/a',
      '/bin/cat>>f',
      '(/bin/a; /bin/b)',
      'exec /bin/a > x',
      '/bin/a;/bin/b',
      '~/x',
    ])
      assert.equal(findings(command), 'error piped-log/needs-path', command);
    for (const command of ['/bin/cat >> f', '/bin/a | b', "'/bin/a' > x"])
      assert.equal(findings(command), 'warning piped-log/needs-shell', command);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nErrorLog "|cat > x"\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
