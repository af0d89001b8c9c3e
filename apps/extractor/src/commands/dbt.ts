import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { ifExists } from '@collab-etl/lock'
import { dbtPackage, GENERATED } from '../dbt/package.ts'
import { saveFiles } from '../save-files.ts'
import { connectWarehouse } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const dbt = defineCommand({
  ...SUMMARIES.dbt,
  examples: [
    ['dbt --out analytics/packages/collab_etl', 'to be named under `packages:` of a dbt project, as `local:`'],
    ['dbt --out collab_etl --json', 'for scripts: {"schema", "version", "files"}'],
  ],
  options: {
    out: { type: 'string', demandOption: true, describe: 'DIR  directory of the package; made if it does not exist' },
  },
  settings: ['warehouse'],
  async run({ settings, stdout }, { out }) {
    await using warehouse = await connectWarehouse(settings)
    const description = await warehouse.admin.describe()
    const texts = dbtPackage(description)
    await refuseForeign(out, Object.keys(texts))
    const files = await saveFiles(out, texts, { parents: true })
    const { schema, version } = description
    stdout.document({ schema, version, files })
    stdout.line(`Wrote the dbt package collab_etl (${files.length} files) to ${out}`)
    return EXIT.ok
  },
})

/** @throws UsageError if one of the files exists and this command did not write it */
async function refuseForeign(directory: string, names: readonly string[]): Promise<void> {
  for (const path of names.map((name) => join(directory, name))) {
    const before = await ifExists(readFile(path, 'utf8'))
    if (before === null || before.slice(0, 100).includes(GENERATED)) continue
    throw new UsageError(`--out ${directory}: ${path} was not written by this command; choose another directory`)
  }
}
