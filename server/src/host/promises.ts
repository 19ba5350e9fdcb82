/**
 * Functions of node:fs/promises, made from those of node:fs. Loading node:fs/promises takes a
 * twentieth of the start of the command line, and node:fs is loaded anyway.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';

export const access = promisify(fs.access);
export const readdir = promisify(fs.readdir);
export const realpath = promisify(fs.realpath.native);
export const stat = promisify(fs.stat);
