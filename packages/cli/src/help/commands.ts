import { type Command, type Commands, defineCommand } from '../command.ts'
import { EXIT } from '../errors.ts'
import type { ProgramText } from '../parse.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The commands that every program has, made from its own: they are loaded and described only when one of these runs. */
export function helpCommands(program: ProgramText): Commands {
  const all: Commands = {
    ...program.commands,
    completion: () => completionCommand({ ...program, commands: all }),
    man: () => manCommand({ ...program, commands: all }),
  }
  return all
}

function completionCommand(program: ProgramText): Command {
  return defineCommand({
    command: 'completion <shell>',
    describe: 'prints a script that completes commands, flags and values in a shell',
    examples: [
      [`completion bash > ~/.local/share/bash-completion/completions/${program.name}`, 'for bash'],
      [`completion zsh > _${program.name}`, 'for zsh, in a directory of $fpath'],
      [`completion fish > ~/.config/fish/completions/${program.name}.fish`, 'for fish'],
    ],
    options: { shell: { choices: SHELLS, demandOption: true, describe: 'the shell that runs the script' } },
    settings: null,
    async run({ stdout }, { shell }) {
      const { describeProgram } = await import('./describe.ts')
      await stdout.write((await rendererOf(shell))(await describeProgram(program)))
      return EXIT.ok
    },
  })
}

function manCommand(program: ProgramText): Command {
  return defineCommand({
    command: 'man',
    describe: 'prints the manual page, in roff',
    examples: [['man | man -l -', 'shows it']],
    options: {},
    settings: null,
    async run({ stdout }) {
      const [{ describeProgram }, { manualPage }] = await Promise.all([import('./describe.ts'), import('./man.ts')])
      await stdout.write(manualPage(await describeProgram(program)))
      return EXIT.ok
    },
  })
}

async function rendererOf(shell: (typeof SHELLS)[number]) {
  switch (shell) {
    case 'bash':
      return (await import('./bash.ts')).bashCompletion
    case 'zsh':
      return (await import('./zsh.ts')).zshCompletion
    case 'fish':
      return (await import('./fish.ts')).fishCompletion
  }
}
