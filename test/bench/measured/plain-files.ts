import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

// Lower bound of a backup: the same bytes, held in memory, hashed and written to the same files in a plain loop.
// `node plain-files.ts BACKUP FOLDER one|eight` prints the milliseconds of writing: one file at a time without yielding,
// the fastest way for one thread, or eight in parallel; and the milliseconds of flushing them to disk.

const AT_ONCE = 8

interface PlainFile {
  readonly path: string
  readonly bytes: Buffer
}

const [backup = '', folder = '', way = ''] = process.argv.slice(2)

const files = filesOf(backup)
const begun = performance.now()
if (way === 'one') oneByOne()
else await several()
const written = performance.now()
execFileSync('sync', ['--file-system', folder])
const flushed = performance.now()
process.stdout.write(JSON.stringify({ ms: written - begun, flushMs: flushed - written }))

function filesOf(bag: string): PlainFile[] {
  return readdirSync(bag, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: join(folder, relative(bag, path)), bytes: readFileSync(path) }))
}

function oneByOne(): void {
  const made = new Set<string>()
  for (const { path, bytes } of files) {
    hash('sha256', bytes)
    const parent = dirname(path)
    if (!made.has(parent)) {
      mkdirSync(parent, { recursive: true })
      made.add(parent)
    }
    writeFileSync(path, bytes)
  }
}

async function several(): Promise<void> {
  const made = new Set<string>()
  const queue = files.values()
  const write = async () => {
    for (const { path, bytes } of queue) {
      hash('sha256', bytes)
      const parent = dirname(path)
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true })
        made.add(parent)
      }
      await writeFile(path, bytes)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
}
