import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyArchive, writeArchive } from './archives.ts'
import { writeTexts } from './bags.ts'
import { changed } from './hostile-archives.ts'
import { hasTool } from './tools.ts'

const { signal } = new AbortController()

let own: Awaited<ReturnType<typeof newScratch>>
let zip: Buffer

beforeAll(async () => {
  own = await newScratch()
  const bag = join(own.path, 'bag')
  await writeTexts(bag, {
    'page.md': 'A page of some length, of some length.\n',
    'é.md': '',
    'csv/pages.csv': 'a,b\r\n',
  })
  const out = join(own.path, 'bag.zip')
  await writeArchive({ bag, out, format: 'zip', encrypter: null, signal, onFile: () => {} })
  zip = await readFile(out)
})

afterAll(() => own.remove())

/** Where the headers of a member are: before its content, and in the list. */
interface Headers {
  readonly local: readonly [start: number, end: number]
  readonly central: readonly [start: number, end: number]
}

/** The members of a zip by name. */
function membersOf(bytes: Buffer): Map<string, Headers> {
  const end = bytes.length - 22
  const members = new Map<string, Headers>()
  for (let at = bytes.readUInt32LE(end + 16); at < end; ) {
    const [name, extra] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)]
    const local = bytes.readUInt32LE(at + 42)
    const next = at + 46 + name + extra
    members.set(bytes.toString('utf8', at + 46, at + 46 + name), {
      local: [local, local + 30 + name],
      central: [at, next],
    })
    at = next
  }
  return members
}

/** Changes of one bit: in any header of a folder, a file and an empty file, in both headers of a file at once, and in the end. */
function changesOf(bytes: Buffer): (readonly number[])[] {
  const bitsIn = ([start, end]: readonly [number, number]) =>
    Array.from({ length: (end - start) * 8 }, (_, bit) => start * 8 + bit)
  const members = membersOf(bytes)
  const changes: number[][] = bitsIn([bytes.length - 22, bytes.length]).map((bit) => [bit])
  for (const name of ['bag/data/', 'bag/data/page.md', 'bag/data/é.md']) {
    const { local, central } = members.get(name) ?? { local: [0, 0], central: [0, 0] }
    changes.push(...[...bitsIn(local), ...bitsIn(central)].map((bit) => [bit]))
    const [before, listed] = [local[0], central[0]]
    changes.push(...bitsIn([4, 26]).map((bit) => [before * 8 + bit, (listed + 2) * 8 + bit]))
    changes.push(
      ...bitsIn([0, local[1] - before - 30]).map((bit) => [(before + 30) * 8 + bit, (listed + 46) * 8 + bit]),
    )
  }
  return changes
}

async function isAccepted(bytes: Buffer): Promise<boolean> {
  const path = join(own.path, 'changed.zip')
  await writeFile(path, bytes)
  try {
    return (await verifyArchive(path, { decrypter: null, signal, onProgress: () => {} })).damage.length === 0
  } catch {
    return false // not recognised as an archive
  }
}

const PROGRAMS = { unzip: ['-qq', '-o'], bsdtar: ['-xf'] } as const

/** What a program unpacks: the content of each file and whether its owner may read it; `null` if it fails. */
async function unpacked(program: keyof typeof PROGRAMS, bytes: Buffer): Promise<string | null> {
  const folder = await scratch()
  const [path, into] = [join(folder, 'a.zip'), join(folder, 'out')]
  await mkdir(into)
  await writeFile(path, bytes)
  try {
    await promisify(execFile)(program, [...PROGRAMS[program], path], { cwd: into })
    const found: string[] = []
    for (const entry of await readdir(into, { recursive: true, withFileTypes: true })) {
      const name = join(entry.parentPath, entry.name)
      const { mode } = await stat(name)
      const needed = entry.isDirectory() ? 0o700 : 0o400
      const content = entry.isFile() ? await readFile(name, 'utf8') : 'folder'
      found.push(`${name.slice(into.length)}: ${content}${(mode & needed) === needed ? '' : ' (not for its owner)'}`)
    }
    return found.sort().join('\n')
  } catch {
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('whichever bit of the headers of a zip changed, if verify accepts it', () => {
  test.each(['unzip', 'bsdtar'] as const)(
    '%s unpacks the same files',
    { tags: 'thorough', timeout: 300_000 },
    async (program) => {
      if (!hasTool(program)) return
      const expected = await unpacked(program, zip)
      const wrong: string[] = []
      for (const [index, bits] of changesOf(zip).entries()) {
        if (index % times(31, 1) !== 0) continue
        const bytes = bits.reduce((before, bit) => changed(before, bit >> 3, 1 << (bit & 7)), zip)
        if (!(await isAccepted(bytes))) continue
        if ((await unpacked(program, bytes)) !== expected)
          wrong.push(bits.map((bit) => `byte ${bit >> 3}, bit ${bit & 7}`).join())
      }
      expect(expected).toContain('/bag/data/é.md')
      expect(wrong).toEqual([])
    },
  )
})
