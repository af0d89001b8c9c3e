import { randomBytes } from 'node:crypto'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, type Started } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { startSandbox } from '@collab-etl/sandbox'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planArchive } from '../src/commands/archive-flags.ts'
import { verifyArchive, writeArchive } from './archives.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'
import { hasTool, shell } from './tools.ts'

const signal = new AbortController().signal

const verified = (path: string) => verifyArchive(path, { decrypter: null, signal, onProgress: () => {} })

async function small(): Promise<string> {
  return (await backupTo(await scratch(), goldenSource())).path
}

async function archived(bag: string, format: 'tar.gz' | 'tar.zst' | 'zip'): Promise<string> {
  const out = `${bag}.${format}`
  return (await writeArchive({ bag, out, format, encrypter: null, signal, onFile: () => {} })).path
}

describe('collab-export backup --archive', () => {
  test('writes the backup and beside it one file, that only the holder of the key can verify', async () => {
    const sandbox = await startSandbox({ projects: 1, tasks: 2, archived: 2, pages: 4, posts: 2, events: 1 })
    onTestFinished(() => sandbox.close())
    const out = await scratch()
    const identity = await generateIdentity()
    const key = join(await scratch(), 'key.txt')
    await writeFile(key, `# public key: ${await identityToRecipient(identity)}\n${identity}\n`)
    const args = ['backup', '--out', out, '--archive', 'tar.zst', '--encrypt', await identityToRecipient(identity)]
    const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
    const { code, stdout, stderr } = await run('collab-export', [...args, '--json'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { name, archive } = JSON.parse(stdout)
    expect(archive).toMatchObject({ archive: join(out, `${name}.tar.zst.age`), encrypted: true, format: 'tar.zst' })
    expect((await readdir(out)).sort()).toEqual(['.collab-export', name, basename(archive.archive), 'latest'].sort())
    const opened = await run('collab-export', ['verify', archive.archive, '--identity', key])
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Intact: .*every byte/) })
    await expect(verified(archive.archive)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/--identity/),
    })
  })

  test('is refused before anything is written where the flags do not fit together', async () => {
    const plan = (format: string | undefined, encrypt: string[] | undefined) =>
      planArchive('--archive', format, { encrypt })
    const folder = plan(undefined, ['age1abc'])
    await expect(folder).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/give --archive tar\.gz/),
    })
    const unknown = plan('rar', undefined)
    await expect(unknown).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/one of tar\.gz, tar\.zst/),
    })
    expect(await plan(undefined, undefined)).toBe(null)
  })
})

describe('collab-export archive', () => {
  test('says what it wrote and how that is opened', async () => {
    const bag = await small()
    const { code, stdout } = await run('collab-export', ['archive', dirname(bag), '--as', 'tar.gz'])
    expect(code).toBe(0)
    expect(stdout).toContain(`tar -xzf ${bag}.tar.gz`)
  })

  test.runIf(hasTool('age') && hasTool('zstd') && hasTool('unzip')).each([
    ['tar.gz', false],
    ['tar.zst', true],
    ['zip', true],
  ] as const)('prints the command that opens it: %s, encrypted: %s', async (format, isEncrypted) => {
    const bag = await small()
    const folder = await scratch()
    const identity = await generateIdentity()
    await writeFile(join(folder, 'key.txt'), `${identity}\n`)
    const encrypt = isEncrypted ? ['--encrypt', await identityToRecipient(identity)] : []
    const out = join(await scratch(), `it's here.${format}${isEncrypted ? '.age' : ''}`)
    const { stdout } = await run('collab-export', ['archive', bag, '--as', format, '--out', out, ...encrypt, '--json'])
    const { open } = JSON.parse(stdout)
    await shell(folder, open)
    expect(await filesOf(join(folder, basename(bag)))).toEqual(await filesOf(bag))
  })

  testThoroughly('killed half-way leaves no archive, and the next one removes what it left', async () => {
    // Random letters: they take their time to be compressed.
    const content = randomBytes(12_000_000).toString('base64')
    const pages = Array.from({ length: 3 }, (_, index) => pageRow('P1', `${index}`, 'Large', { content }))
    const source = handMadeSource({ tables: { projects: [projectRow('P1', 'P')], pages } })
    const { path: bag } = await backupTo(await scratch(), source)
    const directory = dirname(bag)
    const abandoned = async () => (await readdir(directory)).filter((name) => name.startsWith('.collab-export-'))
    const { signal: died } = await run('collab-export', ['archive', bag, '--as', 'tar.gz'], {
      onStart: (command) => void killOnceItWrites(command, directory),
    })
    expect(died).toBe('SIGKILL')
    expect(await abandoned()).toHaveLength(1)
    expect(await readdir(directory)).not.toContain(`${basename(bag)}.tar.gz`)
    await archived(bag, 'tar.zst')
    expect(await abandoned()).toEqual([])
  })
})

async function killOnceItWrites(command: Started, directory: string): Promise<void> {
  for (;;) {
    await sleep(5)
    const own = (await readdir(directory)).find((name) => name.startsWith('.collab-export-'))
    const written = own && (await stat(join(directory, own, 'archive')).catch(() => null))
    if (written && written.size > 0) break
  }
  command.kill('SIGKILL')
}

describe('an archive is verified without being unpacked:', () => {
  test('whose files are not those of its manifest', async () => {
    const bag = await small()
    const folder = await scratch()
    await shell(
      folder,
      `cp -r '${bag}' bag && rm bag/data/csv/posts.csv && echo x > bag/data/more && echo x >> bag/data/csv/pages.csv`,
    )
    await shell(folder, 'cd bag && tar -czf ../x.tar.gz --transform s,^,bag/, bag*.txt manifest* tag* payload* data')
    expect((await verified(join(folder, 'x.tar.gz'))).damage.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'changed data/csv/pages.csv',
      'missing data/csv/posts.csv',
      'extra data/more',
    ])
  })
})
