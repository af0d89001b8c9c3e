import { mayBeOfOneService, serviceOf } from '@collab-etl/backups'
import { compareBackups } from '@collab-etl/backups/compare'
import { BackupReader } from '@collab-etl/backups/read'
import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { reportDiff } from '../show/diff-report.ts'
import { SUMMARIES } from './summaries.ts'

export const diff = defineCommand({
  ...SUMMARIES.diff,
  examples: [
    ['diff ./backups/20260101T020000Z ./backups', 'the changes from that backup to the latest one'],
    ['diff ./monday ./tuesday --patch --project P1', 'the changes of one project, with the changed texts'],
  ],
  options: {
    before: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, or the directory that holds backups: its latest',
    },
    after: { type: 'string', demandOption: true, describe: 'another backup, or a directory that holds backups' },
    patch: { type: 'boolean', default: false, describe: 'shows changed texts as diff -u does' },
    project: { type: 'string', array: true, describe: 'PID…  only these projects; repeatable' },
    'across-services': {
      type: 'boolean',
      default: false,
      describe: 'allows backups of two services, e.g. after the service moved to another address',
    },
  },
  settings: [],
  async run({ stdout, json, progress, signal }, args) {
    const begun = performance.now()
    const a = await BackupReader.open(args.before)
    const b = await BackupReader.open(args.after)
    const [before, after] = [await serviceOf(a.path), await serviceOf(b.path)]
    if (!args['across-services'] && !mayBeOfOneService(before, after)) {
      throw new UsageError(
        `the backups are of two services: ${a.path} of ${before}, ${b.path} of ${after}. Compare them with --across-services`,
      )
    }
    const projects = new Map([...a.manifest.projects, ...b.manifest.projects].map(({ pid, name }) => [pid, name]))
    const unknown = args.project?.find((pid) => !projects.has(pid))
    if (unknown !== undefined) throw new UsageError(`--project: neither backup has a project ${unknown}`)
    const pids = args.project && new Set(args.project)
    const line = progress.line(`opening ${a.path}`)
    const comparison = await compareBackups(a, b, {
      pids: pids ?? null,
      signal,
      onProgress: (what) => line.update(what),
    })
    line.end()
    await reportDiff(stdout, json, {
      before: a.path,
      after: b.path,
      comparison,
      projects,
      withPatches: args.patch,
      milliseconds: performance.now() - begun,
    })
    if (comparison.changes.length > 0) return EXIT.damage
    const lacks = comparison.leftOut.some(({ why, not_in }) => why === 'unread' && not_in !== 'both')
    return lacks ? EXIT.partial : EXIT.ok
  },
})
