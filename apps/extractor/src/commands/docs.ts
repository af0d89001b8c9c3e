import { defineCommand, EXIT, terminalText } from '@collab-etl/cli'
import { areasOf } from '../docs/areas.ts'
import { dataDictionary } from '../docs/dictionary.ts'
import { areaDiagram, entityDiagram } from '../docs/erd.ts'
import { saveFiles } from '../save-files.ts'
import { connectWarehouse } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const docs = defineCommand({
  ...SUMMARIES.docs,
  examples: [
    ['docs | less', 'Markdown that contains the diagrams (Mermaid)'],
    ['docs --out docs/warehouse', 'as data-dictionary.md, erd.mmd and a diagram for each area'],
    ['docs --json', 'for scripts: {"schema", "version", "objects", "relations", "diagram", …}'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  writes the dictionary and the diagrams there as files, not to stdout' },
  },
  settings: ['warehouse'],
  async run({ settings, stdout, json }, { out }) {
    await using warehouse = await connectWarehouse(settings)
    const description = await warehouse.admin.describe()
    const diagram = entityDiagram(description)
    const diagrams = areasOf(description).map((area) => ({
      name: area.name,
      title: area.title,
      text: areaDiagram(area),
    }))
    const dictionary = dataDictionary(description, diagrams)
    const files =
      out === undefined
        ? []
        : await saveFiles(out, {
            'data-dictionary.md': dictionary,
            'erd.mmd': diagram,
            ...Object.fromEntries(diagrams.map(({ name, text }) => [`erd-${name}.mmd`, text])),
          })
    stdout.document({ ...description, diagram, diagrams, files })
    if (out === undefined && !json) await stdout.write(terminalText(stdout, dictionary))
    for (const file of files) stdout.line(`Wrote ${file}`)
    return EXIT.ok
  },
})
