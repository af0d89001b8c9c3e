import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { CATEGORIES } from './categories.ts'

const PAGE = join(import.meta.dirname, '../../../docs/faults.md')

/** The table is between these lines of the page. */
const PLACE = /(<!-- faults: begin -->\n)[\s\S]*(\n<!-- faults: end -->)/

const categories: readonly string[] = CATEGORIES

interface Line {
  readonly category: string
  readonly name: string
  readonly does: string
  readonly ended: string
  readonly holds: string
}

/**
 * Prints each fault as it ends, and all of them as a table at the end. With `FAULTS_WRITE=1`, and if every fault ended as
 * expected, it rewrites the table of docs/faults.md.
 */
export class FaultTable implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state === 'skipped') return
    const seconds = ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1)
    process.stdout.write(`${state === 'passed' ? '✓' : '✗'} ${test.fullName} (${seconds} s)\n`)
    for (const error of errors ?? []) process.stdout.write(`${error.stack ?? error.message}\n${error.diff ?? ''}\n`)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    for (const { message } of errors) process.stdout.write(`✗ ${message}\n`)
    const failedModules = modules.flatMap((module) =>
      module.errors().map(({ message }) => `${module.moduleId}: ${message}`),
    )
    for (const failure of failedModules) process.stdout.write(`✗ ${failure}\n`)
    // in a stable order
    const files = modules.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    const tests = files.flatMap((module) => [...module.children.allTests()])
    const lines = tests.map(lineOf).sort((a, b) => categoryRank(a) - categoryRank(b))
    process.stdout.write(`\n${aligned(lines)}\n\n${lines.length} faults\n`)
    const whole = errors.length === 0 && failedModules.length === 0 && tests.every((test) => test.ok())
    if (whole && process.env['FAULTS_WRITE']) {
      const text = readFileSync(PAGE, 'utf8')
      writeFileSync(
        PAGE,
        text.replace(PLACE, (_, begin, end) => `${begin}${markdown(lines)}${end}`),
      )
    }
  }
}

function categoryRank({ category }: Line): number {
  return categories.indexOf(category)
}

function lineOf(test: TestCase): Line {
  const { fault } = test.meta()
  const ended = test.result().state === 'failed' ? 'FAILED' : (fault?.ended ?? 'not run')
  return { category: fault?.category ?? '', name: test.name, does: fault?.does ?? '', ended, holds: fault?.holds ?? '' }
}

function aligned(lines: readonly Line[]): string {
  const rows = [
    ['', 'fault', 'ended', 'what held'],
    ...lines.map(({ category, name, ended, holds }) => [category, name, ended, holds]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function markdown(lines: readonly Line[]): string {
  const date = new Date().toISOString().slice(0, 10)
  const rows = lines.map(({ category, name, does, ended, holds }) => {
    const cells = [category, `**${name}**: ${does}`, ended, holds].map((cell) => cell.replaceAll('|', '\\|'))
    return `| ${cells.join(' | ')} |`
  })
  return [
    `Seen on ${date}: ${lines.length} faults.`,
    '',
    '| category | fault | ended | what held |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
