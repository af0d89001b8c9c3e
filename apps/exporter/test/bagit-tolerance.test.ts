import { hash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BackupReader } from '@collab-etl/backups/read'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { archive } from '../src/commands/archive.ts'
import { verify } from '../src/commands/verify.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { inProcess } from './in-process.ts'
import { hasTool, shell } from './tools.ts'

const MANIFEST = 'manifest-sha256.txt'
const TAG_MANIFEST = 'tagmanifest-sha256.txt'

async function newBackup(): Promise<string> {
  return (await backupTo(await scratch(), goldenSource())).path
}

/** Changes the lines of both manifests, as another program that updates a bag does. */
async function rewritten(bag: string, change: (line: string) => string): Promise<void> {
  const text = async (name: string) => await readFile(join(bag, name), 'utf8')
  const lines = (of: string) => of.replace(/^.+$/gm, change)
  const before = await text(MANIFEST)
  const after = lines(before)
  await writeFile(join(bag, MANIFEST), after)
  const tags = (await text(TAG_MANIFEST)).replace(hash('sha256', before), hash('sha256', after))
  await writeFile(join(bag, TAG_MANIFEST), lines(tags))
}

const damageOf = async (backup: string) => {
  const { code, document } = await inProcess(verify, { backup })
  return { code, damage: document['damage'] as { path: string; detail: string | null }[] } // as the document has it
}

describe('a manifest of another program', () => {
  test.each([
    ['one space', ' '],
    ['a tab', '\t'],
    ['several spaces and tabs', ' \t  '],
    ['an asterisk', ' *'],
    ['./ before the path', '  ./'],
    ['an asterisk and ./', ' *./'],
  ])('with %s is read by verify, archive and all readers of backups', async (_what, between) => {
    const bag = await newBackup()
    await rewritten(bag, (line) => line.replace(/ {2}/, between))
    expect(await damageOf(bag)).toEqual({ code: 0, damage: [] })
    const opened = await BackupReader.open(bag)
    expect(await opened.csvFile('pages')).not.toBeNull()
    const out = join(await scratch(), 'backup.tar.gz')
    expect(await inProcess(archive, { backup: bag, as: 'tar.gz', out })).toMatchObject({ code: 0 })
    expect(await damageOf(out)).toEqual({ code: 0, damage: [] })
  })

  test.each([
    ['names a file in two ways', (line: string) => `${line}\n${line.replace('  ', ' *./')}`],
    ['leads upwards behind ./', (line: string) => line.replace('  ', '  ./../')],
    ['is absolute behind ./', (line: string) => line.replace('  ', '  .//')],
    ['has ./ twice', (line: string) => line.replace('  ', '  ././')],
    ['has nothing between digest and path', (line: string) => line.replace('  ', '')],
  ])('that %s is malformed', async (_what, change) => {
    const bag = await newBackup()
    await rewritten(bag, change)
    const { code, damage } = await damageOf(bag)
    expect(code).toBe(5)
    expect(damage).toContainEqual(expect.objectContaining({ kind: 'malformed', path: MANIFEST }))
  })
})

describe('a valid bag that is no backup', () => {
  /** As the Python library of the Library of Congress makes it. */
  async function foreignBag(): Promise<string> {
    const bag = join(await scratch(), 'photos')
    await mkdir(join(bag, 'data'), { recursive: true })
    const files = {
      'data/a.txt': 'a\n',
      'bagit.txt': 'BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n',
      'bag-info.txt': 'Bag-Software-Agent: bagit.py\nPayload-Oxum: 2.1\n',
      'manifest-sha512.txt': `${hash('sha512', 'a\n')}  data/a.txt\n`,
      'manifest-sha256.txt': `${hash('sha256', 'a\n')}  data/a.txt\n`,
    }
    for (const [path, text] of Object.entries(files)) await writeFile(join(bag, path), text)
    return bag
  }

  test('is named as such by verify, archive, view and diff, with exit code 2', async () => {
    const bag = await foreignBag()
    for (const args of [
      ['verify', bag],
      ['archive', bag, '--as', 'zip'],
      ['view', bag],
      ['diff', bag, bag],
    ]) {
      const ran = await run('collab-export', args)
      expect(ran, args[0]).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(/is a bag, but not a backup/)
    }
  })

  test.each(['tar --format=posix -czf', 'bsdtar --format zip -cf'])(
    'is named as such in an archive of %s',
    async (command) => {
      if (!hasTool('bsdtar')) return
      const bag = await foreignBag()
      const out = join(await scratch(), 'archive')
      await shell(dirname(bag), `${command} ${out} ${basename(bag)}`)
      const ran = await run('collab-export', ['verify', out])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(/holds a bag, but not a backup/)
    },
  )
})

describe('a file whose name is in another Unicode form', () => {
  const PAGE = 'data/markdown/zażółć-Größe.md'

  async function withPage(form: 'NFC' | 'NFD'): Promise<string> {
    const bag = await newBackup()
    const [, page = ''] =
      /^\S+ {2}(data\/markdown\/.*\/pages\/.*)$/m.exec(await readFile(join(bag, MANIFEST), 'utf8')) ?? []
    await rename(join(bag, page), join(bag, PAGE.normalize(form)))
    const sizes = join(bag, 'payload-sizes.txt')
    const before = await readFile(sizes, 'utf8')
    const after = before.replace(page, PAGE)
    await writeFile(sizes, after)
    const tags = await readFile(join(bag, TAG_MANIFEST), 'utf8')
    await writeFile(join(bag, TAG_MANIFEST), tags.replace(hash('sha256', before), hash('sha256', after)))
    await rewritten(bag, (line) => line.replace(page, PAGE))
    return bag
  }

  test('is named as such, once, in a backup and in an archive of tar', async () => {
    expect(await damageOf(await withPage('NFC'))).toEqual({ code: 0, damage: [] })
    const bag = await withPage('NFD')
    const detail = 'its name is there in another Unicode form (NFD)'
    const found = { code: 5, damage: [{ kind: 'missing', path: PAGE, detail }] }
    expect(await damageOf(bag)).toEqual(found)
    const tar = join(await scratch(), 'backup.tar.gz')
    const root = basename(bag)
    await shell(dirname(bag), `tar --format=posix -czf ${tar} ${root}/*.txt ${root}/data`)
    expect(await damageOf(tar)).toEqual(found)
  })
})

test('a posix tar with long names beyond ASCII, of a user with a large id, is whole', async () => {
  if (!hasTool('tar')) return
  const bag = await newBackup()
  const [, page = ''] =
    /^\S+ {2}(data\/markdown\/.*\/pages\/.*)$/m.exec(await readFile(join(bag, MANIFEST), 'utf8')) ?? []
  // At any length of the path, one of them is cut off within a character.
  const names = [1, 2, 3].map((length) => `data/${'a'.repeat(length)}${'文'.repeat(60)}.md`)
  const content = await readFile(join(bag, page))
  for (const name of names) await writeFile(join(bag, name), content)
  await rewritten(bag, (line) => {
    if (!line.endsWith(page)) return line
    return [line, ...names.map((name) => line.replace(page, name))].join('\n')
  })
  const tar = join(await scratch(), 'backup.tar.gz')
  const root = basename(bag)
  await shell(
    dirname(bag),
    `tar --format=posix --owner=ada:4000000000 --group=Größe:4000000000 -czf ${tar} ${root}/*.txt ${root}/data`,
  )
  expect(await damageOf(tar)).toEqual({ code: 0, damage: [] })
})
