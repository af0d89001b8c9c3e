import { fuzz } from '../../../test/fuzz/fuzz.ts'
import { isWithinParseBudget } from '../src/markdown/parse-budget.ts'
import { readLinks } from '../src/markdown/read-links.ts'
import { CODE, CONTAINERS, DEFINITIONS, HTML, INLINE, LINES } from './markdown-cases.ts'

fuzz({
  name: 'the links of Markdown',
  inputs: 300,
  seeds: [CODE, CONTAINERS, HTML, DEFINITIONS, INLINE, LINES].flat().map(([, text]) => text),
  judge(input) {
    const text = input.toString('utf8')
    if (!isWithinParseBudget(text)) return 'beyond the parse budget'
    const { destinations } = readLinks(text)
    let end = 0
    for (const destination of destinations) {
      if (destination.start < end || destination.end > text.length)
        throw new Error(`spans overlap: ${JSON.stringify(destinations)}`)
      end = destination.end
    }
    return destinations.map(({ form }) => form).join(' ')
  },
})
