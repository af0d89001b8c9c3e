import { type Commands, defineCommand } from './command.ts'
import { EXIT } from './errors.ts'
import { completionScript, type ProgramText } from './parse.ts'

const SHELLS = ['bash', 'zsh'] as const

/** The commands of a program, with the one that every program has. */
export function withCompletion(program: ProgramText): Commands {
  const completion = defineCommand({
    command: 'completion <shell>',
    describe: 'prints a script that completes commands and flags in a shell',
    examples: [
      [`completion bash > ~/.local/share/bash-completion/completions/${program.name}`, 'for bash'],
      [`completion zsh > _${program.name}`, 'for zsh, in a directory of $fpath'],
    ],
    options: { shell: { choices: SHELLS, demandOption: true, describe: 'the shell that runs the script' } },
    settings: null,
    async run({ stdout }, { shell }) {
      await stdout.write(await completionScript(program.name, shell))
      return EXIT.ok
    },
  })
  return { ...program.commands, completion: () => completion }
}
