import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { dbtPackage, GENERATED } from '../dbt/package.ts'
import { connectWarehouse } from '../warehouse.ts'

export const dbt = defineCommand({
  command: 'dbt',
  describe: 'writes a dbt package for the warehouse: a source with freshness, staging models, tests, documentation',
  examples: [
    ['dbt --out analytics/packages/collab_etl', 'to be named under `packages:` of a dbt project, as `local:`'],
    ['dbt --out collab_etl --json', 'for scripts: {"schema", "version", "files"}'],
  ],
  options: {
    out: { type: 'string', demandOption: true, describe: 'DIR  directory of the package; made if it does not exist' },
  },
  settings: ['warehouse'],
  async run({ settings, stdout }, { out }) {
    const warehouse = await connectWarehouse(settings)
    try {
      const description = await warehouse.describe()
      const files = await savePackage(out, dbtPackage(description))
      const { schema, version } = description
      stdout.document({ schema, version, files })
      stdout.line(`Wrote the dbt package collab_etl (${files.length} files) to ${out}`)
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})

/**
 * Writes the files of a package, and their directories.
 * @throws UsageError before anything is written if one of them is somebody else's
 */
async function savePackage(directory: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  const saved = Object.entries(files).map(([name, text]) => ({ path: join(directory, name), text }))
  for (const { path } of saved) {
    const before = await readFile(path, 'utf8').catch(() => null)
    if (before === null || before.slice(0, 100).includes(GENERATED)) continue
    throw new UsageError(`--out ${directory}: ${path} was not written by this command; choose another directory`)
  }
  try {
    for (const { path, text } of saved) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out ${directory} cannot be written to: ${reason}`, { cause: error })
  }
  return saved.map(({ path }) => path)
}
