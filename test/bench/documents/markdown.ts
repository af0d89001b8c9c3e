import { randomFrom } from '@collab-etl/harness/random'

/** Number of blocks of each kind from which texts are composed. */
const BLOCKS = 400

const WORDS = (
  'the plan release team page owner review customer service database access role week quarter budget process server ' +
  'backup index table decision meeting open question answer draft version change request test result error log ' +
  'network queue worker region latency between after before because however which should will may not only first ' +
  'second every other new old small large shared internal public in on of for with from to and or a is are was'
).split(' ')
const CHINESE =
  '项目文档需要在每个季度结束之前由负责人检查并更新，如果发现问题请联系团队。会议记录保存在这里，方便大家查找。'

/** Of the texts of a vocabulary, and the different characters in them. */
export const CHINESE_SHARE = 0.1
const CHINESE_CHARACTERS = 3000

/** Typical Markdown: headings, paragraphs, lists, tables, code, quotes, external links. */
export class Texts {
  readonly #blocks = Array.from({ length: BLOCKS }, (_, number) => blockOf(number))
  readonly #vocabulary: number | undefined

  /** @param vocabulary number of different words of texts and titles; default: those of some blocks */
  constructor(vocabulary?: number) {
    this.#vocabulary = vocabulary
  }

  /** A text of about 2 to 6 KB with `links` in its paragraphs. */
  text(number: number, links: readonly string[]): string {
    const random = randomFrom(number)
    const wanted = 1700 + random() * 4000
    const parts = [`${heading(random)} ${number}`]
    let length = 0
    while (length < wanted) {
      const block = this.#block(random)
      parts.push(block)
      length += block.length
    }
    for (const link of links) {
      const place = 1 + Math.floor(random() * parts.length)
      parts.splice(
        place,
        0,
        `${sentence(random, 12)} See [${sentence(random, 3)}](${link}) and ${sentence(random, 8)}.`,
      )
    }
    return `${parts.join('\n\n')}\n`
  }

  #block(random: () => number): string {
    if (this.#vocabulary === undefined) return this.#blocks[Math.floor(random() * BLOCKS)] ?? ''
    if (random() < CHINESE_SHARE) return `${chinese(random, 60, this.#vocabulary)}。`
    return `${words(random, 60, this.#vocabulary)}.`
  }

  /** A comment, mostly one or two lines. */
  comment(number: number): string {
    const random = randomFrom(-number)
    const line = `${sentence(random, 4 + random() * 20)}.`
    return random() < 0.2 ? `${line}\n\n${this.#blocks[number % BLOCKS] ?? ''}` : line
  }

  title(number: number): string {
    const random = randomFrom(number * 31 + 7)
    if (this.#vocabulary !== undefined) return words(random, 2 + random() * 5, this.#vocabulary)
    return random() < 0.15 ? CHINESE.slice(Math.floor(random() * 20), 24) : sentence(random, 2 + random() * 5)
  }
}

function blockOf(number: number): string {
  const random = randomFrom(number + 1_000_000)
  const many = <T>(least: number, most: number, make: (index: number) => T) =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, (_, index) => make(index))
  switch (number % 10) {
    case 0:
      return heading(random)
    case 1:
      return many(3, 8, () => `- ${sentence(random, 10)}${random() < 0.2 ? ' **by Friday**' : ''}`).join('\n')
    case 2:
      return many(3, 6, (index) => `${index + 1}. ${sentence(random, 12)} \`${sentence(random, 1)}\``).join('\n')
    case 3: {
      const row = () => `| ${sentence(random, 2)} | ${sentence(random, 4)} | ${Math.floor(random() * 1000)} |`
      return ['| name | what | count |', '| --- | --- | ---: |', ...many(3, 9, row)].join('\n')
    }
    case 4:
      return [
        '```sh',
        ...many(3, 10, () => `psql -c "SELECT count(*) FROM ${sentence(random, 1)}" # 第一步`),
        '```',
      ].join('\n')
    case 5:
      return `> ${sentence(random, 25)}`
    case 6:
      return `${CHINESE.slice(Math.floor(random() * 12))}${CHINESE}`
    case 7:
      return `${sentence(random, 20)} ([source](https://example.org/${sentence(random, 1)}?page=${number})), ${sentence(random, 20)}.`
    default:
      return many(2, 4, () => `${sentence(random, 18)}, _${sentence(random, 2)}_ ${sentence(random, 9)}.`).join('\n')
  }
}

/** Words of a vocabulary of so many, of which the first ones are common. */
export function words(random: () => number, count: number, vocabulary: number): string {
  const rank = () => Math.floor(vocabulary ** random()) - 1
  return Array.from({ length: Math.ceil(count) }, () => wordOf(rank())).join(' ')
}

/** The same in Chinese: words of two characters, with no spaces between them. */
export function chinese(random: () => number, count: number, vocabulary: number): string {
  return Array.from({ length: Math.ceil(count) }, () => chineseWordOf(Math.floor(vocabulary ** random()) - 1)).join('')
}

export function chineseWordOf(rank: number): string {
  const character = (number: number) => String.fromCodePoint(0x4e00 + (number % CHINESE_CHARACTERS) * 5)
  return character(rank * 7919) + character(rank * 31 + 17)
}

/** The word of a rank in every vocabulary, made of syllables. */
export function wordOf(rank: number): string {
  const syllable = (number: number) => `${'bdfgklmnprst'[Math.floor(number / 5) % 12]}${'aeiou'[number % 5]}`
  // Scattered, so that neighbours in rank are none in the alphabet.
  let rest = (rank * 7919) % 216_000
  let word = ''
  for (let part = 0; part < 3; part++) {
    word += syllable(rest % 60)
    rest = Math.floor(rest / 60)
  }
  return word
}

function heading(random: () => number): string {
  return `${'#'.repeat(1 + Math.floor(random() * 3))} ${sentence(random, 4)}`
}

function sentence(random: () => number, words: number): string {
  return Array.from({ length: Math.ceil(words) }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '').join(' ')
}
