import { headline, nameSpan, removeLine, values } from './support/edits';
import { conflict, listenersOf, type Listener } from '../config/listeners';
import type { ConfigurationFinding, ConfigurationRule, Fix } from './rule';
import { removing } from './support/fix-title';

export const listenOverlap: ConfigurationRule = {
  id: 'listen-overlap',
  title: 'Listen lines that need the same port, in different files or with different addresses',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'configuration',
  names: ['listen'],
  url: 'https://httpd.apache.org/docs/2.4/bind.html',
  examples: [
    {
      title: 'All addresses and one address',
      before: 'Listen 80\nListen 192.0.2.1:80\nListen 192.0.2.1:8080\n',
      after: 'Listen 80\nListen 192.0.2.1:8080\n',
      finds: ['overlap'],
    },
    {
      title: 'The same address in another file',
      before: 'ServerRoot /srv\nInclude conf/ssl.conf\nListen 443\nListen 80\n',
      after: 'ServerRoot /srv\nInclude conf/ssl.conf\nListen 80\n',
      finds: ['twice'],
      files: { '/srv/conf/ssl.conf': 'Listen *:443 https\n' },
    },
  ],
  check({ configuration, distribution }) {
    const listeners = (listenersOf(configuration) ?? []).filter(({ at }) => at.activity === 'active');
    const isLinux = distribution === 'debian' || distribution === 'rhel';
    const findings: ConfigurationFinding[] = [];
    const byPort = new Map<number, Listener[]>();
    for (const listener of listeners) {
      const before = byPort.get(listener.port) ?? [];
      if (before.length === 0) byPort.set(listener.port, before);
      const same = before.find(({ key }) => key === listener.key);
      if (same) {
        if (same.at.file !== listener.at.file || same.at.line === listener.at.line)
          findings.push(twice(same, listener));
        continue;
      }
      const first = before.find((each) => conflict(each, listener) !== null);
      before.push(listener);
      if (first) findings.push(overlap(first, listener, isLinux));
    }
    return findings;
  },
};

function twice(first: Listener, { at }: Listener): ConfigurationFinding {
  const isReadTwice = first.at.line === at.line && first.at.file === at.file;
  const where = `The other line is in ${first.at.file.path}.`;
  return {
    file: at.file.path,
    messageId: isReadTwice ? 'read-twice' : 'twice',
    ...nameSpan(at.line, at.offset),
    what: isReadTwice
      ? '`Listen` is read twice: this file is included more than once'
      : '`Listen` is repeated: another file has the same address',
    ...(!isReadTwice && { cause: where }),
    help: isReadTwice ? 'Remove one of the Include lines.' : 'Remove one of the two lines.',
    serverText: 'Cannot define multiple Listeners on the same IP:port',
    fixes: isReadTwice ? [] : removal(first, at, removing(at.line)),
  };
}

function overlap(first: Listener, { at, kind, port }: Listener, isLinux: boolean): ConfigurationFinding {
  const [own = ''] = values(at.expanded);
  const [other = ''] = values(first.at.expanded);
  const where = first.at.file === at.file ? '' : ` of ${first.at.file.path}`;
  const place = { file: at.file.path, ...nameSpan(at.line, at.offset) };
  if (conflict(first, { at, kind, port, key: '' }) === 'is-said') {
    const lost =
      first.kind === 'ip6'
        ? `The other IPv6 addresses are left out: ${other}${where} has the port.`
        : `Listen ${other}${where} has all addresses already.`;
    return {
      ...place,
      messageId: 'overlap-said',
      consequence: 'meaning changed',
      what: '`Listen` cannot bind to this address for IPv6',
      cause: `The server starts without this address (AH00072). ${lost}`,
      help: 'Keep one of the two lines.',
      serverText: 'Address already in use',
      fixes: [],
    };
  }
  const isFirstSingle = (first.kind === 'ip4' || first.kind === 'ip6') && kind.startsWith('any');
  return {
    ...place,
    messageId: 'overlap',
    consequence: isLinux ? 'will not start' : 'may not start',
    what: headline(`\`Listen ${own}\` overlaps with \`Listen ${other}\``, '`Listen` overlaps with another `Listen`'),
    cause: `${where === '' ? '' : `The other line is in ${first.at.file.path}. `}\`httpd -t\` does not report this${isLinux ? '' : '; on Linux the server does not start'} (AH00072).`,
    help: 'Keep only the line for all addresses.',
    serverText: 'Address already in use',
    fixes: removal(first, isFirstSingle ? first.at : at, removing((isFirstSingle ? first.at : at).line), at),
  };
}

/** The fix that removes a line. `of`: the place of the finding, if that is another line. */
function removal(first: Listener, gone: Listener['at'], title: string, of = gone): readonly Fix[] {
  if (gone.file.readings > 1 || first.at.file.readings > 1) return [];
  const edits = [removeLine(gone.line, gone.offset)];
  return [
    gone.file === of.file
      ? { title, safety: 'suggestion', edits }
      : { title, safety: 'suggestion', edits: [], elsewhere: new Map([[gone.file.path, edits]]) },
  ];
}
