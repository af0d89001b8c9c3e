import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { cleanEnvironment, PROGRAMS, run, scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandsOf, flagsOf } from './help-text.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const STARTS: Record<Shell, readonly string[]> = {
  bash: ['bash', '--norc', '--noprofile'],
  zsh: ['zsh', '-f'],
  fish: ['fish', '--no-config'],
}

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0

let scratch: Awaited<ReturnType<typeof scratchDirectory>>

beforeAll(async () => {
  scratch = await scratchDirectory()
  await mkdir(join(scratch.path, 'backups'))
  await writeFile(join(scratch.path, 'backups.txt'), '')
})
afterAll(() => scratch[Symbol.asyncDispose]())

/**
 * How a shell completes each line. zsh and fish are sent the line and the Tab key; of bash, the completion function is called.
 * The programs are not on the path.
 */
async function completed(shell: Shell, lines: readonly string[]): Promise<string[]> {
  const scripts = await Promise.all(
    PROGRAMS.map(async (program) => {
      const { code, stdout, stderr } = await run(program, ['completion', shell])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const path = join(scratch.path, `${program}.${shell}`)
      await writeFile(path, stdout)
      return path
    }),
  )
  const [program = '', ...flags] = STARTS[shell]
  const child = spawn(program, [...flags, join(import.meta.dirname, `complete.${shell}`), ...scripts], {
    cwd: scratch.path,
    env: { ...cleanEnvironment(), PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scratch.path },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return (await text(child.stdout)).trimEnd().split('\n')
}

/** Lines, and the word that each is completed with. */
const COMPLETED = [
  ['collab-export ver', 'verify'],
  ['collab-extract run', 'runs'],
  ['collab-extract q', 'query'],
  ['collab-nightly st', 'status'],
  ['collab-sandbox co', 'completion'],
  ['collab-mcp co', 'completion'],
  ['tap-collab co', 'completion'],
  ['collab-export verify --fa', '--fast'],
  ['collab-export archive --as tar.z', 'tar.zst'],
  ['collab-export backup --out x --from ware', 'warehouse'],
  ['collab-extract snapshot --token-in q', 'query'],
  ['collab-sandbox completion z', 'zsh'],
  ['collab-export verify backups.', 'backups.txt'],
  ['collab-export verify --identity backups.', 'backups.txt'],
  ['collab-export list ba', 'backups/'],
  ['collab-nightly --out ba', 'backups/'],
] as const

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  test.skipIf(!isInstalled(shell))('completes commands, flags, values and paths', async () => {
    const found = await completed(
      shell,
      COMPLETED.map(([line]) => line),
    )
    // zsh shows the line, the others the last word; bash adds the slash of a directory itself
    const expected = COMPLETED.map(([line, word]) =>
      shell === 'zsh' ? line.replace(/\S+$/, word) : shell === 'bash' ? word.replace(/\/$/, '') : word,
    )
    expect(found.map((line) => line.trimEnd())).toEqual(expected)
  })

  if (shell === 'zsh' || !isInstalled(shell)) return
  testThoroughly('offers every command and every flag of the help', async () => {
    const commands = await Promise.all(PROGRAMS.map(async (program) => ({ program, names: await commandsOf(program) })))
    const lines = commands.flatMap(({ program, names }) => names.map((name) => ({ program, name })))
    const found = await completed(shell, [
      ...PROGRAMS.map((program) => `${program} `),
      ...lines.map(({ program, name }) => `${program} ${name} --`.replace('  ', ' ')),
    ])
    const expected = [
      ...commands.map(({ names }) => names.filter(Boolean)),
      ...(await Promise.all(lines.map(({ program, name }) => flagsOf(program, name)))),
    ]
    expect(expected.flat().length).toBeGreaterThan(200)
    expect(found.map((line) => line.split(' ').sort())).toEqual(expected.map((words) => [...words].sort()))
  })
})

test('another shell is refused, and a config file that is wrong disturbs neither completion nor manual page', async () => {
  await writeFile(join(scratch.path, 'collab.yaml'), 'nonsense: [')
  const options = { cwd: scratch.path, env: { COLLAB_CONCURRENCY: 'x' } }
  for (const args of [['completion', 'bash'], ['man']])
    expect(await run('collab-extract', args, options)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('collab-extract', ['completion', 'csh'])).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(/^collab-extract: shell must be one of bash, zsh, fish, not "csh"[^\n]*\n$/),
  })
})

test.skipIf(!isInstalled('bash'))(
  'the script for bash runs in a shell that ends at errors and unset variables',
  async () => {
    const { stdout } = await run('collab-nightly', ['completion', 'bash'])
    const script = `set -eu\n${stdout}\ncomplete -p collab-nightly`
    const { stdout: registered } = await promisify(execFile)('bash', ['-c', script])
    expect(registered).toBe('complete -F _collab_nightly collab-nightly\n')
  },
)
