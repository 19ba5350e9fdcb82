import { choiceQuestion } from '../access/open-question';
import type { ConfigFile, ConfigLine, Configuration } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { linesOf } from '../config/loaded-modules';
import { argumentsOf, LineKind, spelledName, type Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { contentSpan, shortened } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput } from './rule';

/**
 * Finds numbers of processes and threads that httpd changes when it starts, because the MPM has
 * limits.
 */
export const mpmLimits: ConfigurationRule = {
  id: 'mpm-limits',
  title: 'Numbers of processes and threads that do not fit together',
  consequence: 'meaning changed',
  fix: 'none',
  checks: 'configuration',
  names: [
    'maxrequestworkers',
    'maxclients',
    'serverlimit',
    'threadlimit',
    'threadsperchild',
    'startservers',
    'minsparethreads',
    'minspareservers',
    'loadmodule',
    'listen',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxrequestworkers',
  examples: [
    {
      title: 'MaxRequestWorkers without a ServerLimit',
      before: 'LoadModule mpm_event_module modules/mod_mpm_event.so\nThreadsPerChild 25\nMaxRequestWorkers 1000\n',
      finds: ['changed'],
    },
    {
      title: 'Limits for an MPM that does not run',
      before:
        'LoadModule mpm_event_module modules/mod_mpm_event.so\nListen 80\n<IfModule prefork.c>\n    MaxClients 256\n</IfModule>\n',
      finds: ['lost'],
    },
    {
      title: 'Not reported: MaxRequestWorkers with the right ServerLimit',
      before: 'LoadModule mpm_event_module modules/mod_mpm_event.so\nServerLimit 40\nMaxRequestWorkers 1000\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration, modules } = ruleInput;
    const lostFindings = lostLimitFindings(ruleInput);
    if (configuration.gaps.length > 0) return lostFindings;
    const mpms = modules.loadLines.filter(({ module }) => module in CODES_BY_MPM);
    const [mpm] = mpms;
    if (mpm === undefined || mpms.length !== 1 || mpm.configLine.activity !== 'active') return lostFindings;
    const numbers = new LimitNumbers(configuration, CODES_BY_MPM[mpm.module as Mpm]);
    return [
      ...lostFindings,
      ...(mpm.module === 'prefork' ? checkPrefork(numbers) : checkThreadedMpm(numbers, mpm.module as Mpm)),
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

type Mpm = 'event' | 'worker' | 'prefork';
/** The messages with which httpd says that it changes a number. */
type MessageCode =
  | 'serverLimitTooHigh'
  | 'serverLimitTooLow'
  | 'threadLimitTooHigh'
  | 'threadLimitTooLow'
  | 'tooManyThreads'
  | 'tooFewThreads'
  | 'tooFewWorkers'
  | 'workersNoMultiple'
  | 'tooManyWorkers'
  | 'startServersTooLow'
  | 'spareTooLow'
  | 'workersBelowOne';

/** The log code of each message, for each MPM. */
const CODES_BY_MPM: Readonly<Record<Mpm, Partial<Record<MessageCode, string>>>> = {
  event: {
    serverLimitTooHigh: 'AH00497',
    serverLimitTooLow: 'AH00499',
    threadLimitTooHigh: 'AH00502',
    threadLimitTooLow: 'AH00504',
    tooManyThreads: 'AH00507',
    tooFewThreads: 'AH00509',
    tooFewWorkers: 'AH00511',
    workersNoMultiple: 'AH00513',
    tooManyWorkers: 'AH00515',
    startServersTooLow: 'AH00517',
    spareTooLow: 'AH00519',
  },
  worker: {
    serverLimitTooHigh: 'AH00300',
    serverLimitTooLow: 'AH00302',
    threadLimitTooHigh: 'AH00305',
    threadLimitTooLow: 'AH00307',
    tooManyThreads: 'AH00310',
    tooFewThreads: 'AH00312',
    tooFewWorkers: 'AH00314',
    workersNoMultiple: 'AH00316',
    tooManyWorkers: 'AH00318',
    startServersTooLow: 'AH00320',
    spareTooLow: 'AH00322',
  },
  prefork: {
    serverLimitTooHigh: 'AH00175',
    serverLimitTooLow: 'AH00177',
    tooManyWorkers: 'AH00180',
    workersBelowOne: 'AH00182',
    startServersTooLow: 'AH00184',
    spareTooLow: 'AH00186',
  },
};

/** The limits that are compiled into each MPM (MAX_SERVER_LIMIT and MAX_THREAD_LIMIT). */
const MAX_SERVER_LIMITS = { event: 20_000, worker: 20_000, prefork: 200_000 };
const MAX_THREAD_LIMITS = { event: 100_000, worker: 20_000, prefork: 0 };

/**
 * What the help advises: to write the value that httpd uses instead (`used`), or something else
 * (`help`).
 */
type LimitAdvice = { readonly used: number } | { readonly help: string };

/** Reads the numbers of a configuration, and collects findings about them. */
class LimitNumbers {
  readonly findings: ConfigurationFinding[] = [];

  constructor(
    private readonly configuration: Configuration,
    private readonly codes: Partial<Record<MessageCode, string>>,
  ) {}

  /**
   * The number in the last line with one of these names, and the line. Returns `valueWithoutLine`
   * as the number if there is no line. Null if it is unknown which line applies or what its value
   * is.
   */
  numberIn(names: readonly string[], valueWithoutLine: number): { value: number; limitLine?: ConfigLine } | null {
    const limitLines = names.flatMap((name) => linesOf(this.configuration, name));
    if (limitLines.length === 0) return { value: valueWithoutLine };
    // The lines are sorted by name, not by their place in the configuration. So if both names of a
    // number occur, it is unknown which line is last.
    const limitLine = limitLines[limitLines.length - 1]!;
    const writtenValue = argumentsOf(limitLine.expandedLine)[0]?.value ?? '';
    if (
      new Set(limitLines.map(({ line }) => line.name)).size > 1 ||
      limitLines.some(({ activity }) => activity !== 'active') ||
      !/^[-+]?\d{1,9}$/.test(writtenValue)
    )
      return null;
    return { value: Number(writtenValue), limitLine };
  }

  /** Adds a finding at a line; nothing if there is no line. */
  report(code: MessageCode, limitLine: ConfigLine | undefined, message: string, advice: LimitAdvice): void {
    if (!limitLine) return;
    const placeAndId = {
      file: limitLine.file.path,
      messageId: 'changed',
      ...contentSpan(limitLine.line, limitLine.offset),
    };
    this.findings.push({
      ...placeAndId,
      what: message,
      cause: `httpd changes the value when it starts (${this.codes[code]}).`,
      help: 'help' in advice ? advice.help : `Write the value that httpd uses: ${advice.used}.`,
    });
  }

  /** Reports a number that is less than 1. httpd uses 1 instead. */
  reportBelowOne(code: MessageCode, name: string, names: readonly string[]): void {
    const limit = this.numberIn(names, 1);
    if (limit && limit.value < 1)
      this.report(code, limit.limitLine, `\`${name}\` ${limit.value} becomes 1`, { used: 1 });
  }
}

/** Checks the numbers of an MPM with threads, as event_check_config and worker_check_config do. */
function checkThreadedMpm(numbers: LimitNumbers, mpm: Mpm): readonly ConfigurationFinding[] {
  numbers.reportBelowOne('startServersTooLow', 'StartServers', ['startservers']);
  numbers.reportBelowOne('spareTooLow', 'MinSpareThreads', ['minsparethreads']);
  const servers = usedServerLimit(numbers, mpm, 16);
  const threads = usedThreadsPerChild(numbers, mpm);
  const workers = numbers.numberIn(['maxrequestworkers', 'maxclients'], 400);
  if (!threads || !workers) return numbers.findings;
  const reportedLine = workers.limitLine ?? threads.limitLine ?? servers?.limitLine;
  let workerCount = workers.value;
  if (workerCount < threads.value) {
    numbers.report(
      'tooFewWorkers',
      reportedLine,
      `\`MaxRequestWorkers\` ${workerCount} becomes ${threads.value}, the value of ThreadsPerChild`,
      {
        used: threads.value,
      },
    );
    workerCount = threads.value;
  }
  if (workerCount % threads.value !== 0) {
    const nextLowerMultiple = workerCount - (workerCount % threads.value);
    numbers.report(
      'workersNoMultiple',
      reportedLine,
      `\`MaxRequestWorkers\` ${workerCount} becomes ${nextLowerMultiple}, a multiple of ThreadsPerChild`,
      {
        used: nextLowerMultiple,
      },
    );
    workerCount = nextLowerMultiple;
  }
  if (servers && workerCount / threads.value > servers.value) {
    numbers.report(
      'tooManyWorkers',
      reportedLine,
      `\`MaxRequestWorkers\` ${workerCount} is too high for ServerLimit ${servers.value}: httpd uses ${servers.value * threads.value}`,
      {
        help: `For ${workerCount} workers, set ServerLimit to ${workerCount / threads.value} (ThreadsPerChild is ${threads.value}).`,
      },
    );
  }
  return numbers.findings;
}

/** Checks the numbers of prefork, as prefork_check_config does. */
function checkPrefork(numbers: LimitNumbers): readonly ConfigurationFinding[] {
  numbers.reportBelowOne('startServersTooLow', 'StartServers', ['startservers']);
  numbers.reportBelowOne('spareTooLow', 'MinSpareServers', ['minspareservers']);
  numbers.reportBelowOne('workersBelowOne', 'MaxRequestWorkers', ['maxrequestworkers', 'maxclients']);
  const servers = usedServerLimit(numbers, 'prefork', 256);
  const workers = numbers.numberIn(['maxrequestworkers', 'maxclients'], 256);
  if (servers && workers && workers.value > servers.value)
    numbers.report(
      'tooManyWorkers',
      workers.limitLine ?? servers.limitLine,
      `\`MaxRequestWorkers\` ${workers.value} becomes ${servers.value}, the value of ServerLimit`,
      { help: `Write ${servers.value}, or set ServerLimit to ${workers.value}.` },
    );
  return numbers.findings;
}

/**
 * The ServerLimit that httpd uses, and its line. Reports a changed value. Null if it is unknown.
 */
function usedServerLimit(
  numbers: LimitNumbers,
  mpm: Mpm,
  defaultValue: number,
): { value: number; limitLine?: ConfigLine } | null {
  const servers = numbers.numberIn(['serverlimit'], defaultValue);
  if (!servers) return null;
  const value = Math.min(Math.max(servers.value, 1), MAX_SERVER_LIMITS[mpm]);
  if (value !== servers.value)
    numbers.report(
      servers.value < 1 ? 'serverLimitTooLow' : 'serverLimitTooHigh',
      servers.limitLine,
      `\`ServerLimit\` ${servers.value} becomes ${value}`,
      { used: value },
    );
  return { value, limitLine: servers.limitLine };
}

/**
 * The ThreadsPerChild that httpd uses, and the line of it or of ThreadLimit. Reports changed
 * values. Null if a value is unknown.
 */
function usedThreadsPerChild(numbers: LimitNumbers, mpm: Mpm): { value: number; limitLine?: ConfigLine } | null {
  const limit = numbers.numberIn(['threadlimit'], 64);
  if (!limit) return null;
  const threadLimit = Math.min(Math.max(limit.value, 1), MAX_THREAD_LIMITS[mpm]);
  if (threadLimit !== limit.value)
    numbers.report(
      limit.value < 1 ? 'threadLimitTooLow' : 'threadLimitTooHigh',
      limit.limitLine,
      `\`ThreadLimit\` ${limit.value} becomes ${threadLimit}`,
      { used: threadLimit },
    );
  const threads = numbers.numberIn(['threadsperchild'], 25);
  if (!threads) return null;
  const value = Math.min(Math.max(threads.value, 1), threadLimit);
  const limitLine = threads.limitLine ?? limit.limitLine;
  if (threads.value < 1)
    numbers.report('tooFewThreads', limitLine, `\`ThreadsPerChild\` ${threads.value} becomes 1`, { used: 1 });
  else if (value !== threads.value)
    numbers.report(
      'tooManyThreads',
      limitLine,
      `\`ThreadsPerChild\` ${threads.value} becomes ${value}, the value of ThreadLimit`,
      {
        used: value,
      },
    );
  return { value, limitLine };
}

const MPM_QUESTION = choiceQuestion('mpm');

/** Directives of all MPMs that limit how many requests a server handles at once. */
const LIMIT_NAMES = new Set(['maxrequestworkers', 'maxclients', 'serverlimit', 'threadsperchild', 'threadlimit']);

/** An `<IfModule>` section with limits for an MPM. */
interface LimitsOfMpm {
  readonly mpm: Mpm;
  readonly open: Line;
  readonly file: ConfigFile;
  readonly lines: readonly { readonly line: Line; readonly offset: number }[];
}

/**
 * Finds sections with limits for prefork or worker that 2.4 skips, because it runs event or may run
 * it. Empty if the limits for event are set.
 */
function lostLimitFindings({ configuration, modules, answerTo }: ConfigurationRuleInput): ConfigurationFinding[] {
  const mpmAnswer = answerTo(MPM_QUESTION);
  const loadedMpms = modules.loadLines.filter(
    ({ module, configLine }) => module in CODES_BY_MPM && configLine.activity !== 'inactive',
  );
  if (loadedMpms.some(({ module }) => module !== 'event')) return [];
  // With LoadModule lines, the rule missing-module reports the missing MPM and asks for it. So this
  // rule regards the MPM as unknown only without such lines.
  const isMpmUnknown = mpmAnswer === null && modules.loadLines.length === 0;
  if (loadedMpms.length === 0 && mpmAnswer !== 'event' && !isMpmUnknown) return [];
  // Without Listen lines, this is no whole configuration, so another file may set the limits.
  if (linesOf(configuration, 'listen').length === 0) return [];
  if (
    !namesInUse(configuration)
      .sections('ifmodule')
      .some(({ open }) => mpmTestedBy(open) !== null)
  )
    return [];
  const limitsOfFiles = [...configuration.files.values()].flatMap(limitSectionsIn);
  if (limitsOfFiles.some(({ mpm }) => mpm === 'event')) return [];
  const isSetForAllMpms = [...LIMIT_NAMES].some((name) =>
    linesOf(configuration, name).some(({ conditionals }) =>
      conditionals.every(({ open }) => mpmTestedBy(open) === null),
    ),
  );
  // Without a file that names the MPM of 2.2, prefork is likely, because it is the default of 2.2.
  // The MPM decides only which of several sections the finding names: none of them is for event.
  const mpmOf22 = configuration.startOptions?.mpm?.name ?? 'prefork';
  const limitsOf22 = limitsOfFiles.find(({ mpm }) => mpm === mpmOf22) ?? limitsOfFiles[0];
  return limitsOf22 === undefined || isSetForAllMpms
    ? []
    : [findingOfLostLimits(limitsOf22, loadedMpms.length > 0 || mpmAnswer === 'event')];
}

function findingOfLostLimits({ mpm, open, file, lines }: LimitsOfMpm, runsEvent: boolean): ConfigurationFinding {
  const firstLimitLine = lines.find(({ line }) => /^max/.test(line.name)) ?? lines[0]!;
  const directiveName = spelledName(firstLimitLine.line);
  return {
    file: file.path,
    messageId: 'lost',
    consequence: runsEvent ? 'ignored' : 'check after the upgrade',
    ...contentSpan(firstLimitLine.line, firstLimitLine.offset),
    places: lines.filter((other) => other !== firstLimitLine).map(({ line, offset }) => contentSpan(line, offset)),
    what: runsEvent
      ? `\`${directiveName}\` has no effect: it is for ${mpm}, but event runs`
      : `\`${directiveName}\` is for ${mpm} only; with event, 2.4 ignores it`,
    cause: `\`${shortened(open.text.trim(), 40)}\` is true only with ${mpm}. ${runsEvent ? 'The configuration loads event' : 'Many builds of 2.4 run event'}, whose limits are then the defaults: 400 requests.`,
    help: `Run 2.4 with ${mpm}, or write the limits for event in \`<IfModule event.c>\`, below the line that loads event: \`MaxRequestWorkers\` (if it is over 400, also a higher \`ServerLimit\`).`,
    ...(!runsEvent && { asks: [MPM_QUESTION] }),
  };
}

/** The `<IfModule>` sections of a file that test for an MPM and set limits. */
function limitSectionsIn(file: ConfigFile): LimitsOfMpm[] {
  const foundLimits: LimitsOfMpm[] = [];
  const walk = (list: List, base: number): void =>
    forEachItem(list, base, (item, offset) => {
      if (!(item instanceof Section)) return;
      const bodyOffset = offset + item.open.length;
      const mpm = item.name === 'ifmodule' ? mpmTestedBy(item.open) : null;
      if (mpm === null) return walk(item.body, bodyOffset);
      const lines: { line: Line; offset: number }[] = [];
      forEachItem(item.body, bodyOffset, (line, at) => {
        if (!(line instanceof Section) && line.kind === LineKind.Directive && LIMIT_NAMES.has(line.name))
          lines.push({ line, offset: at });
      });
      if (lines.length > 0) foundLimits.push({ mpm, open: item.open, file, lines });
    });
  walk(file.tree.root, 0);
  return foundLimits;
}

/**
 * The MPM for which an `<IfModule>` tests; null for other tests. `!prefork` and `!worker` count as
 * event.
 */
export function mpmTestedBy(open: Line): Mpm | null {
  const [, not, name] =
    /^(!?)(?:mpm_)?(prefork|worker|event)(?:\.c|_module)$/i.exec(argumentsOf(open)[0]?.value ?? '') ?? [];
  if (name === undefined) return null;
  return not ? (name.toLowerCase() === 'event' ? null : 'event') : (name.toLowerCase() as Mpm);
}
