/**
 * `workspace/executeCommand`, for editors other than VS Code: commands for features that the
 * protocol has no requests for. Our own client has commands of the same names. A command that
 * changes files asks the user first. docs/editors.md lists the commands.
 */
import type { CancellationToken } from 'vscode-languageserver';
import { explainedSteps } from '../analysis/on-server';
import { explain } from '../features/explain';
import { thirdPartyAdvice } from '../rules/third-party-module';
import { ALL_RULES } from '../rules/all';
import { rulePage } from '../rules/support/page';
import { OPEN_DOCUMENTATION, openDocumentation } from './action-documentation';
import { CONVERSION_COMMANDS as CONVERSIONS, type ConversionCommand } from './conversions';
import { explainRequestInWorkspace } from './explain-request';
import { includeRows } from './navigation';
import type { Plans } from './plans';
import type { Session } from './session';
import { verifyConfiguration, type Verify } from './verify';

/** The objects of the language server that its commands use. */
export interface CommandOptions {
  readonly plans: Plans;
  readonly verify: Verify | undefined;
  readonly convert: ConversionCommand;
}

/** Runs a command with the arguments that the client sent, and returns the reply. */
type Command = (
  options: { readonly session: Session; readonly plans: Plans; readonly verify: Verify | undefined },
  parameters: readonly unknown[],
  token: CancellationToken,
) => unknown;

export function serveCommands(session: Session, { plans, verify, convert }: CommandOptions): void {
  session.connection.onExecuteCommand(async ({ command, arguments: commandArguments }, token) => {
    // Some clients send `null` if there are no arguments.
    const parameters: unknown[] = commandArguments ?? [];
    const [argument] = parameters;
    if (CONVERSIONS.includes(command)) return convert(command, argument, token);
    return (await READING_COMMANDS.get(command)?.({ session, plans, verify }, parameters, token)) ?? null;
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** Commands that change nothing. */
const READING_COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['httpdUpgrade.includeTree', ({ session }, [uri]) => includeRows(session, textOr(uri, null))],
  [OPEN_DOCUMENTATION, ({ session }) => openDocumentation(session)],
  ['httpdUpgrade.rules', () => ALL_RULES.map(({ id, title }) => ({ id, title }))],
  [
    'httpdUpgrade.explain',
    (_, [term]) =>
      explain(textOr(term, ''), {
        steps: explainedSteps(),
        rules: ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => rulePage(rule) })),
        adviceFor: thirdPartyAdvice,
      }),
  ],
  [
    'httpdUpgrade.explainRequest',
    ({ session }, [uri, requestParameters], token) =>
      explainRequestInWorkspace(session, textOr(uri, null), requestParameters, token),
  ],
  [
    'httpdUpgrade.plan',
    async ({ plans }, _, token) => {
      const gatheredPlan = await plans.current(token);
      return 'reply' in gatheredPlan ? gatheredPlan.reply : gatheredPlan;
    },
  ],
  [
    'httpdUpgrade.report',
    ({ plans }, [format], token) => plans.report({ format: format === 'html' ? 'html' : 'markdown' }, token),
  ],
  [
    'httpdUpgrade.verify',
    ({ session, plans, verify }, [uri, httpd, inPlace], token) =>
      typeof uri === 'string'
        ? verifyConfiguration({
            session,
            plans,
            verify,
            uri,
            httpd: textOr(httpd, ''),
            inPlace: inPlace === true,
            token,
          })
        : { nothing: 'Name the main configuration file (httpd.conf or apache2.conf).' },
  ],
]);

/** The names of all commands, for the reply to `initialize`. */
export const COMMAND_NAMES: readonly string[] = [...CONVERSIONS, ...READING_COMMANDS.keys()];

/** The value if it is a text; otherwise `otherValue`. */
function textOr<T>(value: unknown, otherValue: T): string | T {
  return typeof value === 'string' ? value : otherValue;
}
