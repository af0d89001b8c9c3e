import { allFlags, type DescribedCommand, type DescribedProgram, type FlagText, type PathKind } from './describe.ts'

/** What completes a value: one of a few words, a path, or nothing that is known. */
type Completion = { readonly words: readonly string[] } | { readonly path: PathKind } | null

/** A script that completes a program's command line in bash 3.2 and later. It starts no process. */
export function bashCompletion(program: DescribedProgram): string {
  const name = `_${program.name.replaceAll('-', '_')}`
  const commands = program.commands.filter((command) => command.name !== '')
  return `# Completion of ${program.name} in bash. Made by: ${program.name} completion bash
${name}_paths() {
  # bash before version 4 cannot complete paths by itself within a function
  compopt -o "$1" 2>/dev/null || COMPREPLY=($(compgen "$2" -- "$word"))
}
${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= index
  # bash splits --flag=value at the equals sign
  if [[ $word == = ]]; then
    word=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      ${commands.map((command) => command.name).join('|')}) command=\${COMP_WORDS[index]}; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${valueCases(program, name)}
  esac
  if [[ $word == -* ]]; then
    case $command in
${program.commands.map((command) => flagCase(program, command)).join('\n')}
    esac
    return
  fi
  case $command in
    '') ${answer({ words: commands.map((command) => command.name) }, name)} ;;
${commands.flatMap((command) => argumentCase(command, name)).join('\n')}
  esac
}
complete -F ${name} ${program.name}
`
}

/** One case for each kind of value, with all flags of all commands that take it. */
function valueCases(program: DescribedProgram, name: string): string {
  const cases = new Map<string, string[]>()
  for (const command of program.commands) {
    for (const flag of allFlags(program, command)) {
      if (flag.argument === null) continue
      const what = answer(completionOf(flag), name)
      const forms = [`--${flag.name}`, ...(flag.short === null ? [] : [`-${flag.short}`])]
      cases.set(what, [...(cases.get(what) ?? []), ...forms.map((form) => `'${command.name} ${form}'`)])
    }
  }
  return [...cases].map(([what, patterns]) => `    ${patterns.join('|')}) ${what}; return ;;`).join('\n')
}

function completionOf({ values, path }: Pick<FlagText, 'values' | 'path'>): Completion {
  if (values.length > 0) return { words: values }
  return path === null ? null : { path }
}

function answer(completion: Completion, name: string): string {
  if (completion === null) return ':'
  if ('words' in completion) return `COMPREPLY=($(compgen -W '${completion.words.join(' ')}' -- "$word"))`
  return `${name}_paths ${completion.path === 'file' ? 'default -f' : 'dirnames -d'}`
}

function flagCase(program: DescribedProgram, command: DescribedCommand): string {
  const words = allFlags(program, command).map((flag) => `--${flag.name}`)
  return `      ${command.name === '' ? "''" : command.name}) ${answer({ words }, '')} ;;`
}

/** Positional arguments of one command are of one kind. */
function argumentCase({ name: command, positionals: [first] }: DescribedCommand, name: string): string[] {
  const completion = first === undefined ? null : completionOf(first)
  return completion === null ? [] : [`    ${command}) ${answer(completion, name)} ;;`]
}
