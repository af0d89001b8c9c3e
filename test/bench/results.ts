import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from './bench.ts'
import { BENCHES } from './benches/index.ts'
import { cellsOf, type Result } from './report.ts'

/** The results that `docs/dev/benches.md` shows. */
export const REFERENCE = join(import.meta.dirname, 'results.json')

/** Results of trials: other sizes than the full ones, or with profiles. */
export const TRIAL = join(import.meta.dirname, 'results-trial.json')

/** The page that shows the results of `REFERENCE`. */
export const PAGE = join(import.meta.dirname, '../../docs/dev/benches.md')

/** Where and when figures were measured. */
export interface Environment {
  readonly machine: { readonly processor: string | undefined; readonly cores: number; readonly node: string }
  /** Load of the machine before the run; above the number of cores, other programs were running. */
  readonly loadBefore: number | undefined
  readonly postgres: { readonly kind: string; readonly settings: Readonly<Record<string, string>> } | null
}

/** A file of results. */
export interface Results {
  /** By the start of the measurements, in ISO 8601. */
  readonly environments: Readonly<Record<string, Environment>>
  readonly results: readonly (Result & { readonly environment: string })[]
}

/** All figures, in the order of the table. */
export const FIGURES: readonly Figure[] = BENCHES.flatMap(({ figures }) => figures)

export async function readResults(file: string): Promise<Results> {
  return JSON.parse(await readFile(file, 'utf8')) as Results // written by `writeResults`
}

export async function writeResults(file: string, results: Results): Promise<void> {
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** Results with newer ones in place of those of the same figures, in the order of the benches. */
export function merged(older: Results, newer: readonly Result[], at: string, environment: Environment): Results {
  const names = new Set(newer.map(({ name }) => name))
  const all = [
    ...older.results.filter(({ name }) => !names.has(name)),
    ...newer.map((result) => ({ ...result, environment: at })),
  ]
  const results = FIGURES.flatMap(({ name }) => all.filter((result) => result.name === name))
  const environments = { ...older.environments, [at]: environment }
  const used = new Set(results.map((result) => result.environment))
  return { environments: Object.fromEntries(Object.entries(environments).filter(([id]) => used.has(id))), results }
}

const BEGIN = '<!-- made by `pnpm bench` from test/bench/results.json -->'
const END = '<!-- end of the results -->'

/** A page with its results between the two comments replaced. */
export function withResults(page: string, results: Results): string {
  const [before, rest = ''] = page.split(BEGIN)
  const [, after] = rest.split(END)
  if (before === undefined || after === undefined)
    throw new Error(`docs/dev/benches.md lacks the line ${BEGIN} or ${END}`)
  return `${before}${BEGIN}\n\n${resultsSection(results)}\n\n${END}${after}`
}

/** Writes the results into `docs/dev/benches.md`. */
export async function writePage(results: Results): Promise<void> {
  await writeFile(PAGE, withResults(await readFile(PAGE, 'utf8'), results))
}

function resultsSection({ environments, results }: Results): string {
  const rows = FIGURES.map((figure) => {
    const result = results.find(({ name }) => name === figure.name)
    const when =
      result === undefined ? ['', ''] : [result.environment.slice(0, 10), loadOf(environments[result.environment])]
    return [`\`${figure.name}\``, figure.what, ...cellsOf(figure, result), ...when]
  })
  const places = [...new Set(Object.values(environments).map(placeText))]
  return [
    markdownTable(['row', 'what', 'must be', 'median', '', 'spread', 'runs', 'date', 'load'], rows, [3, 6, 8]),
    ...(places.length === 0 ? [] : [`Measured on ${places.join('; ')}.`]),
  ].join('\n\n')
}

/** A Markdown table; the columns of `right` are aligned to the right. */
function markdownTable(header: readonly string[], rows: readonly string[][], right: readonly number[]): string {
  const rule = header.map((_, column) => (right.includes(column) ? '---:' : '---'))
  return [header, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function loadOf(environment: Environment | undefined): string {
  return environment?.loadBefore?.toFixed(1) ?? ''
}

function placeText({ machine, postgres }: Environment): string {
  const server = postgres === null ? '' : `, Postgres ${postgres.settings['server_version']} (${postgres.kind})`
  return `${machine.processor}, ${machine.cores} cores, Node ${machine.node}${server}`
}
