import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

// Lower bound of a backup in which nothing changed: links of the same files, in a plain loop of one thread that checks nothing.
// `node link-files.ts BACKUP FOLDER` prints the milliseconds of making directories and links.

const [backup = '', folder = ''] = process.argv.slice(2)

const files = readdirSync(backup, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const begun = performance.now()
const made = new Set<string>()
for (const file of files) {
  const target = join(folder, relative(backup, file))
  const parent = dirname(target)
  if (!made.has(parent)) {
    mkdirSync(parent, { recursive: true })
    made.add(parent)
  }
  linkSync(file, target)
}
process.stdout.write(JSON.stringify(performance.now() - begun))
