import { join } from 'node:path'
import type { Bench, BenchContext, Measured } from '../bench.ts'
import { documentWarehouse } from '../documents/document-warehouse.ts'
import { chineseWordOf, wordOf } from '../documents/markdown.ts'
import { backup } from '../measured/exports.ts'
import { SiteSearch } from '../measured/site-search.ts'
import { median } from '../report.ts'

const NAME = 'search-html'

/** Different words of the texts for each page: few are common, most are rare. */
const WORDS_PER_PAGE = 3

/** Questions by the names of their times in the results. No word of the texts has the letters q, x and z. */
function questionsOf(vocabulary: number): Readonly<Record<string, string>> {
  const [common, second, rare] = [wordOf(0), wordOf(1), wordOf(Math.floor(vocabulary * 0.98))]
  return {
    letterMs: common.slice(0, 1),
    beginningMs: common.slice(0, 3),
    rareMs: rare,
    commonMs: common,
    twoCommonMs: `${common} ${second}`,
    commonAndRareMs: `${common} ${rare}`,
    chineseMs: chineseWordOf(0),
    mixedMs: `${common} ${chineseWordOf(0)}`,
    swappedMs: `${rare[0]}${rare[2]}${rare[1]}${rare.slice(3)}`,
    absentMs: 'quxyzzw',
  }
}

/** No file that the search loads is larger. */
const MAX_FILE_BYTES = 5_000_000

/** Searches a large site in Chromium. One site is written for all runs. */
export const searchHtml: Bench = {
  figures: [
    {
      name: NAME,
      what: 'slowest of 10 questions to an HTML site of 20,000 pages and 100,000 tasks, and opening it',
      unit: 's',
      limit: { atMost: 1 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const { runs, sizes, say } = context
    const questions = questionsOf(sizes.pages * WORDS_PER_PAGE)
    const site = await writeSite(context)
    await using search = await SiteSearch.open(site)
    const largestFile = await search.largestFile()
    if (largestFile > MAX_FILE_BYTES) throw new Error(`a file of the search index has ${largestFile} bytes`)
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}: ${Object.keys(questions).length} questions`)
      yield await asked(search, questions, largestFile)
    }
  },
}

/** Asks each question in a new tab, from the index of the site: in all projects. */
async function asked(
  search: SiteSearch,
  questions: Readonly<Record<string, string>>,
  largestFile: number,
): Promise<Measured> {
  const times: Record<string, number> = {}
  const opened: number[] = []
  let loadedMB = 0
  for (const [name, question] of Object.entries(questions)) {
    const answer = await search.ask('index.html', question)
    if (/Nothing/.test(answer.results) !== (name === 'absentMs'))
      throw new Error(`the search for “${question}” ended with: ${answer.results}`)
    times[name] = answer.resultsMs
    opened.push(answer.openMs)
    loadedMB = Math.max(loadedMB, answer.loadedMB)
  }
  times['openMs'] = median(opened)
  const value = Math.max(...Object.values(times)) / 1000
  return { figure: NAME, value, parts: { ...times, loadedMB, largestFileKB: largestFile / 1000 } }
}

/** @returns the directory of the site */
async function writeSite(context: BenchContext): Promise<string> {
  const { scratch, sizes, say } = context
  const { pages, posts, tasks } = sizes
  const world = { pages, posts, tasks, vocabulary: pages * WORDS_PER_PAGE }
  await using warehouse = await documentWarehouse(context, NAME, world)
  say(`${NAME}: writing the site`)
  const { path } = await backup(join(scratch, NAME), { warehouse, format: 'html' })
  return join(path, 'data/html')
}
