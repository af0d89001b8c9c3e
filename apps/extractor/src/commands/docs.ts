import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCommand, EXIT, terminalText, UsageError } from '@collab-etl/cli'
import { dataDictionary } from '../docs/dictionary.ts'
import { entityDiagram } from '../docs/erd.ts'
import { connectWarehouse } from '../warehouse.ts'

export const docs = defineCommand({
  command: 'docs',
  describe: 'writes the data dictionary and an entity-relationship diagram, from the comments in the database',
  examples: [
    ['docs | less', 'Markdown that contains the diagram (Mermaid)'],
    ['docs --out docs/warehouse', 'as data-dictionary.md and erd.mmd'],
    ['docs --json', 'for scripts: {"schema", "version", "objects", "relations", "diagram", …}'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  writes the files data-dictionary.md and erd.mmd there, not to stdout' },
  },
  settings: ['warehouse'],
  async run({ settings, stdout, json }, { out }) {
    const warehouse = await connectWarehouse(settings)
    try {
      const description = await warehouse.describe()
      const diagram = entityDiagram(description)
      const dictionary = dataDictionary(description, diagram)
      const files =
        out === undefined ? [] : await saveFiles(out, { 'data-dictionary.md': dictionary, 'erd.mmd': diagram })
      stdout.document({ ...description, diagram, files })
      if (out === undefined && !json) await stdout.write(terminalText(stdout, dictionary))
      for (const file of files) stdout.line(`Wrote ${file}`)
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})

/** Writes files into a directory, which is made if its parent is there; gives their paths. */
export async function saveFiles(directory: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    await makeDirectory(directory)
    const paths: string[] = []
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, name)
      await writeFile(path, text)
      paths.push(path)
    }
    return paths
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out ${directory} cannot be written to: ${reason}`, { cause: error })
  }
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory)
  } catch (error) {
    if (!(await stat(directory).catch(() => null))?.isDirectory()) throw error
  }
}
