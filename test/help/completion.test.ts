import { spawn, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Command, cleanEnvironment, run, scratchDirectory } from '@collab-etl/harness/commands'
import { everyNth } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'

const STARTS = {
  bash: ['bash', '--norc', '--noprofile'],
  zsh: ['zsh', '-f'],
} as const

/** How a shell completes each line. zsh is sent the line and the Tab key; of bash, the completion function is called. */
async function completed(shell: keyof typeof STARTS, lines: readonly string[]): Promise<string[]> {
  await using scratch = await scratchDirectory()
  await mkdir(join(scratch.path, 'backups'))
  const programs = new Set(lines.map((line) => line.split(' ')[0] as Command)) // each line begins with one
  const scripts = await Promise.all(
    [...programs].map(async (program) => {
      const { code, stdout, stderr } = await run(program, ['completion', shell])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const path = join(scratch.path, `${program}.${shell}`)
      await writeFile(path, stdout)
      return path
    }),
  )
  const [program, ...flags] = STARTS[shell]
  const child = spawn(program, [...flags, join(import.meta.dirname, `complete.${shell}`), ...scripts], {
    cwd: scratch.path,
    // the login shell is another one
    env: { ...cleanEnvironment(), HOME: scratch.path, SHELL: '/bin/fish' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const found = (await text(child.stdout)).trimEnd().split('\n')
  // zsh shows the line, bash the last word, for which = is a separator
  return found.map((line) => line.trimEnd().split(/[ =]/).at(-1) ?? '')
}

/** Lines, and the word that each is completed with. */
const COMPLETED = [
  ['collab-extract qu', 'query'],
  ['collab-export verify --fa', '--fast'],
  ['collab-export backup --from ware', 'warehouse'],
  ['collab-nightly --qui', '--quiet'],
  ['collab-extract snapshot --streams pages,pos', 'pages,posts'],
  ['collab-export backup --format csv,ht', 'csv,html'],
  ['collab-export backup --content use', 'users'],
  ['collab-export convert b --for to', 'todoist'],
  ['collab-export convert b --for=no', 'notion'],
  ['collab-extract snapshot --streams=pages,pos', 'pages,posts'],
  ['collab-extract export --format=p', 'parquet'],
  ['collab-export archive b --as z', 'zip'],
  ['collab-export backup --format csv,markdown,jsonl,', 'csv,markdown,jsonl,html'],
  ['collab-extract runs --log-level deb', 'debug'],
  ['collab-sandbox completion z', 'zsh'],
] as const

describe.each(['bash', 'zsh'] as const)('completion in %s', (shell) => {
  test.skipIf(spawnSync(shell, ['--version']).status !== 0)(
    'completes commands, flags and values',
    { tags: 'thorough' },
    async () => {
      const paths = shell === 'zsh' ? [['collab-export list ba', 'backups/']] : []
      const expected = [...everyNth(COMPLETED, 2), ...paths]
      const lines = expected.map(([line = '']) => line)
      expect(await completed(shell, lines)).toEqual(expected.map(([, word]) => word))
    },
  )
})

test('another shell is refused, and a config file that is wrong does not matter', async () => {
  await using scratch = await scratchDirectory()
  await writeFile(join(scratch.path, 'collab.yaml'), 'nonsense: [')
  const options = { cwd: scratch.path, env: { COLLAB_CONCURRENCY: 'x' } }
  for (const args of [
    ['completion', 'bash'],
    ['--get-yargs-completions', 'collab-extract', 'qu'],
  ])
    expect(await run('collab-extract', args, options)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('collab-extract', ['completion', 'csh'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^collab-extract: shell must be one of bash, zsh, not "csh"[^\n]*\n$/),
  })
})
