import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { newScratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verify } from '../src/commands/verify.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'
import { inProcess } from './in-process.ts'

const TAG_MANIFEST = 'tagmanifest-sha256.txt'
const VOUCHING: readonly string[] = [TAG_MANIFEST, 'manifest-sha256.txt']

let directory: string
let remove: () => Promise<void>
/** A backup, and the next one, which shares its files. */
let bags: { first: string; second: string }
let paths: readonly string[]

beforeAll(async () => {
  ;({ path: directory, remove } = await newScratch())
  const first = await backupTo(directory, goldenSource())
  const second = await backupTo(directory, goldenSource())
  bags = { first: first.path, second: second.path }
  paths = [...(await filesOf(first.path)).keys()]
})

afterAll(async () => {
  await remove()
})

async function damageOf(bag: string): Promise<{ code: number; paths: string[] }> {
  const { code, document } = await inProcess(verify, { backup: bag })
  const damage = document['damage'] as { path: string }[] // as the document has it
  return { code, paths: damage.map(({ path }) => path) }
}

/** Runs a property for a file of either backup, after which both must be as they were. */
async function always<T>(
  arbitrary: fc.Arbitrary<T>,
  numRuns: number,
  property: (value: T, bag: string) => Promise<void>,
) {
  const which = fc.constantFrom('first', 'second')
  await fc.assert(
    fc.asyncProperty(arbitrary, which, (value, name) => property(value, bags[name as 'first'])), // one of the two
    { numRuns },
  )
  for (const bag of [bags.first, bags.second]) expect(await damageOf(bag)).toEqual({ code: 0, paths: [] })
}

const anyFile = fc.nat()
const pathOf = (number: number) => paths[number % paths.length] ?? ''

describe('verify ends with exit code 5 and names the path, in a backup as in the next one that shares its files', () => {
  test('of any one bit flipped in any file', { tags: 'thorough' }, async () => {
    const flip = fc.record({ file: anyFile, at: fc.nat(), bit: fc.nat({ max: 7 }) })
    await always(flip, times(15, 200), async ({ file, at, bit }, bag) => {
      const path = pathOf(file)
      const whole = await readFile(join(bag, path))
      if (whole.length === 0) return
      const flipped = Buffer.from(whole)
      flipped.writeUInt8(whole.readUInt8(at % whole.length) ^ (1 << bit), at % whole.length)
      await writeFile(join(bag, path), flipped)
      const found = await damageOf(bag)
      await writeFile(join(bag, path), whole)
      expect(found.code).toBe(5)
      // Nothing vouches for the tag manifest: a damaged line of it names whichever file it speaks of.
      if (path !== TAG_MANIFEST) expect(found.paths).toContain(path)
    })
  })

  test('of a shared file, in both', async () => {
    const path = join('data', 'csv', 'pages.csv')
    const whole = await readFile(join(bags.second, path))
    await writeFile(join(bags.second, path), 'x')
    const found = [await damageOf(bags.first), await damageOf(bags.second)]
    await writeFile(join(bags.second, path), whole)
    expect(found).toEqual([
      { code: 5, paths: [path] },
      { code: 5, paths: [path] },
    ])
  })

  test('of any file removed, and the other backup still has it', { tags: 'thorough' }, async () => {
    await always(anyFile, times(10, 40), async (file, bag) => {
      const path = pathOf(file)
      await rename(join(bag, path), join(directory, 'aside'))
      const other = bag === bags.first ? bags.second : bags.first
      const found = [await damageOf(bag), await damageOf(other)]
      await rename(join(directory, 'aside'), join(bag, path))
      expect(found).toEqual([
        { code: 5, paths: [path] },
        { code: 0, paths: [] },
      ])
    })
  })

  test('of any file added', { tags: 'thorough' }, async () => {
    const name = fc.stringMatching(/^[a-z文 .-]{1,20}$/).map((text) => `+${text}`)
    await always(fc.record({ file: anyFile, name }), times(10, 40), async ({ file, name: added }, bag) => {
      const path = join(dirname(pathOf(file)), added)
      await mkdir(dirname(join(bag, path)), { recursive: true })
      await writeFile(join(bag, path), '')
      const found = await damageOf(bag)
      await rm(join(bag, path))
      expect(found).toEqual({ code: 5, paths: [path] })
    })
  })

  test('of any two files swapped', { tags: 'thorough' }, async () => {
    await always(fc.tuple(anyFile, anyFile), times(6, 60), async ([left, right], bag) => {
      const [a, b] = [pathOf(left), pathOf(right)]
      const swap = async () => {
        await rename(join(bag, a), join(directory, 'aside'))
        await rename(join(bag, b), join(bag, a))
        await rename(join(directory, 'aside'), join(bag, b))
      }
      if (a === b || (await readFile(join(bag, a))).equals(await readFile(join(bag, b)))) return
      await swap()
      const found = await damageOf(bag)
      await swap()
      expect(found.code).toBe(5)
      // Without what vouches for the others, it alone is known to be wrong.
      const vouching = [a, b].filter((path) => VOUCHING.includes(path))
      if (vouching.length === 0) expect(found.paths).toEqual([a, b].sort(compareBytes))
      else expect(found.paths.some((path) => vouching.includes(path))).toBe(true)
    })
  })
})
