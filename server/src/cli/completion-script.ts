/** The command `completion SHELL`: prints a completion script for a shell. */
import type { Command } from 'commander';
import { ALL_RULES } from '../rules/all';
import type { Shell } from './arguments';
import { defineProgram } from './program';

/** The completion script for a shell. */
export function completionScript(shell: Shell): string {
  return shell === 'fish'
    ? fishScript()
    : shell === 'zsh'
      ? `autoload -U +X bashcompinit && bashcompinit\n${bashScript()}`
      : bashScript();
}

// ---------------------------------------------------------------------------------------------------------------------

/** The commands that the help shows. */
export function visibleCommands(): readonly Command[] {
  const program = defineProgram(() => {});
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help');
}

/** The words that can be completed for one command. */
interface CommandWords {
  readonly name: string;
  readonly options: readonly {
    readonly flag: string;
    readonly summary: string;
    readonly values: readonly string[];
    readonly takesValue: boolean;
  }[];
  /** The possible values of the command's argument, if there are only a few. */
  readonly values: readonly string[];
}

/** The words of all commands that the help shows. */
function commandWords(): readonly CommandWords[] {
  const commands = visibleCommands();
  const commandNames = commands.map((command) => command.name());
  const wordsOfCommands = commands.map((command) => ({
    name: command.name(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, short, description, argChoices = [], required }) =>
        [long, short].flatMap((flag) =>
          flag ? [{ flag, summary: description, values: argChoices, takesValue: required }] : [],
        ),
      ),
    values:
      command.name() === 'explain' ? ALL_RULES.map(({ id }) => id) : (command.registeredArguments[0]?.argChoices ?? []),
  }));
  return [...wordsOfCommands, { name: 'help', options: [], values: commandNames }];
}

/** The script for bash, which zsh can also read. */
function bashScript(): string {
  const commands = commandWords();
  const valuesByWords = commands.flatMap(({ name, options, values: choices }) => [
    ...(choices.length > 0 ? [[`${name} ${name}`, choices] as const] : []),
    ...options
      .filter((option) => option.values.length > 0)
      .map(({ flag, values: those }) => [`${name} ${flag}`, those] as const),
  ]);
  return `_httpd_upgrade() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "$command $before" in
${valuesByWords.map(([key, listed]) => `    '${key}') COMPREPLY=($(compgen -W "${listed.join(' ')}" -- "$word")); return ;;`).join('\n')}
  esac
  case "$command" in
${commands.map(({ name, options }) => `    ${name}) words="${options.map(({ flag }) => flag).join(' ')}" ;;`).join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _httpd_upgrade httpd-upgrade
`;
}

/** The script for fish. */
function fishScript(): string {
  const quotedForFish = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const completionRows = commandWords().flatMap(({ name, options, values }) => {
    const commandCondition = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c httpd-upgrade -n __fish_use_subcommand -f -a ${name}`,
      ...(values.length > 0 ? [`complete -c httpd-upgrade ${commandCondition} -f -a '${values.join(' ')}'`] : []),
      ...options.map(({ flag, summary, values: choices, takesValue }) => {
        const option = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
        const argument = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
        return `complete -c httpd-upgrade ${commandCondition} ${option}${argument} -d ${quotedForFish(summary)}`;
      }),
    ];
  });
  return `${completionRows.join('\n')}\n`;
}
