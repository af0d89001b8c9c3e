import {
  allFlags,
  type DescribedCommand,
  type DescribedProgram,
  type FlagText,
  type PositionalText,
} from './describe.ts'

/** A script that completes a program's command line in zsh: for a directory of `fpath`, or to be sourced. It starts no process. */
export function zshCompletion(program: DescribedProgram): string {
  const name = `_${program.name.replaceAll('-', '_')}`
  const commands = program.commands.filter((command) => command.name !== '')
  const main = program.commands.find((command) => command.name === '')
  const described = commands.map(({ name: command, describe }) => `        ${quoted(`${command}:${describe}`)}`)
  return `#compdef ${program.name}
# Completion of ${program.name} in zsh. Made by: ${program.name} completion zsh
${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
    ${[...(main === undefined ? HELP : flagsOf(program, main)), quoted('1: :->command'), quoted('*:: :->arguments')].join(' \\\n    ')}
  case $state in
    command)
      local -a commands
      commands=(
${described.join('\n')}
      )
      _describe -t commands command commands
      ;;
    arguments)
      case $words[1] in
${commands.map((command) => commandCase(program, command)).join('\n')}
      esac
      ;;
  esac
}
# loaded from fpath, this file is the function itself
if [[ $funcstack[1] == ${`_${program.name}`} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program.name}
fi
`
}

const HELP = [quoted('(- *)--help[prints this help]'), quoted('(- *)--version[prints the version]')]

function commandCase(program: DescribedProgram, command: DescribedCommand): string {
  const positionals = command.positionals.map((positional, index) => positionalSpec(positional, index + 1))
  return `        ${command.name})
          _arguments \\
            ${[...flagsOf(program, command), ...positionals].join(' \\\n            ')}
          ;;`
}

function flagsOf(program: DescribedProgram, command: DescribedCommand): string[] {
  return allFlags(program, command).flatMap(flagSpecs)
}

function flagSpecs({ name, short, argument, meaning, values, path, isRepeatable }: FlagText): string[] {
  const text = `[${meaning.replaceAll(/[[\]\\]/g, '\\$&')}]`
  const value = argument === null ? '' : `:${escaped(argument)}:${action({ values, path })}`
  const repeat = isRepeatable ? '*' : ''
  const long = quoted(`${repeat}--${name}${argument === null ? '' : '='}${text}${value}`)
  return short === null ? [long] : [long, quoted(`${repeat}-${short}${text}${value}`)]
}

function positionalSpec({ name, values, path }: PositionalText, place: number): string {
  return quoted(`${place}:${escaped(name)}:${action({ values, path })}`)
}

function action({ values, path }: Pick<FlagText, 'values' | 'path'>): string {
  if (values.length > 0) return `(${values.join(' ')})`
  if (path === null) return ' '
  return path === 'file' ? '_files' : '_files -/'
}

function escaped(text: string): string {
  return text.replaceAll(/[:\\]/g, '\\$&')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
