/**
 * The frames of the protocol: nothing after a wrong length can be read, and a waiting client is
 * informed.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { FrameChecker } from '../../server/src/lsp/framing';
import { bundle } from '../support/built';
import { Random, seed } from '../support/random';

const frame = (text: string, length = Buffer.byteLength(text)) => `Content-Length: ${length}\r\n\r\n${text}`;
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'shutdown', params: null });

function pushed(
  text: string,
  cut: (rest: number) => number = (rest) => rest,
): { problem: string | null; framing: FrameChecker } {
  const framing = new FrameChecker();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const size = cut(bytes.length - at);
    const problem = framing.push(bytes.subarray(at, at + size));
    if (problem !== null) return { problem, framing };
    at += size;
  }
  return { problem: null, framing };
}

describe('frames', () => {
  it('are taken as they come, in pieces of any size', () => {
    const random = new Random(seed());
    const text = [
      frame(PING),
      `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  ${Buffer.byteLength('{"ä":1}')}\r\n\r\n{"ä":1}`,
      frame('no JSON'),
      frame(''),
      frame(`{"text": "${'Content-Length: 1\\r\\n\\r\\n'.repeat(20)}"}`),
    ].join('');
    for (const cut of [() => 1, (rest: number) => rest, (rest: number) => 1 + random.below(Math.min(rest, 30))])
      assert.equal(pushed(text, cut).problem, null);
  });

  it('are told from what cannot be one', () => {
    for (const [text, problem] of [
      [frame(PING, PING.length - 5) + frame(PING), /no header/],
      [frame(PING, 3), /no header/],
      [frame(PING, PING.length + 30) + frame(PING), /no header/],
      ['Content-Length: x\r\n\r\n', /has no Content-Length/],
      ['Content-Length: -5\r\n\r\n', /has no Content-Length/],
      ['Content-Type: x\r\n\r\n', /has no Content-Length/],
      ['Content-Length: 99999999999\r\n\r\n', /too long/],
      ['a'.repeat(100_000), /no end/],
      ['A: b\r\n'.repeat(10_000), /no end/],
      ['{"jsonrpc": "2.0"}', /no header/],
    ] as const)
      for (const cut of [() => 1, (rest: number) => rest])
        assert.match(pushed(text, cut).problem ?? '', problem, text.slice(0, 60));
  });

  it('that are too long are told from those that are still to come', () => {
    assert.equal(pushed(frame(PING, PING.length + 1)).framing.isLengthTooLarge, true);
    assert.equal(pushed(frame(PING).slice(0, -1)).framing.isLengthTooLarge, false);
    assert.equal(pushed(frame('{"a": "}', 100)).framing.isLengthTooLarge, false);
    assert.equal(pushed('Content-Length: 5\r\n').framing.isLengthTooLarge, false);
  });

  for (const [title, text] of [
    ['a length that is too large', frame(PING, PING.length + 10)],
    ['a length that is too small', frame(PING, PING.length - 10)],
    ['no length', 'Content-Length: \r\n\r\n{}'],
    ['a header without end', 'x'.repeat(1_000_000)],
  ])
    it(`the server answers and ends after ${title}`, async function () {
      this.timeout(30_000);
      const child = spawn(process.execPath, [bundle('server.js'), '--stdio']);
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
      child.stdin.on('error', () => undefined);
      child.stdin.write(text);
      const code = await new Promise((resolve) => child.once('exit', resolve));
      assert.equal(code, 1);
      assert.match(out, /"id":null,"error":\{"code":-32700/);
    });
});
