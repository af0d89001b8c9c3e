import { defineCommand, EXIT, terminalText } from '@collab-etl/cli'
import { connectWarehouse } from '../connect/warehouse.ts'
import { dataDictionary } from '../docs/dictionary.ts'
import { entityDiagram } from '../docs/erd.ts'
import { saveFiles } from '../docs/save.ts'

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
