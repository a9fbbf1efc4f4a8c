/** `cfile completion`: the script for the shell. */
import { command } from "../program/command.js";

const SCRIPT = `# Completion of cfile in bash and zsh: cfile completion >> ~/.bashrc
if [ -n "$ZSH_VERSION" ]; then
  autoload -U +X compinit && compinit
  autoload -U +X bashcompinit && bashcompinit
fi
_cfile_completions() {
  local IFS=$'\\n'
  COMPREPLY=($(cfile --get-completions "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _cfile_completions cfile`;

export const completion = command({
  about: "Add the script to ~/.bashrc or ~/.zshrc; completion starts with the next shell.",
  args: {},
  options: {},
  examples: [["Complete commands and options in bash", "cfile completion >> ~/.bashrc"]],
  run: ({ stdout }) => stdout.line(SCRIPT),
});
