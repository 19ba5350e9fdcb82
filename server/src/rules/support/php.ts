/** The question how PHP runs, for several rules: each version of PHP has another module name. */
import { choice, type OpenQuestion } from '../../access/open-question';
import { argumentsOf, type Line } from '../../syntax/line';

export const PHP = choice('php');

/** The same question, with the line that needs the right name. */
export function phpIn(text: string): OpenQuestion {
  return choice('php', [text]);
}

/** The directives that set a value of PHP. */
export const PHP_SETTINGS: readonly string[] = ['php_value', 'php_flag', 'php_admin_value', 'php_admin_flag'];

/**
 * The setting of such a line as PHP-FPM reads it, with the file that takes it; null if the line has
 * no value. `isOfDirectory`: the line is in a .htaccess file or in <Directory>. The values are
 * those of the PHP module (sapi/apache2handler/apache_config.c): a flag is on if it is `on` or `1`,
 * and the value `none` is empty.
 */
export function phpSetting(line: Line, isOfDirectory: boolean): string | null {
  const [name, value] = argumentsOf(line).map((word) => word.value);
  if (name === undefined || value === undefined || !PHP_SETTINGS.includes(line.name)) return null;
  const isFlag = line.name.endsWith('_flag');
  const text = isFlag ? (/^(?:on|1)$/i.test(value) ? 'On' : 'Off') : value.toLowerCase() === 'none' ? '' : value;
  const written = /^[\w.,:/+-]*$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
  return isOfDirectory && !line.name.startsWith('php_admin')
    ? `${USER_INI}${name} = ${written}`
    : `${POOL}${line.name}[${name}] = ${isFlag ? written.toLowerCase() : written}`;
}

/** The setting in a comment that replaces such a line; null for other comments. */
export function phpSettingIn(comment: string): string | null {
  const text = comment.replace(/^\s*#\s*/, '').trimEnd();
  return text.startsWith(USER_INI) || text.startsWith(POOL) ? text : null;
}

/** Whether a text may have such a comment. */
export function phpSettingsIn(text: string): boolean {
  return text.includes(`# ${USER_INI}`) || text.includes(`# ${POOL}`);
}

const USER_INI = '.user.ini: ';
const POOL = 'PHP-FPM pool: ';
