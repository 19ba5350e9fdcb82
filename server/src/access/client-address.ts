/**
 * Finds third-party modules that replace the address of a proxy by the address of the client
 * (post_read_request hooks). If 2.4 lacks such a module, it compares the proxy's address with lines
 * such as `Allow from 10.0.0.0/8`. In 2.4, mod_remoteip can replace the module.
 */
import { linesIn, mayHoldAny, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import {
  thirdPartyModule,
  thirdPartyModules,
  type AddressFacts,
  type ThirdPartyModule,
} from '../directives/third-party';
import { argumentsOf, type Line } from '../syntax/line';
import type { Tree24 } from './model';
import { parseOperand } from './operand';
import { parseRequire } from './require';

/** The directives of mod_remoteip, and of third-party modules that find the client's address. */
export const CLIENT_ADDRESS_DIRECTIVES: readonly string[] = [
  'rpafenable',
  'rpafsethostname',
  'rpaf_sethostname',
  'rpafsethttps',
  'rpaf_sethttps',
  'rpafsetport',
  'rpaf_setport',
  'rpaf_forbidifnotproxy',
  'rpaf_enable',
  'rpafheader',
  'rpaf_header',
  'rpafproxy_ips',
  'rpaf_proxyips',
  'realip',
  'realipheader',
  'realipproxy',
  'cloudflareremoteipheader',
  'cloudflareremoteiptrustedproxy',
  'denyallbutcloudflare',
  'meforder',
  'mefaddenv',
  'mefdebug',
  'mefaccept',
  'mefrefuse',
  'rewriteipresetheader',
  'rewriteiphookportssl',
  'rewriteipallow',
  'vgremoteipheader',
  'vgtrustedproxy',
  'remoteipheader',
  'remoteipproxyprotocol',
];

/** Matches the identifier of a third-party module that finds the client's address. */
export const CLIENT_ADDRESS_MODULES = /^(?:rpaf|realip2|cloudflare|extract_forwarded|myfixip|vgremoteip)_module$/;

/** A third-party module that gives 2.2 the address of the client, and that 2.4 lacks. */
export interface LostAddressModule {
  readonly module: ThirdPartyModule;
  /** The lines with directives of the module. */
  readonly lines: readonly ConfigLine[];
}

/**
 * Returns the third-party module that gives 2.2 the address of the client and that 2.4 lacks. Null
 * if there is none, if its lines do not turn it on, or if a line of mod_remoteip replaces it.
 */
export function lostAddressModule(configuration: Configuration): LostAddressModule | null {
  const namesOfAddressLines = new Set(CLIENT_ADDRESS_DIRECTIVES);
  const mayHaveAddressLines = mayHoldAny(namesOfAddressLines);
  const addressLines: ConfigLine[] = [];
  const walk = (scope: Scope): void => {
    if (!mayHaveAddressLines(scope)) return;
    addressLines.push(...linesIn(scope, namesOfAddressLines));
    scope.children.forEach(walk);
  };
  walk(configuration.rootScope);
  const isLineOfRemoteIp = ({ line }: ConfigLine) => line.name.startsWith('remoteip');
  if (addressLines.some((each) => isLineOfRemoteIp(each) && each.activity !== 'inactive')) return null;
  const linesOfThirdParties = addressLines.filter((each) => !isLineOfRemoteIp(each));
  const loadedModule = configuration.modules.map(thirdPartyModule).find((each) => each?.address !== undefined);
  const module = loadedModule ?? linesOfThirdParties.flatMap(({ line }) => thirdPartyModules(line.name, false))[0];
  if (module?.address === undefined) return null;
  const linesNamed = (names: readonly string[]) =>
    linesOfThirdParties.filter(({ line }) => names.some((name) => equalsIgnoringCase(line.name, name)));
  // If a file is missing, it may contain the lines that turn the module on.
  if (configuration.gaps.length === 0 && !mayReplaceAddress(module.address, linesNamed)) return null;
  return { module, lines: linesNamed(module.directives) };
}

/**
 * Whether a module changes the address of a client with these lines. False if the module must be
 * turned on, but no line does so. Also false if it needs a list of proxies, but no line has one.
 */
function mayReplaceAddress(
  { on, proxies, needsProxies = false }: AddressFacts,
  linesNamed: (names: readonly string[]) => readonly ConfigLine[],
): boolean {
  const isActive = ({ activity }: ConfigLine) => activity !== 'inactive';
  const turnsOff = ({ expandedLine }: ConfigLine) => argumentsOf(expandedLine)[0]?.value.toLowerCase() === 'off';
  if (on.length > 0 && !linesNamed(on).some((each) => isActive(each) && !turnsOff(each))) return false;
  return !needsProxies || linesNamed(proxies).some(isActive);
}

/** Whether a line compares the address or the name of the client. */
export function comparesAddress(line: Line): boolean {
  const [first, ...others] = argumentsOf(line);
  if (first === undefined) return false;
  switch (line.name) {
    case 'allow':
    case 'deny':
      return others.some(({ value }) => ['ip', 'host'].includes(parseOperand(value).kind));
    case 'require': {
      const provider = parseRequire(line).provider?.value.toLowerCase() ?? '';
      return ADDRESS_PROVIDERS.has(provider) || (provider === 'expr' && CLIENT_VARIABLE.test(line.text));
    }
    case 'setenvif':
    case 'setenvifnocase':
      return /^remote_(?:addr|host)$/i.test(first.value);
    case 'rewritecond':
      return CLIENT_VARIABLE.test(first.value);
    default:
      return false;
  }
}

const CLIENT_VARIABLE = /%\{REMOTE_(?:ADDR|HOST)\}/i;

export function equalsIgnoringCase(lowerCaseName: string, name: string): boolean {
  return name.toLowerCase() === lowerCaseName;
}

/** Whether a tree compares the address or the name of the client. */
export function treeComparesAddress(tree: Tree24 | null): boolean {
  if (tree === null) return false;
  switch (tree.type) {
    case 'match':
      return ADDRESS_PROVIDERS.has(tree.provider);
    case 'not':
    case 'limited':
      return treeComparesAddress(tree.inner);
    case 'all':
    case 'any':
    case 'none':
      return tree.inner.some(treeComparesAddress);
    case 'other':
      return ADDRESS_PROVIDERS.has(tree.text.split(/\s/, 1)[0]!);
    default:
      return false;
  }
}

const ADDRESS_PROVIDERS: ReadonlySet<string> = new Set(['ip', 'host', 'local', 'forward-dns']);
