import { EXIT_MEANINGS } from '../errors.ts'
import { type DescribedCommand, type DescribedProgram, type FlagGroup, type FlagText, HELP_FLAGS } from './describe.ts'

/** Longer lines of source are reported by `mandoc -T lint`. */
const MAX_COLUMNS = 80

/** Titles of the groups of settings, in the order of the page. */
const GROUPS: Readonly<Record<FlagGroup, string>> = {
  service: 'The service',
  warehouse: 'The warehouse',
  log: 'Logs',
  common: 'Output and config file',
}

/**
 * The manual page of a program, in roff with the macros of man(7). It has no date: the same version has the same page, whenever it is
 * built.
 */
export function manualPage(program: DescribedProgram): string {
  const { name, version, summary, commands, epilogue } = program
  const used = (Object.keys(GROUPS) as FlagGroup[]).filter((group) =>
    commands.some(({ groups }) => groups.includes(group)),
  )
  const main = commands.find((command) => command.name === '')
  const lines = [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "${roff(`${name} ${version}`)}" "User Commands"`,
    // ragged on the right: long lists of values cannot be broken
    '.ad l',
    '.SH NAME',
    `${roff(name)} \\- ${roff(`${summary.charAt(0).toLowerCase()}${summary.slice(1)}`.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    ...synopsis(program),
    ...(main === undefined ? [] : ['.SH DESCRIPTION', sentence(main), ...details(name, main)]),
    '.SH COMMANDS',
    ...commands
      .filter((command) => command.name !== '')
      .flatMap((command) => [`.SS ${roff(command.usage)}`, sentence(command), ...details(name, command)]),
    ...(used.length === 0 ? [] : settingsSection(program, used)),
    '.SH OPTIONS OF ALL COMMANDS',
    ...HELP_FLAGS.flatMap(flagEntry),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(meaning)]),
    ...(epilogue === null ? [] : ['.SH NOTES', '.nf', ...epilogue.split('\n').map(roff), '.fi']),
  ]
  return `${wrapped(lines).join('\n')}\n`
}

/** Breaks lines of text at spaces, except in blocks that roff does not fill. Control lines stay whole. */
function wrapped(lines: readonly string[]): string[] {
  let isFilled = true
  return lines.flatMap((line) => {
    if (line === '.nf' || line === '.fi') isFilled = line === '.fi'
    if (!isFilled || line.startsWith('.') || line.length <= MAX_COLUMNS) return [line]
    // a line that begins with a dot would be a control line
    return line.replaceAll(new RegExp(`(.{1,${MAX_COLUMNS - 1}}) (?![.])`, 'g'), '$1\n').split('\n')
  })
}

function synopsis({ name, commands }: DescribedProgram): string[] {
  const lines = commands.some((command) => command.name === '')
    ? ['[flags]', '<command> [flags]']
    : ['<command> [flags]']
  return lines.flatMap((line, index) => [...(index === 0 ? [] : ['.br']), `.B ${roff(name)}`, roff(line)])
}

function settingsSection({ settings, hasJsonConfig }: DescribedProgram, used: readonly FlagGroup[]): string[] {
  const variable = 'the environment variable that is named in brackets'
  const [second, third] = hasJsonConfig ? ['the config file', variable] : [variable, 'the config file']
  return [
    '.SH SETTINGS',
    roff(`A flag takes precedence over ${second}, and that over ${third}.`),
    ...used.flatMap((group) => [`.SS ${roff(GROUPS[group])}`, ...settings[group].flatMap(flagEntry)]),
  ]
}

function sentence({ describe }: DescribedCommand): string {
  return roff(`${describe.charAt(0).toUpperCase()}${describe.slice(1)}.`)
}

/** Arguments, flags, groups of settings and examples of a command. */
function details(program: string, { positionals, flags, groups, examples }: DescribedCommand): string[] {
  return [
    ...positionals.flatMap(({ name, meaning, values }) => [
      ...['.TP', `.I ${roff(name)}`, roff([meaning, values.join(', ')].filter(Boolean).join(': '))],
    ]),
    ...flags.flatMap(flagEntry),
    ...(groups.length === 0
      ? []
      : ['.PP', roff(`Settings: ${groups.map((group) => GROUPS[group].toLowerCase()).join(', ')}.`)]),
    ...examples.flatMap(([line, what]) => [
      '.PP',
      roff(`Example, ${what}:`),
      '.PP',
      '.RS 4',
      '.nf',
      `${roff(`${program} ${line}`.trim())}`,
      '.fi',
      '.RE',
    ]),
  ]
}

function flagEntry({ name, short, argument, meaning }: FlagText): string[] {
  const forms = [...(short === null ? [] : [`-${short}`]), `--${name}`].map((form) => `\\fB${roff(form)}\\fR`)
  return ['.TP', `${forms.join(', ')}${argument === null ? '' : ` \\fI${roff(argument)}\\fR`}`, roff(meaning || name)]
}

/** Characters that roff would change or replace, so that they can be copied from the page. */
const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
  '…': '...',
}

function roff(text: string): string {
  const plain = text.replaceAll(/[\\\-'`^~"…]/g, (character) => NAMED[character] ?? character)
  const ascii = plain.replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
  return ascii.startsWith('.') ? `\\&${ascii}` : ascii
}
