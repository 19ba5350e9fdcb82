/** Runs the command line in a pseudo terminal: waits for text on the screen, and presses keys. */
import { spawn } from 'node:child_process';
import { bundle } from '../support/built';
import { stateHome } from '../support/state';

/**
 * What is waited for (a part of the screen's text that was not there before), and what is then
 * typed.
 */
export type Step = readonly [wait: string, keys: string];

export const KEYS = { enter: '\r', down: '\x1b[B', up: '\x1b[A', ctrlC: '\x03', yes: 'y', no: 'n' } as const;

export interface Seen {
  readonly code: number;
  /** All that was written, without colors and movements. */
  readonly text: string;
  /** The same, with colors and movements. */
  readonly raw: string;
}

/** Ends with the program, or half a minute after the last thing that happened. */
export function inTerminal(
  args: readonly string[],
  steps: readonly Step[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      'python3',
      ['-c', PROGRAM, JSON.stringify({ command: [process.execPath, bundle('cli.js'), ...args], steps })],
      {
        cwd,
        env: {
          ...process.env,
          TERM: 'xterm-256color',
          NO_COLOR: '1',
          LANG: 'C.UTF-8',
          HTTPD_UPGRADE_STATE: stateHome(),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const out: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.on('error', reject);
    child.on('close', () => {
      const { code, text, raw, missing } = JSON.parse(Buffer.concat(out).toString('utf8')) as Seen & {
        missing: string | null;
      };
      if (missing !== null) reject(new Error(`"${missing}" did not come:\n${text}`));
      else resolve({ code, text, raw });
    });
  });
}

const PROGRAM = `
import sys, os, pty, json, select, re, struct, fcntl, termios, time, signal
given = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execv(given['command'][0], given['command'])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 80, 0, 0))
raw, steps, seen, missing = b'', list(given['steps']), 0, None
def plain(data):
    text = data.decode('utf-8', 'replace')
    return re.sub(r'\\x1b\\[[0-9;?]*[a-zA-Z]', '', text).replace('\\r', '')
last = time.time()
while True:
    ready, _, _ = select.select([fd], [], [], 1)
    if ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        raw += data
        last = time.time()
    if steps:
        at = plain(raw).find(steps[0][0], seen)
        if at >= 0:
            seen = at + len(steps[0][0])
            time.sleep(0.05)
            os.write(fd, steps.pop(0)[1].encode())
    if time.time() - last > 30:
        os.kill(pid, signal.SIGKILL)
        missing = steps[0][0] if steps else 'the end'
        break
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
if steps and missing is None:
    missing = steps[0][0]
print(json.dumps({'code': code, 'text': plain(raw), 'raw': raw.decode('utf-8', 'replace'), 'missing': missing}))
`;
