/** What a suggestion states that it assumes, and whether it is true of a tree: only then `--unsafe` has promised anything. */
import { Disk, type Place } from './disk';
import type { Generated } from './generate';
import { command } from './product';

/** Whether all that the suggestions of a run assume is known to be true. */
export async function isStated(generated: Generated, args: readonly string[], place: Place): Promise<boolean> {
  const { out } = await command(['check', ...args.filter((word) => !['fix', '--write', '--unsafe'].includes(word))], { cwd: place.path });
  const titles = [...out.matchAll(/^ *= (?:suggestion|to choose): (.*)$/gm)].map((match) => match[1]);
  return titles.every((title) => isTrue(title, generated, place.read()));
}

function isTrue(title: string, generated: Generated, disk: Disk): boolean {
  const found = ASSUMPTIONS.find(({ pattern }) => pattern.test(title));
  if (!found && process.env.HTTPD_UPGRADE_TREES_TITLES) console.log(`UNKNOWN ${title.replaceAll(disk.root, '')}`);
  return found?.isTrue(generated, disk) ?? false;
}

interface Assumption {
  readonly pattern: RegExp;
  readonly isTrue: (generated: Generated, disk: Disk) => boolean;
}

const always = () => true;
/** All that is said of access is said in one place: nothing else can have a say. */
const isAlone = (_: Generated, disk: Disk): boolean => Object.values(disk.files()).filter((text) => ACCESS.test(text)).length === 1 && Object.values(disk.files()).flatMap((text) => text.match(UNITS) ?? []).length <= 1;
const ACCESS = /^\s*(order|allow|deny|satisfy|require|authtype)\b/im;
const UNITS = /<(Directory|Location|Files)\w*[^>]*>(?=[^<]*\b(order|allow|deny|satisfy|require|authtype)\b)/gi;

const ASSUMPTIONS: readonly Assumption[] = [
  { pattern: /no host is called|is a host name to httpd/, isTrue: always },
  { pattern: /gets "AllowOverrideList Require"/, isTrue: always },
  { pattern: /no other file and no outer section|no \.htaccess file further down|no other section/, isTrue: (generated, disk) => generated.isAllHere && isAlone(generated, disk) },
];
