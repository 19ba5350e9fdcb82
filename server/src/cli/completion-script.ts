/** `httpd-upgrade completion SHELL`: what a shell completes behind the program's name. */
import { COMMANDS, type Shell } from './arguments';

export function completionScript(shell: Shell): string {
  return shell === 'fish' ? fish() : shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash()}` : bash();
}

// ---------------------------------------------------------------------------------------------------------------------

const NAMES = Object.keys(COMMANDS);

function bash(): string {
  const options = NAMES.map((name) => `    ${name}) words="${COMMANDS[name]!.options.join(' ')}" ;;`);
  const values = new Map<string, string>();
  for (const name of NAMES) for (const [option, own] of Object.entries(COMMANDS[name]!.values)) values.set(`${name} ${option}`, own.join(' '));
  return `_httpd_upgrade() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${NAMES.join(' ')}" -- "$word"))
    return
  fi
  case "$command $before" in
${[...values].map(([key, own]) => `    '${key}') COMPREPLY=($(compgen -W "${own}" -- "$word")); return ;;`).join('\n')}
  esac
  case "$command" in
${options.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "\${words:+}" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _httpd_upgrade httpd-upgrade
`;
}

function fish(): string {
  const rows = [`complete -c httpd-upgrade -n __fish_use_subcommand -f -a '${NAMES.join(' ')}'`];
  for (const name of NAMES) {
    for (const option of COMMANDS[name]!.options) {
      const values = COMMANDS[name]!.values[option];
      const flag = option.startsWith('--') ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`;
      rows.push(`complete -c httpd-upgrade -n '__fish_seen_subcommand_from ${name}' ${flag}${values ? ` -x -a '${values.join(' ')}'` : ''}`);
    }
  }
  return `${rows.join('\n')}\n`;
}
