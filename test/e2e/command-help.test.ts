import { type Command, run } from '@collab-etl/harness/commands'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'

/** Every command of every program; '' for a program that is one command. */
const COMMANDS: Readonly<Record<Command, readonly string[]>> = {
  'collab-extract': ['snapshot', 'compare', 'check', 'runs', 'changes', 'init', 'query', 'docs'],
  'collab-export': ['backup', 'archive', 'diff', 'verify', 'list', 'prune', 'restore'],
  'collab-sandbox': [''],
  'collab-nightly': ['run', 'trial', 'status', 'config'],
  'collab-mcp': [''],
  'tap-collab': [''],
}

const ALL = (Object.keys(COMMANDS) as Command[]).flatMap((program) =>
  COMMANDS[program].map((command) => ({ program, command })),
)

/** The flags of a help text with their descriptions, each on one line. */
function flagsOf(help: string): string[] {
  const flags = help.replace(/\n\nCommands:\n[\s\S]*?(?=\n\n)/, '')
  const entries = flags.split(/\n\n(?:Examples|Quirks|Exit codes)/)[0]?.split(/\n(?= +(?:-\w, )?--\w)/) ?? []
  return entries.slice(1).map((entry) => entry.replace(/\s*\n\s+/g, ' ').trim())
}

testEveryNth(ALL, 4)('$program $command -h names values and defaults once', async ({ program, command }) => {
  const ran = await run(program, [...(command === '' ? [] : [command]), '-h'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const flags = flagsOf(ran.stdout)
  expect(flags.map((flag) => /--([a-z-]+)/.exec(flag)?.[1])).toContain('help')
  for (const flag of flags) {
    expect(flag.match(/default/g)?.length ?? 0, flag).toBeLessThanOrEqual(1)
    const values = /^\S+(?: --\S+)? +([\w.-]+(?:\|[\w.-]+)+) /.exec(flag)?.[1]?.split('|') ?? []
    expect(flag, flag).not.toMatch(/\[choices/)
    for (const value of values) {
      const before = flag.replace(/\[default:.*\]/, '')
      expect(before.split(new RegExp(`(?<![\\w.-])${value}(?![\\w.-])`)).length, `${value}: ${flag}`).toBe(2)
    }
  }
})

test.concurrent.each([
  { program: 'collab-export', args: ['backup', '-h'], values: 'hard|reflink|copy' },
  { program: 'collab-export', args: ['backup', '-h'], values: 'api|warehouse' },
  { program: 'collab-export', args: ['archive', '-h'], values: 'tar.gz|tar.zst|zip' },
  { program: 'collab-sandbox', args: ['-h'], values: 'text|boolean' },
] as const)('$program $args lists $values', async ({ program, args, values }) => {
  const { stdout } = await run(program, args)
  expect(stdout).toContain(values)
  expect(stdout).not.toMatch(/--link\b/)
})

test.concurrent.each([
  { program: 'collab-extract', args: ['snapshot', '--projct', 'P'], meant: '--project' },
  { program: 'collab-extract', args: ['snapshop'], meant: 'snapshot' },
  { program: 'collab-export', args: ['verify', 'x', '--fats'], meant: '--fast' },
  { program: 'collab-sandbox', args: ['--prot', '1'], meant: '--port' },
  { program: 'collab-nightly', args: ['--uot', 'x'], meant: '--out' },
  { program: 'collab-mcp', args: ['--bakcup', 'x'], meant: '--backup' },
  { program: 'tap-collab', args: ['--config', 'x', '--catlog', 'x'], meant: '--catalog' },
] as const)('$program $args: did you mean $meant', async ({ program, args, meant }) => {
  const ran = await run(program, args)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(`; did you mean ${meant}?`)
})

test.concurrent.each([
  { program: 'collab-extract', args: [] },
  { program: 'collab-export', args: [] },
  { program: 'collab-export', args: ['verify'] },
  { program: 'collab-extract', args: ['query'] },
] as const)('$program $args without arguments shows its usage on stderr', async ({ program, args }) => {
  const ran = await run(program, args)
  expect(ran.code).toBe(2)
  expect(ran.stdout).toBe('')
  expect(ran.stderr).toContain(`Usage: ${[program, ...args].join(' ')} `)
})
