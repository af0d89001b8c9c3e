import type { Random } from '../store/random.ts'
import { type LinkTarget, markdownLink } from './links.ts'
import type { Language } from './texts/language.ts'

const CODE = [
  '```sh\npnpm install\npnpm test -- --watch\n```',
  '```sql\nselect owner, count(*) as "open"\nfrom tasks\nwhere not completed and expire_date < now()\ngroup by 1;\n```',
  '~~~ts\n// In code, [this](/project/PID/page/PAGE_ID) is no link.\nexport const half = (n: number): number => n / 2\n~~~',
  '```json\n{ "name": "Überblick", "tags": ["a", "b"], "done": false }\n```',
]

const TABLES = [
  '| | Q1 | Q2 |\n|---|---:|---:|\n| Visits | 12,400 | 15,020 |\n| Orders | 310 | 402 |',
  '| Name | Status | 备注 |\n|:--|:-:|:--|\n| API | ✅ | – |\n| Web | 🚧 | `v2` \\| beta |',
]

/** A Markdown document with these links. Sometimes it is empty or has Windows line endings. */
export function markdown(random: Random, language: Language, from: string, links: readonly LinkTarget[]): string {
  if (links.length === 0 && random.chance(0.05)) return ''
  const blocks = [`# ${random.pick(language.headings)}`, paragraph(random, language)]
  for (let section = random.int(1, 4); section > 0; section--) blocks.push(...block(random, language))
  for (const link of links) blocks.splice(random.int(1, blocks.length), 0, markdownLink(random, language, from, link))
  const text = blocks.join('\n\n') + (random.chance(0.7) ? '\n' : '')
  return random.chance(0.06) ? text.replaceAll('\n', '\r\n') : text
}

export function sentences(random: Random, language: Language, most: number): string {
  return Array.from({ length: random.int(1, most) }, () => random.pick(language.sentences)).join(' ')
}

function paragraph(random: Random, language: Language): string {
  return sentences(random, language, 3)
}

function block(random: Random, language: Language): string[] {
  const items = () => random.some(language.sentences, random.int(2, 4))
  switch (random.int(0, 6)) {
    case 0:
      return [
        items()
          .map((item) => `- ${item}`)
          .join('\n'),
      ]
    case 1:
      return [
        items()
          .map((item, index) => `- [${index % 2 ? ' ' : 'x'}] ${item}`)
          .join('\n'),
      ]
    case 2:
      return [
        items()
          .map((item, index) => `${index + 1}. ${item}`)
          .join('\n'),
      ]
    case 3:
      return [random.pick(CODE)]
    case 4:
      return [random.pick(TABLES)]
    case 5:
      return [
        items()
          .map((item) => `> ${item}`)
          .join('\n>\n'),
      ]
    default:
      return [`## ${random.pick(language.headings)}`, paragraph(random, language)]
  }
}
