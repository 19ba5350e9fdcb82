/** All cases, and those that are not right yet. */
import type { Case, Part } from './case';
import { FOUND } from './found';
import { READ } from './read';
import { WRITTEN } from './written';

export const CASES: readonly Case[] = [...FOUND, ...WRITTEN, ...READ];

/** By name. A test fails when one of them is right, so that it is taken out here. */
export const PENDING: Readonly<Record<string, Part>> = {
  'a copy of another machine\'s configuration, where this machine has the same paths: fix --write copy/conf/httpd.conf': 'planner',
  'a copy of another machine\'s configuration, where this machine has the same paths: fix --write --unsafe copy/conf/httpd.conf': 'planner',
  'a copy of another machine\'s configuration, where this machine has what it serves: fix --write copy/conf/httpd.conf': 'planner',
  'a part that cannot be written: foreign': 'writer',
  'a part that cannot be written: a hard link': 'writer',
  'a part that cannot be written, and a second run: foreign': 'writer',
  'a part that cannot be written, and a second run: a hard link': 'writer',
  'a .htaccess that cannot be written': 'writer',
  'a file that a comment keeps as it is': 'planner',
  'Require "valid-user" lets nobody in': 'engine',
  'a limit in quotes': 'engine',
  'a last line of a .htaccess that goes on': 'engine',
  'a comment of 8191 characters, and what 2.2 takes for the next line': 'engine',
  '--source 2.4 with AuthType in a Location alone': 'engine',
  'the usual Subversion: AuthzSVNAccessFile, Satisfy Any and a login': 'engine',
  'AuthzSVNAccessFile in a Directory, and Satisfy Any from outside': 'engine',
  'AuthzSVNAccessFile in a Location, and Satisfy Any from outside': 'engine',
  'a .htaccess that begins with a byte order mark': 'engine',
};
