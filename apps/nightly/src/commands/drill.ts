import { bagFailure } from '@collab-etl/backups/errors'
import { type CliError, type Context, defineCommand, EXIT, formatDuration, plainText, toFailure } from '@collab-etl/cli'
import type { DrillFacts } from '@collab-etl/observability'
import { planOf } from '../config/plan.ts'
import { reportDrill } from '../drill/report-drill.ts'
import { type Drilled, runDrill } from '../drill/run-drill.ts'
import { drillSource } from '../drill/source.ts'
import { recordDrill } from '../run/drill-record.ts'
import { SUMMARIES } from './summaries.ts'

export const drill = defineCommand({
  ...SUMMARIES.drill,
  examples: [
    ['drill', 'the newest archive, else the newest backup, of the job that collab.yaml describes'],
    ['drill --out /var/backups/collab --json', 'of other backups, for scripts'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  directory that holds the backups [default: ./collab-backup]' },
    'record-only': {
      type: 'boolean',
      default: false,
      describe: 'records the result, and leaves metrics and notifications to the run',
    },
  },
  settings: ['warehouse'],
  onInterrupt: 'nothing stays, and nothing is recorded',
  async run(context, { out, 'record-only': isRecordOnly }) {
    const { settings, stdout } = context
    const plan = planOf(settings, { out })
    const source = await drillSource(context, plan)
    const startedAt = new Date()
    const { drilled, failure } = await attempt(context, () => runDrill(context, source))
    const facts: DrillFacts = {
      started_at: startedAt.toISOString(),
      duration_ms: Date.now() - startedAt.getTime(),
      source: source.name,
      project: drilled?.project ?? null,
      problem: failure === null ? null : `${source.name}: ${failure.message}`,
      notes: drilled?.notes ?? [],
    }
    await recordDrill(plan.out, facts).catch((error: unknown) => {
      context.log.warn({ reason: String(error) }, 'the drill could not be recorded beside the backups')
    })
    if (!isRecordOnly) await reportDrill(context, plan, facts, failure?.exitCode ?? EXIT.ok)
    stdout.document({ ...facts, kind: source.kind, path: source.path })
    const duration = formatDuration(facts.duration_ms)
    if (facts.problem === null)
      stdout.line(`Recovered: everything of ${plainText(source.name)} came back in ${duration}`)
    else stdout.line(`NOT RECOVERED: ${plainText(facts.problem)}`)
    for (const note of facts.notes) stdout.line(`  ${plainText(note)}`)
    return failure?.exitCode ?? EXIT.ok
  },
})

/** An interruption says nothing about the backup. */
async function attempt(
  context: Context,
  run: () => Promise<Drilled>,
): Promise<{ readonly drilled: Drilled | null; readonly failure: CliError | null }> {
  try {
    return { drilled: await run(), failure: null }
  } catch (error) {
    context.signal.throwIfAborted()
    return { drilled: null, failure: toFailure(error, bagFailure, context.signal) }
  }
}
