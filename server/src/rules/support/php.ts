/**
 * The question how PHP runs. Several rules ask it, because each version of PHP has another module
 * name.
 */
import { choiceQuestion, type OpenQuestion } from '../../access/open-question';
import { argumentsOf, type Line } from '../../syntax/line';

export const PHP_QUESTION = choiceQuestion('php');

/** The question about PHP, with the line whose new text depends on the answer. */
export function phpQuestionFor(text: string): OpenQuestion {
  return choiceQuestion('php', [text]);
}

/** The answer that the files must work with any PHP module, and without one. */
export const ANY_PHP_ANSWER = 'any';

/** The directives that set a value of PHP. */
export const PHP_SETTINGS: readonly string[] = ['php_value', 'php_flag', 'php_admin_value', 'php_admin_flag'];

/**
 * Settings that a release of PHP has removed, by that release. Sources: migration guides in the
 * manual of PHP (removed INI directives), and UPGRADING of each release. A PHP-FPM pool with such a
 * setting fails.
 */
const REMOVED_IN_RELEASE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    '5.0': 'track_vars',
    '5.3': 'zend.ze1_compatibility_mode',
    '5.4':
      'allow_call_time_pass_reference define_syslog_variables highlight.bg magic_quotes_gpc magic_quotes_runtime magic_quotes_sybase register_globals register_long_arrays safe_mode safe_mode_gid safe_mode_include_dir safe_mode_exec_dir safe_mode_allowed_env_vars safe_mode_protected_env_vars session.bug_compat_42 session.bug_compat_warn y2k_compliance',
    '7.0': 'always_populate_raw_post_data asp_tags xsl.security_prefs',
    '7.1': 'session.entropy_file session.entropy_length session.hash_bits_per_character session.hash_function',
    '8': 'mbstring.func_overload track_errors',
  }).flatMap(([release, names]) => names.split(' ').map((name) => [name, release])),
);

/**
 * The setting of a `php_value` or similar line, with the release of PHP that removed the setting.
 * Null if PHP still has the setting.
 */
export function removedSetting(line: Line): { readonly name: string; readonly release: string } | null {
  const name = PHP_SETTINGS.includes(line.name) ? argumentsOf(line)[0]?.value : undefined;
  const release = name && Object.hasOwn(REMOVED_IN_RELEASE, name) ? REMOVED_IN_RELEASE[name] : undefined;
  return name && release ? { name, release } : null;
}

/**
 * The setting of a `php_value` or similar line as PHP-FPM reads it, with the file that takes it.
 * Null if the line has no value, or if PHP has removed the setting. `isOfDirectory`: the line is in
 * a .htaccess file or in <Directory>. The values are those of the PHP module
 * (sapi/apache2handler/apache_config.c): a flag is on if it is `on` or `1`, and the value `none` is
 * empty.
 */
export function phpSetting(line: Line, isOfDirectory: boolean): string | null {
  const [name, value] = argumentsOf(line).map((word) => word.value);
  if (name === undefined || value === undefined || !PHP_SETTINGS.includes(line.name)) return null;
  if (removedSetting(line)) return null;
  const isFlag = line.name.endsWith('_flag');
  const iniValue = isFlag ? (/^(?:on|1)$/i.test(value) ? 'On' : 'Off') : value.toLowerCase() === 'none' ? '' : value;
  const writtenValue = /^[\w.,:/+-]+$/.test(iniValue) ? iniValue : `"${iniValue.replace(/["\\]/g, '\\$&')}"`;
  return isOfDirectory && !line.name.startsWith('php_admin')
    ? `${USER_INI_PREFIX}${name} = ${writtenValue}`
    : `${POOL_PREFIX}${line.name}[${name}] = ${isFlag ? writtenValue.toLowerCase() : writtenValue}`;
}

/** Whether a line of text keeps PHP scripts from running, such as `php_flag engine off`. */
export function stopsPhp(text: string): boolean {
  return /^\s*\S+\s+"?engine"?\s+"?(?:off|0|false|no)\b/i.test(text);
}

/**
 * The setting in a comment that replaces a `php_value` or similar line; null for other comments.
 */
export function phpSettingIn(comment: string): string | null {
  const settingText = comment.replace(/^\s*#\s*/, '').trimEnd();
  return settingText.startsWith(USER_INI_PREFIX) || settingText.startsWith(POOL_PREFIX) ? settingText : null;
}

/** Whether a text may have a comment that replaces a `php_value` or similar line. */
export function mayHavePhpSettingComment(text: string): boolean {
  return text.includes(`# ${USER_INI_PREFIX}`) || text.includes(`# ${POOL_PREFIX}`);
}

const USER_INI_PREFIX = '.user.ini: ';
const POOL_PREFIX = 'PHP-FPM pool: ';
