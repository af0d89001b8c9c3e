import { defineCommand, EXIT, terminalText } from '@collab-etl/cli'
import { areasOf } from '../docs/areas.ts'
import { dataDictionary } from '../docs/dictionary.ts'
import { areaDiagram, entityDiagram } from '../docs/erd.ts'
import { dictionaryPage } from '../docs/page.ts'
import { saveFiles } from '../save-files.ts'
import { connectWarehouse } from '../warehouse.ts'

export const docs = defineCommand({
  command: 'docs',
  describe: 'writes the data dictionary and entity-relationship diagrams, from the comments in the database',
  examples: [
    ['docs | less', 'Markdown that contains the diagrams (Mermaid)'],
    ['docs --out docs/warehouse', 'as data-dictionary.md, erd.mmd and a diagram for each area'],
    ['docs --format html > dictionary.html', 'one HTML page, with links'],
    ['docs --json', 'for scripts: {"schema", "version", "objects", "relations", "diagram", …}'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  writes the dictionary and the diagrams there as files, not to stdout' },
    format: {
      choices: ['markdown', 'html'] as const,
      default: 'markdown' as const,
      describe: 'form of the dictionary: data-dictionary.md or .html',
    },
  },
  settings: ['warehouse'],
  async run({ settings, stdout, json }, { out, format }) {
    const warehouse = await connectWarehouse(settings)
    try {
      const description = await warehouse.describe()
      const diagram = entityDiagram(description)
      const areas = areasOf(description).map((area) => ({ ...area, text: areaDiagram(area) }))
      const isHtml = format === 'html'
      const dictionary = isHtml ? dictionaryPage(description, areas) : dataDictionary(description, areas)
      const diagrams = areas.map(({ name, title, text }) => ({ name, title, text }))
      const files =
        out === undefined
          ? []
          : await saveFiles(out, {
              [isHtml ? 'data-dictionary.html' : 'data-dictionary.md']: dictionary,
              'erd.mmd': diagram,
              ...Object.fromEntries(diagrams.map(({ name, text }) => [`erd-${name}.mmd`, text])),
            })
      stdout.document({ ...description, diagram, diagrams, files })
      if (out === undefined && !json) await stdout.write(terminalText(stdout, dictionary))
      for (const file of files) stdout.line(`Wrote ${file}`)
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})
