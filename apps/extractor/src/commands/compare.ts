import { type Command, defineCommand } from '@collab-etl/cli'
import { COMPARE_FLAGS, compareOptions } from '../compare/options.ts'
import { runCompare } from '../compare/run-compare.ts'
import { compareDocument, compareSummary } from '../compare/summary.ts'
import { SUMMARIES } from './summaries.ts'

export const compare = defineCommand({
  ...SUMMARIES.compare,
  examples: [
    ['compare', 'all projects; if rows differ: their keys, and exit code 5'],
    ['compare --sample 0.1', 'a random tenth of the projects, for example every night'],
    ['compare --project P1 --json', 'for scripts'],
  ],
  options: COMPARE_FLAGS,
  settings: ['service', 'warehouse'],
  async run(context, args) {
    const result = await runCompare(context, compareOptions(context.settings, args))
    context.stdout.document(compareDocument(result))
    context.stdout.line(compareSummary(result))
    if (result.failure) throw result.failure
    return result.outcome.exitCode
  },
})

/** The same by its old name. */
export const verify: Command = { ...compare, ...SUMMARIES.verify }
