// A moving picture (APNG) from screenshots of one size: a palette of 256 colours, and of each
// frame only the part that differs from the frame before. Without other programs.
import { deflateSync, inflateSync } from 'node:zlib';

/** `frames`: PNG files (8 bits, RGB or RGBA, not interlaced) and how long each is shown. */
export function apng(frames, plays = 2) {
  const images = frames.map(({ png }) => decoded(png));
  const [{ width, height }] = images;
  if (images.some((image) => image.width !== width || image.height !== height))
    throw new Error('All screenshots need the same size');
  const { colours, indexed } = inPalette(images);
  const palette = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const control = Buffer.alloc(8);
  control.writeUInt32BE(frames.length, 0);
  control.writeUInt32BE(plays, 4);
  const parts = [chunk('IHDR', header), chunk('PLTE', palette), chunk('acTL', control)];
  let sequence = 0;
  for (const [index, { milliseconds }] of frames.entries()) {
    const area = index === 0 ? { x: 0, y: 0, width, height } : difference(indexed[index - 1], indexed[index], width);
    parts.push(chunk('fcTL', frameControl(sequence++, area, milliseconds)));
    const data = compressed(indexed[index], width, area);
    if (index === 0) parts.push(chunk('IDAT', data));
    else {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(sequence++);
      parts.push(chunk('fdAT', Buffer.concat([number, data])));
    }
  }
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The pixels as one number each, 0xRRGGBB. */
function decoded(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[png[25]];
  if (png[24] !== 8 || channels === undefined || png[28] !== 0) throw new Error('A PNG of another kind');
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let before = new Uint8Array(stride);
  for (let row = 0; row < height; row++) {
    const line = new Uint8Array(raw.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1)));
    unfilter(raw[row * (stride + 1)], line, before, channels);
    for (let column = 0; column < width; column++) {
      const at = column * channels;
      pixels[row * width + column] = (line[at] << 16) | (line[at + 1] << 8) | line[at + 2];
    }
    before = line;
  }
  return { width, height, pixels };
}

/** Reverses the filter of a row, as the specification of PNG describes it. */
function unfilter(kind, line, before, channels) {
  for (let at = 0; at < line.length; at++) {
    const left = at >= channels ? line[at - channels] : 0;
    const above = before[at];
    const corner = at >= channels ? before[at - channels] : 0;
    line[at] += [0, left, above, (left + above) >> 1, paeth(left, above, corner)][kind];
  }
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** The 256 most used colours, and each image with the numbers of the nearest of them. */
function inPalette(images) {
  const counts = new Map();
  for (const { pixels } of images)
    for (const pixel of pixels) counts.set(pixel & 0xf8f8f8, (counts.get(pixel & 0xf8f8f8) ?? 0) + 1);
  const exact = new Map();
  for (const { pixels } of images) for (const pixel of pixels) exact.set(pixel, (exact.get(pixel) ?? 0) + 1);
  // For each coarse colour, its most used exact one.
  const best = new Map();
  for (const [pixel, count] of exact) {
    const coarse = pixel & 0xf8f8f8;
    if (count > (best.get(coarse)?.count ?? 0)) best.set(coarse, { pixel, count });
  }
  const colours = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 256)
    .map(([coarse]) => best.get(coarse).pixel);
  const nearest = new Map();
  const numberOf = (pixel) => {
    let found = nearest.get(pixel);
    if (found === undefined) {
      let least = Infinity;
      colours.forEach((colour, number) => {
        const distance = [16, 8, 0].reduce(
          (sum, shift) => sum + (((pixel >> shift) & 255) - ((colour >> shift) & 255)) ** 2,
          0,
        );
        if (distance < least) [least, found] = [distance, number];
      });
      nearest.set(pixel, found);
    }
    return found;
  };
  return { colours, indexed: images.map(({ pixels }) => Uint8Array.from(pixels, numberOf)) };
}

/** The smallest rectangle with all pixels that differ; one pixel if none does. */
function difference(before, after, width) {
  let [left, right, top, bottom] = [width, 0, -1, 0];
  for (let at = 0; at < after.length; at++) {
    if (before[at] === after[at]) continue;
    const [column, row] = [at % width, Math.floor(at / width)];
    if (top < 0) top = row;
    bottom = row;
    left = Math.min(left, column);
    right = Math.max(right, column);
  }
  if (top < 0) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function compressed(pixels, width, area) {
  const raw = Buffer.alloc((area.width + 1) * area.height);
  for (let row = 0; row < area.height; row++) {
    const start = (area.y + row) * width + area.x;
    raw.set(pixels.subarray(start, start + area.width), row * (area.width + 1) + 1);
  }
  return deflateSync(raw, { level: 9 });
}

function frameControl(sequence, area, milliseconds) {
  const data = Buffer.alloc(26);
  data.writeUInt32BE(sequence, 0);
  data.writeUInt32BE(area.width, 4);
  data.writeUInt32BE(area.height, 8);
  data.writeUInt32BE(area.x, 12);
  data.writeUInt32BE(area.y, 16);
  data.writeUInt16BE(milliseconds, 20);
  data.writeUInt16BE(1000, 22);
  return data;
}

function chunk(name, data) {
  const content = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc(content));
  return Buffer.concat([length, content, check]);
}

const CRCS = Uint32Array.from({ length: 256 }, (_, number) => {
  let value = number;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** As in the appendix of the specification of PNG. */
function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRCS[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
