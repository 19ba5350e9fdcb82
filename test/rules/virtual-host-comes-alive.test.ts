/** Virtual hosts for which 2.4 selects another one than 2.2. */
import assert from 'node:assert/strict';
import { findingsInFiles, fixedFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/httpd.conf';
const rule = { rule: 'virtual-host-comes-alive' };
/** What is found at sections: the NameVirtualHost lines that wait for it are left out. */
const count = (text: string) =>
  (findingsInFiles({ [ROOT]: text }, rule).get(ROOT) ?? []).filter(({ messageId }) => messageId !== 'named').length;

/** Virtual hosts with these addresses. */
const hosts = (...addresses: string[]) =>
  addresses.map((address, i) => `<VirtualHost ${address}>\n  ServerName h${i}.example\n</VirtualHost>\n`).join('');

describe('virtual-host-comes-alive', () => {
  it('stands on the section that answers, and on NameVirtualHost lines that wait, in whatever file', () => {
    const name = 'NameVirtualHost *:80\n';
    const found = (files: Readonly<Record<string, string>>) => listed(files, rule);
    const main = 'PidFile run/pid\nListen 80\nListen 81\nListen 8080\n';
    assert.deepEqual(found({ [ROOT]: `${main}${name}${hosts('*:8080', '*:80', '*:8080', '*:8080')}` }), [
      `${ROOT}:5: warning virtual-host-comes-alive/named suggestion`,
      `${ROOT}:12: warning virtual-host-comes-alive/comes-alive suggestion`,
      `${ROOT}:15: warning virtual-host-comes-alive/comes-alive suggestion`,
    ]);
    const root = `ServerRoot /etc/httpd\n${main}Include a.conf\nInclude b.conf\n`;
    const [a, b] = ['/etc/httpd/a.conf', '/etc/httpd/b.conf'];
    assert.deepEqual(found({ [ROOT]: root, [a]: name + hosts('*:81'), [b]: hosts('*:80', '*:81') }), [
      `${a}:1: warning virtual-host-comes-alive/named suggestion`,
      `${b}:4: warning virtual-host-comes-alive/comes-alive suggestion`,
    ]);
    assert.deepEqual(found({ [ROOT]: root, [a]: name + hosts('*:80'), [b]: hosts('*:80', '*:81') }), []);
  });

  const found = (...addresses: string[]) =>
    count(`PidFile run/pid\nNameVirtualHost 192.0.2.9:9\n${hosts(...addresses)}`);
  const foundWith = (name: string, address: string) =>
    count(`PidFile run/pid\nListen 80\nNameVirtualHost ${name}\n${hosts(address, address)}`) > 0;

  it('compares addresses as both versions do', () => {
    assert.equal(found('192.0.2.1:80', '192.0.2.1:80'), 1);
    assert.equal(found('*:80', '_default_:80'), 1);
    assert.equal(found('192.0.2.1:80 192.0.2.2:80', '192.0.2.2:80 192.0.2.1:80'), 1);
    assert.equal(found('[2001:DB8::1]:80', '[2001:db8:0::1]:80'), 1);
    assert.equal(found('192.0.2.1:80', '192.0.2.1:81'), 0);
    assert.equal(found('192.0.2.1:80', '*:80'), 0);
    assert.equal(found('*:80 _default_:80', '*:81'), 0);
    assert.equal(found('${IP}:80', '${IP}:80'), 0);
  });

  it('takes a NameVirtualHost for one that covers the address, where it does', () => {
    for (const [name, address] of [
      ['*:80', '*:80'],
      ['*:*', '*'],
      ['192.0.2.1:80', '192.0.2.1:80'],
      ['${IP}', '*:80'],
    ] as const) {
      assert.equal(foundWith(name, address), false, `${name} ${address}`);
    }
    for (const [name, address] of [
      ['*:80', '192.0.2.1:80'],
      ['*:443', '*:80'],
      ['192.0.2.2:80', '192.0.2.1:80'],
      ['192.0.2.1:80', '*:80'],
      ['_default_:80', '*:80'],
    ] as const) {
      assert.equal(foundWith(name, address), true, `${name} ${address}`);
    }
  });

  const alive = (text: string) => count(text) > 0;
  const two = hosts('*:8080', '*:8080');

  it('wants to know the whole configuration', () => {
    assert.equal(alive(`PidFile run/pid\nNameVirtualHost *:80\n${two}`), true);
    assert.equal(alive(`NameVirtualHost *:80\n${two}`), false, 'perhaps a part');
    assert.equal(alive(`PidFile run/pid\nNameVirtualHost *:80\nInclude more.conf\n${two}`), false, 'not here');
  });

  it('without NameVirtualHost, wants a configuration that 2.4 has not read', () => {
    const severityOf = (rest: string) =>
      findingsInFiles({ [ROOT]: `PidFile run/pid\n${two}${rest}` }, rule).get(ROOT)?.[0]?.severity;
    const old = '<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\n';
    assert.equal(severityOf(''), 'hint', 'may have been written for 2.4');
    assert.equal(severityOf(old), 'warning');
    assert.equal(severityOf('LockFile logs/lock\n'), 'warning');
    for (const line of [
      'LoadModule authz_core_module modules/mod_authz_core.so\n',
      'LoadModule mpm_event_module modules/mod_mpm_event.so\n',
      'IncludeOptional conf.d/*.conf\n',
      '<Location /a>\nRequire all denied\n</Location>\n',
      '<Location /a>\n<RequireAny>\nRequire user a\n</RequireAny>\n</Location>\n',
      '<If "true">\nServerSignature Off\n</If>\n',
    ])
      assert.equal(severityOf(old + line), undefined, line);
    for (const line of [
      'LoadModule authn_alias_module modules/mod_authn_alias.so\n',
      '<Location /a>\nRequire valid-user\n</Location>\n',
    ])
      assert.equal(severityOf(old + line), 'warning', line);
  });

  it('reports what holds whatever an open condition is', () => {
    const name = 'PidFile run/pid\nNameVirtualHost *:80\n';
    const third = '<VirtualHost *:8080>\n  ServerName c.example\n</VirtualHost>\n';
    assert.equal(alive(`${name}${hosts('*:8080')}<IfModule mod_foo.c>\n${third}</IfModule>\n`), true);
    assert.equal(alive(`${name}<IfVersion < 2.4>\nNameVirtualHost *:8080\n</IfVersion>\n${two}`), false);
  });

  describe('what no line shows is named', () => {
    const messages = (text: string) =>
      (findingsInFiles({ [ROOT]: `PidFile run/pid\nListen 80\nListen 8080\n${text}` }, rule).get(ROOT) ?? []).map(
        ({ severity, messageId, message, fixes }) => ({ severity, messageId, message, fixes: fixes.length }),
      );
    const perhaps = (text: string, assumption: RegExp) => {
      const found = messages(text);
      const [last] = found.slice(-1);
      assert.deepEqual([last?.severity, last?.messageId, last?.fixes], ['hint', 'perhaps', 0], text);
      assert.match(last.message, assumption);
      for (const { messageId, fixes } of found.slice(0, -1)) assert.deepEqual([messageId, fixes], ['named', 0]);
      return found.length;
    };

    it('the address of a name', () => {
      assert.equal(
        perhaps(hosts('a.example:80', '192.0.2.1:80'), /Only if `a\.example` has the address 192\.0\.2\.1\./),
        1,
      );
      assert.equal(
        perhaps(hosts('a.example:80', 'b.example:80'), /Only if `b\.example` and `a\.example` have the same/),
        1,
      );
      const same = messages(hosts('a.example:80', 'a.example:80'));
      assert.match(same[0].message, /does not look up names: this is so if `a\.example` is an address of the server/);
    });

    it('a condition', () => {
      const conditional = '<IfDefine A>\nNameVirtualHost *:8080\n</IfDefine>\n';
      assert.equal(perhaps(conditional + two, /Only if the conditional lines \(httpd\.conf:5\) do not apply\./), 2);
      assert.equal(perhaps(`NameVirtualHost *:80\n${conditional}${two}`, /do not apply\./), 3);
      assert.equal(
        perhaps(`<IfDefine A>\nListen 443\n</IfDefine>\n${hosts('*:443', '*:443')}`, /\(httpd\.conf:5\) apply\./),
        1,
      );
    });

    it('variables, and too many names: NameVirtualHost lines stay', () => {
      for (const [address, cause] of [
        ['${IP}:80', /The value of `\$\{IP\}:80` is not known\./],
        ['a.example:80', /does not look up names such as `a\.example`\./],
      ] as const) {
        const found = messages(`NameVirtualHost ${address}\n${hosts(address, 'b.example:80', 'c.example:80')}`);
        assert.deepEqual(
          found.map(({ messageId, fixes }) => [messageId, fixes]),
          [['named', 0]],
        );
        assert.match(found[0].message, cause);
      }
    });

    it('says what to look at, also without the 2.2 server', () => {
      const text = `PidFile run/pid\nListen 80\nNameVirtualHost \${IP}:80\n${hosts('*:80', '*:80')}`;
      const [finding] = findingsInFiles({ [ROOT]: text }, rule).get(ROOT)!;
      assert.match(
        finding!.help!,
        /in 2\.2 and 2\.4: .* Without the 2\.2 server, look at the output of 2\.4: .*default/,
      );
    });

    it('lines that are not known: NameVirtualHost lines stay', () => {
      const found = messages(`NameVirtualHost *:80\nInclude more.conf\n${hosts('*:80', '*:80')}`);
      assert.deepEqual(
        found.map(({ messageId, fixes }) => [messageId, fixes]),
        [['named', 0]],
      );
      assert.match(found[0].message, /Not all lines of the configuration are known \(httpd\.conf:5\)\./);
    });

    it('missing files without virtual hosts hide nothing, if the user says so', () => {
      const found = (answer: string, addresses: readonly string[], file = 'more.conf') => {
        const answers = new Map([[`include-unseen:${file}`, answer]]);
        const text = `PidFile p\nListen 80\nNameVirtualHost *:80\nInclude more.conf\n${hosts(...addresses)}`;
        return findingsInFiles({ [ROOT]: text }, { ...rule, answerSet: { answers, folder: '/' } })
          .get(ROOT)
          ?.map(({ messageId }) => messageId);
      };
      assert.equal(found('no-hosts', ['*:80', '*:80']), undefined);
      assert.equal(found('no-hosts', ['*:80', '*:80'], '*'), undefined);
      assert.deepEqual(found('no-access-control', ['*:80', '*:80']), ['named']);
      const others = ['192.0.2.1:80', '192.0.2.1:80'];
      assert.deepEqual(found('no-hosts', others), ['named', 'comes-alive'], 'another host answers');
    });

    it('nothing where it makes no difference', () => {
      for (const text of [
        `NameVirtualHost 192.0.2.1:80\n${hosts('192.0.2.1:80', 'a.example:80')}`,
        `NameVirtualHost a.example:80\n${hosts('a.example:80', 'a.example:80')}`,
        `<IfDefine SSL>\nListen 443\nNameVirtualHost *:443\n${hosts('*:443', '*:443')}</IfDefine>\n`,
      ])
        assert.deepEqual(messages(text), [], text);
    });
  });

  it('writes an address as the configuration spells it', () => {
    const text = `PidFile p\nListen 80\nNameVirtualHost [2001:db8::1]:80\n${hosts('[2001:db8::1]:80', '[2001:DB8:0::1]')}`;
    assert.match(fixed(text), /<VirtualHost \[2001:db8::1\]:80>\n[^]*<VirtualHost \[2001:db8::1\]:80>\n/);
  });

  const fixed = (text: string, unsafe = false) => fixedFiles({ [ROOT]: text }, { ...rule, unsafe })[ROOT];

  it('writes the addresses that 2.2 used, which is safe', () => {
    assert.equal(
      fixed(`PidFile p\nListen 80\nListen 81\nNameVirtualHost *\n${hosts('*:80', '*:81')}`),
      `PidFile p\nListen 80\nListen 81\n${hosts('*:80 *:81', '*:81')}`,
    );
    assert.equal(
      fixed(`PidFile p\nListen 80\nListen 81\nNameVirtualHost 192.0.2.1:80\n${hosts('192.0.2.1')}`),
      `PidFile p\nListen 80\nListen 81\n${hosts('192.0.2.1:80')}`,
    );
  });

  it('adds the address as an alias where 2.2 asked for it first', () => {
    const second = '<VirtualHost 192.0.2.1:80>\n\tServerName b.example\n\tServerAlias 192.0.2.1\n</VirtualHost>\n';
    const first = '<VirtualHost 192.0.2.1:80>\n\tServerName a.example\n';
    assert.equal(
      fixed(`PidFile p\nListen 80\nNameVirtualHost 192.0.2.1:80\n${first}</VirtualHost>\n${second}`),
      `PidFile p\nListen 80\n${first}\tServerAlias 192.0.2.1\n</VirtualHost>\n${second}`,
    );
  });

  it('removes sections that 2.2 never used, if a user says so', () => {
    const text = `PidFile p\nListen 80\nNameVirtualHost *:8080\n${hosts('*:80', '*:80')}`;
    assert.equal(fixed(text), text);
    assert.equal(fixed(text, true), `PidFile p\nListen 80\n${hosts('*:80')}`);
  });

  it('copies a section where it answers unknown names at a port at which another one has its name', () => {
    const [a, b] = ['*:80', '*:81'].map(
      (at) => `<VirtualHost ${at}>\n    ServerName a.example\n    DocumentRoot /srv\n</VirtualHost>\n`,
    );
    assert.equal(
      fixed(`PidFile p\nListen 80\nListen 81\nNameVirtualHost *\n${a}${b}`),
      'PidFile p\nListen 80\nListen 81\n' +
        '<VirtualHost *:81>\n    ServerName unknown-host.invalid\n    DocumentRoot /srv\n</VirtualHost>\n' +
        `${a}${b}`,
    );
  });

  it('changes nothing where a name or a port hangs on a condition or a variable', () => {
    const open = (body: string) => `<IfModule mod_foo.c>\n${body}</IfModule>\n`;
    const main = 'PidFile p\nListen 80\nListen 81\nNameVirtualHost *\n';
    const first = (body: string) => `<VirtualHost *:80>\n  ServerName a.example\n${body}</VirtualHost>\n`;
    const second = '<VirtualHost *:81>\n  ServerName b.example\n</VirtualHost>\n';
    assert.notEqual(fixed(main + first('') + second), main + first('') + second);
    for (const text of [
      main + first(open('ServerAlias b.example\n')) + second,
      main + first('ServerAlias ${OTHER}\n') + second,
      main + open('Listen 82\n') + first('') + second,
      main + first('<IfVersion < 2.4>\nServerAlias b.example\n</IfVersion>\n') + second,
      `${main + first('') + second}<IfVersion < 2.4>\n${second}</IfVersion>\n`,
      `${main + first('') + second}<Macro M>\n${second}</Macro>\nUse M\n`,
    ])
      assert.equal(fixed(text, true), text, text);
  });

  it('keeps NameVirtualHost while the sections wait for a user', () => {
    const text = `PidFile p\nListen 80\nNameVirtualHost *:8080\n${hosts('*:80', '*:80')}`;
    assert.match(fixedFiles({ [ROOT]: text })[ROOT]!, /NameVirtualHost/);
  });
});
