import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { DEPLOY, NOT_INSTALLED, ran } from './support/programs.ts'

const CRONTAB = join(DEPLOY, 'cron/collab-nightly')

/** The command of the crontab's one entry, and its variables. */
async function entry() {
  const lines = (await readFile(CRONTAB, 'utf8')).split('\n')
  const entries = lines.filter((line) => /^[\d*]/.test(line))
  const [, schedule, user, command = ''] = /^((?:\S+ ){4}\S+) (\w+) (.*)$/.exec(entries[0] ?? '') ?? []
  const variables = new Map(lines.flatMap((line) => [...line.matchAll(/^([A-Z]+)=(.*)$/g)].map(([, k, v]) => [k, v])))
  return { entries, schedule, user, command, variables }
}

describe('deploy/cron', () => {
  test('runs once a night, as a user of its own, and mails to somebody', async () => {
    const { entries, schedule, user, command, variables } = await entry()
    expect(entries).toHaveLength(1)
    expect([schedule, user]).toEqual(['30 4 * * *', 'collab'])
    expect(variables.get('MAILTO')).toMatch(/@/)
    expect(variables.get('PATH')).toMatch(/^\/opt\/collab-etl\/node_modules\/\.bin:/)
    // cron ends a command at a percent sign
    expect(command).not.toContain('%')
  })

  test('cron accepts the entry, and would refuse a mistake', async ({ skip }) => {
    await using scratch = await scratchDirectory()
    // a user's crontab is the same without the name of the user
    const own = (await readFile(CRONTAB, 'utf8')).replace(/^((?:\S+ ){5})collab /m, '$1')
    await writeFile(join(scratch.path, 'crontab'), own)
    if ((await ran('crontab', ['-n', 'crontab'], scratch.path)) === null) skip(NOT_INSTALLED)
    await writeFile(join(scratch.path, 'crontab'), own.replace(/^30 4 /m, '30 25 '))
    await expect(ran('crontab', ['-n', 'crontab'], scratch.path)).rejects.toThrow()
  })

  test.each([0, 3, 11])(
    'a night with exit code %i is logged, and mailed with its state unless it is 0',
    async (code) => {
      await using scratch = await scratchDirectory()
      const bin = join(scratch.path, 'bin')
      for (const directory of [bin, join(scratch.path, 'etc'), join(scratch.path, 'log')]) await mkdir(directory)
      const program = `#!/bin/sh\n[ "$1" = status ] && { echo STATE; exit 0; }\necho output; echo error >&2; exit ${code}\n`
      await writeFile(join(bin, 'collab-nightly'), program, { mode: 0o755 })
      const { command } = await entry()
      const own = command
        .replace('/etc/collab', join(scratch.path, 'etc'))
        .replaceAll('/var/log/collab', join(scratch.path, 'log'))
      const printed = await promisify(execFile)('/bin/sh', ['-c', own], { env: { PATH: `${bin}:/usr/bin:/bin` } })
      const mail = `collab-nightly ended with exit code ${code}; the end of its log:\noutput\nerror\nSTATE\n`
      expect(printed).toEqual({ stdout: code === 0 ? '' : mail, stderr: '' })
      expect(await readFile(join(scratch.path, 'log/nightly.log'), 'utf8')).toBe('output\nerror\n')
    },
  )

  test('logrotate accepts its file, and rotates the log that the entry writes', async ({ skip }) => {
    await using scratch = await scratchDirectory()
    const log = join(scratch.path, 'nightly.log')
    await writeFile(log, 'a night\n')
    const text = await readFile(join(DEPLOY, 'cron/collab-nightly.logrotate'), 'utf8')
    const [, path = ''] = /^(\/\S+) \{$/m.exec(text) ?? []
    expect((await entry()).command).toContain(`>>${path}`)
    // the user of the job is not on this machine
    const own = text
      .replace(path, log)
      .replace(/^ +su .*$/m, '')
      .replace(/^( +create \d+).*$/m, '$1')
    await writeFile(join(scratch.path, 'logrotate.conf'), own, { mode: 0o644 })
    const flags = ['--force', '--state', join(scratch.path, 'state'), 'logrotate.conf']
    const rotated = await ran('logrotate', flags, scratch.path)
    if (rotated === null) skip(NOT_INSTALLED)
    expect(rotated).toBe('')
    expect(await readFile(`${log}.1`, 'utf8')).toBe('a night\n')
    expect(await readFile(log, 'utf8')).toBe('')
  })
})
