import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, PROGRAMS, run } from '@collab-etl/harness/commands'
import { everyNth } from '@collab-etl/harness/thorough'
import { beforeAll, describe, expect, test } from 'vitest'

/** The pages that the help of the programs makes. `UPDATE_DOCS=1 vitest run test/docs/commands.test.ts` writes them. */
const DIRECTORY = join(import.meta.dirname, '../../docs/commands')

const NOTE = '<!-- Made from the help: UPDATE_DOCS=1 vitest run test/docs/commands.test.ts -->'

const UPDATES = process.env['UPDATE_DOCS'] !== undefined

/** Wide enough that no summary of a flag is folded more than needed. */
const env = { COLUMNS: '120' }

/** A section of a help text, such as "Flags", without its title; empty if there is none. */
function section(help: string, title: string): string {
  const [, body = ''] = new RegExp(`^${title}:\\n((?:.+\\n?)*)`, 'm').exec(help) ?? []
  return body.trimEnd()
}

const uncapitalised = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** The commands that a program's help lists, with their summaries. */
function commandsOf(program: Command, help: string): { name: string; summary: string }[] {
  const rows = section(help, 'Commands')
    .split(/^ {2}(?=\S)/m)
    .slice(1)
  const listed = rows.map((row) => {
    const [, name = '', summary = ''] = /^([a-z-]+).*? {2,}([\s\S]*)/.exec(row) ?? []
    return { name: `${program} ${name}`, summary }
  })
  // a program with flags of its own also runs without a command
  const own =
    section(help, 'Flags') === '' ? [] : [{ name: program, summary: uncapitalised(help.split('.\n', 1)[0] ?? '') }]
  return [...own, ...listed].map(({ name, summary }) => ({ name, summary: summary.replaceAll(/\s+/g, ' ').trim() }))
}

const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
const fileOf = (name: string) => `${name.replace(' ', '-')}.md`
/** A link to the page for users that has the command's name. */
function seeAlso(name: string): string {
  const topic = name.split(' ').at(-1) ?? ''
  return existsSync(join(DIRECTORY, `../${topic}.md`)) ? `[${topic}](../${topic}.md), ` : ''
}

const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** The page of a command: its help, with links in place of the settings and exit codes, which all commands share. */
function page(name: string, summary: string, help: string): string {
  const [usage = ''] = /^Usage: .*$/m.exec(help) ?? []
  const blocks = ['Flags', 'Examples', 'Quirks'].flatMap((title) => {
    const body = section(help, title)
    return body === '' ? [] : [`${title}:\n${body}`]
  })
  const settings = [...section(help, 'Settings').matchAll(/^ {2,6}(--[a-z-]+)/gm)].map(([, flag = '']) => flag)
  const parts = [
    `# ${name}`,
    NOTE,
    capitalised(summary),
    ['```text', [usage, ...blocks].join('\n\n'), '```'].join('\n'),
    ...(settings.length === 0
      ? []
      : [`Settings, which \`collab.yaml\` or the environment can hold too: ${list(settings)}.`]),
    `See also: ${seeAlso(name)}[all commands](README.md), [settings](../settings.md), [exit codes](../operations.md#exit-codes).`,
  ]
  return `${parts.join('\n\n')}\n`
}

interface Listed {
  readonly name: string
  readonly program: Command
  readonly summary: string
}

async function listCommands(): Promise<Listed[]> {
  const lists = await Promise.all(
    PROGRAMS.map(async (program) => {
      const { stdout } = await run(program, ['--help'], { env })
      return commandsOf(program, stdout).map((command) => ({ ...command, program }))
    }),
  )
  return lists.flat().filter(({ name }) => !/ (?:completion|run)$/.test(name))
}

function index(commands: readonly Listed[]): string {
  const parts = PROGRAMS.flatMap((program) => [
    `## ${program}`,
    commands
      .filter((command) => command.program === program)
      .map(({ name, summary }) => `- [${name}](${fileOf(name)}): ${summary}`)
      .join('\n'),
  ])
  return `${['# Commands', NOTE, 'Every program and command; each page has the flags and examples of one.', ...parts].join('\n\n')}\n`
}

async function expectPages(commands: readonly Listed[]): Promise<void> {
  for (const { name, program, summary } of commands) {
    const { stdout } = await run(program, [...name.split(' ').slice(1), '--help'], { env })
    const text = page(name, summary, stdout)
    if (UPDATES) await writeFile(join(DIRECTORY, fileOf(name)), text)
    expect(await readFile(join(DIRECTORY, fileOf(name)), 'utf8')).toBe(text)
  }
}

describe('docs/commands', () => {
  let commands: Listed[]

  beforeAll(async () => {
    commands = await listCommands()
    if (!UPDATES) return
    await rm(DIRECTORY, { recursive: true, force: true })
    await mkdir(DIRECTORY)
    await writeFile(join(DIRECTORY, 'README.md'), index(commands))
    await expectPages(commands)
  })

  test('lists each command, and has a page for it', async () => {
    expect(await readFile(join(DIRECTORY, 'README.md'), 'utf8')).toBe(index(commands))
    const files = ['README.md', ...commands.map(({ name }) => fileOf(name))]
    expect((await readdir(DIRECTORY)).sort()).toEqual(files.sort())
    expect(files.length).toBeGreaterThan(30)
  })

  test('each page is what the help makes', { tags: 'thorough' }, async () => {
    await expectPages(everyNth(commands, 8))
  })
})
