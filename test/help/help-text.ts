import { type Command, run } from '@collab-etl/harness/commands'

const texts = new Map<string, Promise<string>>()

/** The help of a program or of one of its commands. Several tests compare with it. */
function helpOf(program: Command, command: string): Promise<string> {
  const key = `${program} ${command}`
  const text =
    texts.get(key) ?? run(program, [...command.split(' ').filter(Boolean), '--help']).then(({ stdout }) => stdout)
  texts.set(key, text)
  return text
}

/** The commands of a program, as its help lists them; '' for what it does without a command. */
export async function commandsOf(program: Command): Promise<string[]> {
  const [, section = ''] = /\n\nCommands:\n([\s\S]*?)\n\n/.exec(await helpOf(program, '')) ?? []
  return [...section.matchAll(/^ {2}(?:collab-\w+|tap-collab)(?: ([a-z-]+))?/gm)].map(([, name = '']) => name)
}

/** The flags of a command, as its help lists them. */
export async function flagsOf(program: Command, command: string): Promise<string[]> {
  // what is further to the right is a description; examples may repeat a flag
  const found = (await helpOf(program, command)).matchAll(/^ {2,6}(?:-\w, )?(--[a-z-]+)/gm)
  return [...new Set([...found].map(([, flag = '']) => flag))]
}
