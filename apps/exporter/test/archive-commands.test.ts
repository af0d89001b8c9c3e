import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, type Started } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { startSandbox } from '@collab-etl/sandbox'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, onTestFinished, test } from 'vitest'
import { planArchive } from '../src/commands/archive-flags.ts'
import { decrypterFor, encrypterFor, verifyArchive, writeArchive } from './archives.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { handMadeSource, pageRow, projectRow } from './rows.ts'
import { shell } from './tools.ts'

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
    expect((await readdir(out)).sort()).toEqual([name, basename(archive.archive), 'latest'].sort())
    const opened = await run('collab-export', ['verify', archive.archive, '--identity', key])
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Whole: .*every byte/) })
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

  test('killed half-way leaves no archive, and the next one removes what it left', async () => {
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
  test.each(['tar.gz', 'tar.zst', 'zip'] as const)(
    '%s, whole, cut short anywhere, with a bit flipped',
    async (format) => {
      const path = await archived(await small(), format)
      expect(await verified(path)).toMatchObject({ damage: [] })
      const bytes = await readFile(path)
      const places = [0.2, 0.5, 0.9].map((share) => Math.floor(bytes.length * share))
      // Of a zip, dates and other notes on its files mean nothing to their bytes; the manifest's do.
      const inManifest = bytes.indexOf('manifest-sha256.txt') + 100
      for (const place of format === 'zip' ? [inManifest] : places) {
        const flipped = Buffer.from(bytes)
        flipped[place] = (flipped[place] ?? 0) ^ 1
        await writeFile(path, flipped)
        expect((await verified(path)).damage, `a bit at ${place}`).not.toEqual([])
      }
      for (const place of places) {
        await writeFile(path, bytes.subarray(0, place))
        expect((await verified(path)).damage, `cut at ${place}`).not.toEqual([])
      }
    },
  )

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

  // deriving a key from a passphrase is slow by design; the tests of archives open one with its passphrase
  testThoroughly('a wrong passphrase is reported as one', async () => {
    const bag = await small()
    const [right, wrong] = [join(bag, '../right'), join(bag, '../wrong')]
    await writeFile(right, 'correct horse')
    await writeFile(wrong, 'battery staple')
    const encrypter = await encrypterFor({ recipients: undefined, passphraseFile: right })
    const out = `${bag}.tar.gz.age`
    await writeArchive({ bag, out, format: 'tar.gz', encrypter, signal, onFile: () => {} })
    const decrypter = await decrypterFor({ identityFile: undefined, passphraseFile: wrong })
    const opening = verifyArchive(out, { decrypter, signal, onProgress: () => {} })
    await expect(opening).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/not encrypted for this key/),
    })
  })
})
