import { fuzz } from '../../../test/fuzz/fuzz.ts'
import { TooMuchEffort } from '../src/markdown/effort.ts'
import { linksOfAllParts, linksOfParts, linksOfWhole } from './links-of-parts.ts'
import { CODE, CONTAINERS, DEFINITIONS, HTML, INLINE, LINES } from './markdown-cases.ts'

const matters = (text: string) => /\/[1-5]/.test(text)
const everything = () => true

fuzz({
  name: 'the links of Markdown in parts and in whole',
  inputs: 300,
  seeds: [CODE, CONTAINERS, HTML, DEFINITIONS, INLINE, LINES].flat().map(([, text]) => text),
  judge(input) {
    const text = input.toString('utf8')
    try {
      const whole = linksOfWhole(text, everything)
      same(linksOfAllParts(text), whole)
      same(linksOfParts(text, matters), linksOfWhole(text, matters))
      return whole.destinations.map(({ form }) => form).join(' ')
    } catch (error) {
      // What is blown up may be hostile.
      if (error instanceof TooMuchEffort) return error.name
      throw error
    }
  },
})

function same(ofParts: unknown, ofWhole: unknown): void {
  const [parts, whole] = [JSON.stringify(ofParts), JSON.stringify(ofWhole)]
  if (parts !== whole) throw new Error(`the parts have ${parts}, the whole has ${whole}`)
}
