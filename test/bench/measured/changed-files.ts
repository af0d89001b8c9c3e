import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

// Lower bound of a backup in which some records changed: links of its linked files, and copies of the others, which are hashed, in a plain
// loop of one thread that reads no record and checks nothing. `node changed-files.ts BACKUP FOLDER` prints the milliseconds of directories and
// links, of copies, and of flushing to disk, and the size of the copies.

const CHUNK_BYTES = 256 * 1024

const [backup = '', folder = ''] = process.argv.slice(2)

const files = readdirSync(backup, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const isLinked = (file: string) => lstatSync(file).nlink > 1
const [linked, others] = [files.filter(isLinked), files.filter((file) => !isLinked(file))]
const made = new Set<string>()
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)

const begun = performance.now()
for (const file of linked) linkSync(file, targetOf(file))
const copying = performance.now()
let bytes = 0
for (const file of others) bytes += copy(file, targetOf(file))
const flushing = performance.now()
execFileSync('sync', ['--file-system', folder])
const ended = performance.now()
process.stdout.write(
  JSON.stringify({ linksMs: copying - begun, copiesMs: flushing - copying, flushMs: ended - flushing, bytes }),
)

/** The path of a file in the new folder, whose directory is made. */
function targetOf(file: string): string {
  const target = join(folder, relative(backup, file))
  const parent = dirname(target)
  if (!made.has(parent)) mkdirSync(parent, { recursive: true })
  made.add(parent)
  return target
}

/** @returns its bytes */
function copy(file: string, target: string): number {
  const [from, to] = [openSync(file, 'r'), openSync(target, 'wx')]
  const digest = createHash('sha256')
  let size = 0
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
    digest.update(buffer.subarray(0, read))
    for (let at = 0; at < read; ) at += writeSync(to, buffer, at, read - at)
    size += read
  }
  digest.digest()
  closeSync(from)
  closeSync(to)
  return size
}
