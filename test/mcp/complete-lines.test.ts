/** What a client sends, in pieces of any size. */
import assert from 'node:assert/strict';
import { CompleteLines } from '../../server/src/mcp/complete-lines';

/** The lines that are passed on, and the ids of those that are left out. */
function divided(pieces: readonly string[], maxBytes: number) {
  const ids: (string | number | null)[] = [];
  const lines: string[] = [];
  let mostKept = 0;
  const stream = new CompleteLines((id) => void ids.push(id), maxBytes);
  stream.on('data', (line: Buffer) => void lines.push(line.toString()));
  for (const piece of pieces) {
    stream.write(Buffer.from(piece));
    mostKept = Math.max(mostKept, stream.storedByteCount);
  }
  return new Promise<{ lines: string[]; ids: (string | number | null)[]; mostKept: number }>((resolve) => {
    stream.on('end', () => resolve({ lines, ids, mostKept }));
    stream.end();
  });
}

describe('messages of a client', () => {
  it('are passed on as whole lines, however they arrive', async () => {
    const text = '{"a":1}\n{"b":2}\r\n\n{"c":3}\n';
    const whole = ['{"a":1}\n', '{"b":2}\r\n', '\n', '{"c":3}\n'];
    assert.deepEqual((await divided([text], 100)).lines, whole);
    assert.deepEqual((await divided([...text], 100)).lines, whole);
  });

  it('are left out if they are too long, and the next ones are not', async () => {
    const { lines, ids } = await divided(['{"a":1}\n', `${'x'.repeat(500)}\n{"b":2}\n`], 300);
    assert.deepEqual([lines, ids], [['{"a":1}\n', '{"b":2}\n'], [null]]);
  });

  it('are not kept while they arrive, once they are too long', async () => {
    const { lines, ids, mostKept } = await divided([...Array<string>(1000).fill('x'.repeat(1000)), '\n'], 10_000);
    assert.deepEqual([lines, ids], [[], [null]]);
    assert.ok(mostKept < 12_000, `${mostKept} bytes`);
  });

  const long = JSON.stringify('x'.repeat(500));
  for (const [message, id] of [
    [`{"jsonrpc":"2.0","id":7,"method":"a","params":{"b":${long}}}`, 7],
    [`{"method":"a","params":{"b":${long}},"jsonrpc":"2.0","id":"é8"}`, 'é8'],
    [`{"method":"a","id":9,"params":{"b":${long}}}`, 9],
    // Members of the params, and of no message.
    [`{"method":"a","params":{"b":${long},"id":5}}`, null],
    [`{"params":{"id":5,"b":${long}},"method":"a"}`, null],
    [`{"method":"a","params":{"b":"${',\\"id\\":5}'.repeat(80)}"}}`, null],
    [`[${long}]`, null],
  ] as const)
    it(`have an id that the answer names: ${message.slice(0, 40)}…${message.slice(-20)}`, async () => {
      assert.deepEqual((await divided([`${message}\n`], 300)).ids, [id]);
    });
});
