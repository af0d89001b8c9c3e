import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAMS, run, scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { commandsOf, flagsOf } from './help-text.ts'

const ROOT = join(import.meta.dirname, '../..')

const PACKAGES = {
  'collab-extract': 'apps/extractor',
  'collab-export': 'apps/exporter',
  'collab-nightly': 'apps/nightly',
  'collab-mcp': 'apps/mcp',
  'tap-collab': 'apps/extractor',
  'collab-sandbox': 'packages/sandbox',
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

const execute = promisify(execFile)

describe.each(PROGRAMS)('the manual page of %s', (program) => {
  test('names every command and every flag of the help, and is in the package', async () => {
    const { code, stdout: page } = await run(program, ['man'])
    expect(code).toBe(0)
    const text = page.replaceAll('\\-', '-')
    const commands = await commandsOf(program)
    const flags = await Promise.all(commands.map((command) => flagsOf(program, command)))
    expect(commands.length).toBeGreaterThan(2)
    expect(commands.filter((command) => command !== '' && !new RegExp(`^\\.SS ${command}\\b`, 'm').test(text))).toEqual(
      [],
    )
    expect(flags.flat().filter((flag) => !new RegExp(`\\\\fB${flag}\\\\fR`).test(text))).toEqual([])
    const directory = join(ROOT, PACKAGES[program])
    const { man } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    const name = `./dist/${program}.1`
    expect([man].flat()).toContain(name)
    expect(await readFile(join(directory, name), 'utf8')).toBe(page)
  })

  test.skipIf(!isInstalled('mandoc') && !isInstalled('groff'))('has no mistake in its markup', async () => {
    await using scratch = await scratchDirectory()
    const path = join(scratch.path, `${program}.1`)
    await writeFile(path, (await run(program, ['man'])).stdout)
    if (isInstalled('groff')) {
      const { stdout, stderr } = await execute('groff', ['-ww', '-man', '-Tutf8', path])
      expect(stderr).toBe('')
      expect(stdout).toContain('EXIT STATUS'.replaceAll(/\S/g, '$&\b$&'))
    }
    if (isInstalled('mandoc')) {
      // ends with 2 for warnings, of which there is one on purpose: the page has no date
      const found = await execute('mandoc', ['-T', 'lint', '-W', 'all', path]).catch(
        (error: { stdout: string }) => error,
      )
      const reports = found.stdout.trim().split('\n')
      expect(reports.filter((line) => !line.includes('missing date'))).toEqual([])
    }
  })
})
