/**
 * The questions of the plan about a tree, and their true answers. The promise has to be kept with
 * true answers, and with `--unsafe` if the assumptions of the suggestions are true. Reads the
 * output as data (`check --format json`, `plan --format json`), not as text.
 */
import type { Disk, Place } from './disk';
import type { Generated } from './generate';
import { serversOf } from './judge';
import { command } from './product';

/** Whether an assumption is true, and otherwise why it cannot be said. */
export type Truth = true | string;

/**
 * Whether all that the suggestions of a `fix --unsafe` assume is known to be true; otherwise what
 * is not.
 */
export async function isStated(
  generated: Generated,
  args: readonly string[],
  place: Place,
  before: Disk,
): Promise<Truth> {
  const given = args.filter((word) => !['fix', '--write', '--unsafe'].includes(word));
  // What a suggestion makes possible is asked about in a second look, and another server that is
  // not given is what it is asked about.
  if (generated.tree.servers.length > 1 && !given.includes('.')) return 'other-main';
  const { files } = JSON.parse((await command(['check', '--format', 'json', ...given], { cwd: place.path })).out) as {
    files: readonly { findings: readonly Suggested[] }[];
  };
  const taken = files.flatMap(({ findings }) => findings).filter(({ fix }) => fix === 'suggestion');
  for (const { rule, waitsFor } of taken) {
    // It ends a 500. What then stays old is mod_access_compat's, whose Satisfy is not 2.2's; and a
    // quoted Require is read by 2.4 alone, which is found, and decided by a person.
    if (
      rule === 'allow-override-class' &&
      Object.values(before.files()).some((text) => /^\s*(satisfy\b|require\s+")/im.test(text))
    )
      return 'Satisfy, or a quoted Require, behind a 500';
    // What the one makes possible waits for this question; the other keeps what 2.2 did.
    if (
      ['allow-override-class', 'line-ends-with-escaped-backslash'].includes(rule) &&
      generated.tree.servers.some((spec) => serversOf(spec, before, before)[0].refusal !== null)
    )
      return 'running-version';
    if (waitsFor.length === 0 && !STATED.has(rule)) return `the suggestion of ${rule}`;
    for (const id of waitsFor) {
      // What is suggested keeps what 2.2 decides, and nobody knows who runs the server.
      if (id === 'running-version') return id;
      const truth = isTrue(id, generated, before);
      if (truth !== true) return truth;
    }
  }
  return true;
}

/**
 * Every question that is asked about what is given, with the answer that is true of the tree; where
 * that cannot be said, the last one, which leaves things as they are.
 */
export async function trueAnswers(
  generated: Generated,
  given: readonly string[],
  place: Place,
  before: Disk,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  // An answer may give rise to another question.
  for (let round = 0; round < 6; round++) {
    const { configurations } = JSON.parse(
      (await command(['plan', '--format', 'json', ...asArguments(answers), ...given], { cwd: place.path })).out,
    ) as Plan;
    const open = configurations
      .flatMap(({ questions }) => questions)
      .filter(({ id, answer }) => answer === null && !answers.has(id));
    if (open.length === 0) return answers;
    for (const { id, answers: choices } of open) {
      const is = (asked: string) => isTrue(asked, generated, before) === true;
      // The question about other files can also ask for the version.
      const version = choices.some(({ value }) => value === 'none-2.4') && !is('running-version') ? 1 : 0;
      answers.set(id, id === 'mpm' ? trueMpm(generated) : choices[is(id) ? version : choices.length - 1].value);
    }
  }
  throw new Error('no end of questions');
}

/** Prefork and worker say that it stays; of several servers it may be another one in each. */
function trueMpm({ tree }: Generated): string {
  const mpms = new Set(
    tree.servers.map(({ mpms: [before, now] = ['prefork', 'event'] }) =>
      now === 'event' || now === before ? now : 'keep',
    ),
  );
  return mpms.size === 1 ? [...mpms][0] : 'keep';
}

export function asArguments(answers: ReadonlyMap<string, string>): string[] {
  return [...answers].flatMap(([id, value]) => ['--answer', `${id}=${value}`]);
}

interface Suggested {
  readonly rule: string;
  readonly fix: 'safe' | 'suggestion' | 'none';
  readonly waitsFor: readonly string[];
}

interface Plan {
  readonly configurations: readonly {
    readonly questions: readonly {
      readonly id: string;
      readonly answer: string | null;
      readonly answers: readonly { readonly value: string }[];
    }[];
  }[];
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Suggestions that wait for no question, and keep what 2.2 did. Others, such as which of several
 * Require lines stays, are decisions, and true of no tree.
 */
const STATED = new Set(['allow-override-class', 'allow-override-missing', 'line-ends-with-escaped-backslash']);

const ACCESS = /^\s*["']?<?(order|allow|deny|satisfy|require|authtype|limit)/im;
const ACCESS_FILE = /(^|\/)(\.htaccess|\.acl|access\.cfg|conf\/acl)$/;

/** Whether the usual answer to a question, by its id, is true of a tree. */
function isTrue(id: string, { tree, isAllHere }: Generated, before: Disk): Truth {
  const at = id.indexOf(':');
  const [kind, subject] = at < 0 ? [id, ''] : [id.slice(0, at), id.slice(at + 1)];
  const seen = tree.servers.map((spec) => before.seenBy(spec).filesAndLinks());
  /** Whether a server sees a file with lines about access at one of these paths. */
  const decides = (isOne: (file: string) => boolean) =>
    seen.some((files) =>
      Object.entries(files).some(([file, text]) => isOne(`${before.root}/${file}`) && ACCESS.test(text)),
    );
  const whether = (is: boolean): Truth => is || kind;
  switch (kind) {
    case 'mpm':
      return whether(tree.servers.every(({ mpms: [before, now] = ['prefork', 'event'] }) => before === now));
    case 'defaults':
    case 'rewrite-log':
    case 'php':
    case 'modules':
    case 'operand-host':
    case 'override-admitted':
      return true;
    case 'running-version':
      return whether(tree.servers.every((spec) => serversOf(spec, before, before)[0].refusal !== null));
    case 'define':
      return whether(tree.servers.every(({ defines = [] }) => !defines.includes(subject)));
    case 'outside-unseen':
      if (!isAllHere || tree.servers.length > 1) return kind;
      return whether(subject === '.' ? isAlone(before) : subject === tree.servers[0].main);
    case 'other-main':
      // The id names it from where the answers stand, or from the root; of several it is the
      // directory around them.
      return whether(
        subject !== '.' &&
          !tree.servers.some(
            ({ main }) =>
              `/${main}`.endsWith(`/${subject}`) ||
              `${before.root}/${main}`.startsWith(subject) ||
              main.startsWith(`${subject}/`),
          ),
      );
    case 'htaccess-unseen':
      return whether(
        !decides(
          (file) =>
            (file.startsWith(subject.replace(/\/?$/, '/')) ||
              `${subject}/`.startsWith(file.slice(0, file.lastIndexOf('/') + 1))) &&
            ACCESS_FILE.test(file),
        ),
      );
    case 'served-anywhere':
      return whether(
        !decides(
          (file) =>
            (subject.startsWith('VirtualDocumentRoot') || /\/home\/[^/]+\/public_html\//.test(file)) &&
            ACCESS_FILE.test(file),
        ),
      );
    case 'include-unseen':
      return whether(!decides((file) => file.startsWith(subject.replace(/[^/]*[*?[].*$/s, ''))));
    default:
      return kind;
  }
}

/** All that is said of access is said in one place: nothing else can have a say. */
function isAlone(disk: Disk): boolean {
  const texts = Object.values(disk.files()).filter((text) => ACCESS.test(text));
  return texts.length === 1 && (texts[0].match(UNITS) ?? []).length <= 1;
}
const UNITS = /<(Directory|Location|Files)\w*[^>]*>(?=[^<]*\b(order|allow|deny|satisfy|require|authtype)\b)/gi;
