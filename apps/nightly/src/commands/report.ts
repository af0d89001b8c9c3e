import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError, defineCommand, EXIT, formatBytes, formatNumber, plainText, UsageError } from '@collab-etl/cli'
import { planOf } from '../config/plan.ts'
import { withDrill } from '../run/drill-record.ts'
import { readNights } from '../run/record.ts'
import { reasonOf } from '../run/report-step.ts'
import { writeNightReport } from '../run/write-report.ts'
import { SUMMARIES } from './summaries.ts'

export const report = defineCommand({
  ...SUMMARIES.report,
  examples: [
    ['report --out /var/www/collab', 'the runs of the backups that collab.yaml names'],
    ['report --out report --backups /var/backups/collab', 'of other backups'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  directory of the report [default: that of nightly: in collab.yaml]' },
    backups: { type: 'string', describe: 'DIR  directory that holds the backups [default: ./collab-backup]' },
  },
  settings: ['warehouse'],
  async run(context, { out: named, backups }) {
    const { settings, stdout, log } = context
    const plan = planOf(settings, { out: backups })
    const directory = named === undefined ? plan.report : resolve(named)
    if (directory === undefined)
      throw new UsageError(
        'name the directory of the report: give --out DIR, or set report: under nightly: in collab.yaml',
      )
    if (backups !== undefined) await requireDirectory(plan.out)
    const nights = await withDrill(plan.out, await readNights(plan.out))
    const written = await writeNightReport(context, directory, nights).catch((error: unknown) => {
      throw new CliError(
        `the report cannot be written to ${directory} (${reasonOf(error)}): choose another directory with --out`,
        { code: 'REPORT', cause: error },
      )
    })
    const { path, bytes, warehouseProblem } = written
    stdout.document({ report: path, bytes, nights: nights.length, warehouse_problem: warehouseProblem })
    stdout.line(`${plainText(path)}: ${formatNumber(nights.length, 'run')}, ${formatBytes(bytes)}`)
    // a wrong directory would look like a job that never ran
    if (nights.length === 0)
      log.warn(`no run is on record in ${plan.out}; --backups names another directory of backups`)
    if (warehouseProblem === null) return EXIT.ok
    log.warn({ reason: warehouseProblem }, 'the report has no changes by project: the warehouse could not be read')
    return EXIT.partial
  },
})

/** A report of no nights would replace that of the right directory. */
async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory())
    throw new UsageError(`--backups ${path} is not a directory: name the one that holds the backups`)
}
