import { allFlags, type DescribedCommand, type DescribedProgram, type FlagText } from './describe.ts'

/** A script that completes a program's command line in fish 3 and later. It starts no process. */
export function fishCompletion(program: DescribedProgram): string {
  const complete = `complete -c ${program.name}`
  const commands = program.commands.filter((command) => command.name !== '')
  const names = commands.map((command) => command.name).join(' ')
  const none = `not __fish_seen_subcommand_from ${names}`
  const lines = program.commands.flatMap((command) => {
    const condition = quoted(command.name === '' ? none : `__fish_seen_subcommand_from ${command.name}`)
    return [
      ...(command.name === ''
        ? []
        : [`${complete} -n ${quoted(none)} -a ${command.name} -d ${quoted(command.describe)}`]),
      ...allFlags(program, command).map((flag) => `${complete} -n ${condition} ${flagWords(flag)}`),
      ...argumentsOf(command).map((words) => `${complete} -n ${condition} ${words}`),
    ]
  })
  const head = `# Completion of ${program.name} in fish. Made by: ${program.name} completion fish`
  return `${[head, `${complete} -f`, ...lines].join('\n')}\n`
}

function flagWords({ name, short, argument, meaning, values, path }: FlagText): string {
  const names = `-l ${name}${short === null ? '' : ` -s ${short}`}`
  const value = argument === null ? '' : ` ${valueWords({ values, path })}`
  return `${names}${value} -d ${quoted(meaning)}`
}

/** Positional arguments of one command are of one kind. */
function argumentsOf({ positionals: [first] }: DescribedCommand): string[] {
  if (first === undefined || (first.values.length === 0 && first.path === null)) return []
  return [first.path === 'file' ? '-F' : valueWords(first).replace('-x ', '')]
}

function valueWords({ values, path }: Pick<FlagText, 'values' | 'path'>): string {
  if (values.length > 0) return `-x -a ${quoted(values.join(' '))}`
  if (path === null) return '-x'
  return path === 'file' ? '-r -F' : "-x -a '(__fish_complete_directories)'"
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
