import { fittingHeadline, nameSpan, removeLine, argumentValues } from './support/edits';
import { conflictOf, listenersOf, type Listener } from '../config/listeners';
import type { ConfigurationFinding, ConfigurationRule, Fix } from './rule';
import { titleToRemove } from './support/fix-title';

export const listenOverlap: ConfigurationRule = {
  id: 'listen-overlap',
  title: 'Listen lines that need the same port, in different files or with different addresses',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'configuration',
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
    const listeners = (listenersOf(configuration) ?? []).filter(({ line }) => line.activity === 'active');
    const isLinux = distribution === 'debian' || distribution === 'rhel';
    const findings: ConfigurationFinding[] = [];
    const listenersByPort = new Map<number, Listener[]>();
    for (const listener of listeners) {
      const earlierListeners = listenersByPort.get(listener.port) ?? [];
      if (earlierListeners.length === 0) listenersByPort.set(listener.port, earlierListeners);
      const listenerOfSameAddress = earlierListeners.find(({ listenerKey }) => listenerKey === listener.listenerKey);
      if (listenerOfSameAddress) {
        if (
          listenerOfSameAddress.line.file !== listener.line.file ||
          listenerOfSameAddress.line.line === listener.line.line
        )
          findings.push(findingOfSameAddress(listenerOfSameAddress, listener));
        continue;
      }
      const conflictingListener = earlierListeners.find((each) => conflictOf(each, listener) !== null);
      earlierListeners.push(listener);
      if (conflictingListener) findings.push(findingOfOverlap(conflictingListener, listener, isLinux));
    }
    return findings;
  },
};

function findingOfSameAddress(earlierListener: Listener, { line }: Listener): ConfigurationFinding {
  const isReadTwice = earlierListener.line.line === line.line && earlierListener.line.file === line.file;
  const placeText = `The other line is in ${earlierListener.line.file.path}.`;
  return {
    file: line.file.path,
    messageId: isReadTwice ? 'read-twice' : 'twice',
    ...nameSpan(line.line, line.offset),
    what: isReadTwice
      ? '`Listen` is read twice: this file is included more than once'
      : '`Listen` is repeated: another file has the same address',
    ...(!isReadTwice && { cause: placeText }),
    help: isReadTwice ? 'Remove one of the Include lines.' : 'Remove one of the two lines.',
    serverText: 'Cannot define multiple Listeners on the same IP:port',
    fixes: isReadTwice ? [] : removalFixes(earlierListener, line, titleToRemove(line.line)),
  };
}

/** The finding for a Listen line that needs a part of what an earlier line has. */
function findingOfOverlap(
  earlierListener: Listener,
  { line, kind, port }: Listener,
  isLinux: boolean,
): ConfigurationFinding {
  const [ownAddress = ''] = argumentValues(line.expandedLine);
  const [otherAddress = ''] = argumentValues(earlierListener.line.expandedLine);
  const placeText = earlierListener.line.file === line.file ? '' : ` of ${earlierListener.line.file.path}`;
  const placeOfLine = { file: line.file.path, ...nameSpan(line.line, line.offset) };
  if (conflictOf(earlierListener, { line, kind, port, listenerKey: '' }) === 'reported') {
    const lostText =
      earlierListener.kind === 'ip6'
        ? `The other IPv6 addresses are left out: ${otherAddress}${placeText} has the port.`
        : `Listen ${otherAddress}${placeText} has all addresses already.`;
    return {
      ...placeOfLine,
      messageId: 'overlap-said',
      consequence: 'meaning changed',
      what: '`Listen` cannot bind to this address for IPv6',
      cause: `The server starts without this address (AH00072). ${lostText}`,
      help: 'Keep one of the two lines.',
      serverText: 'Address already in use',
      fixes: [],
    };
  }
  const isFirstForOneAddress =
    (earlierListener.kind === 'ip4' || earlierListener.kind === 'ip6') && kind.startsWith('any');
  return {
    ...placeOfLine,
    messageId: 'overlap',
    consequence: isLinux ? 'will not start' : 'may not start',
    what: fittingHeadline(
      `\`Listen ${ownAddress}\` overlaps with \`Listen ${otherAddress}\``,
      '`Listen` overlaps with another `Listen`',
    ),
    cause: `${placeText === '' ? '' : `The other line is in ${earlierListener.line.file.path}. `}\`httpd -t\` does not report this${isLinux ? '' : '; on Linux the server does not start'} (AH00072).`,
    help: 'Keep only the line for all addresses.',
    serverText: 'Address already in use',
    fixes: removalFixes(
      earlierListener,
      isFirstForOneAddress ? earlierListener.line : line,
      titleToRemove((isFirstForOneAddress ? earlierListener.line : line).line),
      line,
    ),
  };
}

/**
 * The fix that removes `removedLine`. `findingLine`: the line of the finding; the fix may remove
 * another one.
 */
function removalFixes(
  first: Listener,
  removedLine: Listener['line'],
  title: string,
  findingLine = removedLine,
): readonly Fix[] {
  if (removedLine.file.readingCount > 1 || first.line.file.readingCount > 1) return [];
  const edits = [removeLine(removedLine.line, removedLine.offset)];
  return [
    removedLine.file === findingLine.file
      ? { title, safety: 'suggestion', edits }
      : { title, safety: 'suggestion', edits: [], elsewhere: new Map([[removedLine.file.path, edits]]) },
  ];
}
