import { LINK_MODES } from '@collab-etl/bagit'
import { defineCommand, parseIsoTime } from '@collab-etl/cli'
import type { LinkPattern } from '@collab-etl/core'
import { LINK_STYLES, NAMINGS } from '@collab-etl/documents'
import { makeBackup } from '../backup/make-backup.ts'
import type { BackupOptions } from '../backup/options.ts'
import { backupProgress } from '../show/backup-progress.ts'
import { exitCodeOf, reportBackup } from '../show/backup-report.ts'
import { archiveBackup } from './archive-backup.ts'
import { ENCRYPT_OPTIONS, planArchive } from './archive-flags.ts'
import { chooseSource } from './choose-source.ts'
import { parseDelimiter } from './delimiter.ts'
import { parseFormats } from './formats.ts'
import { readKnownPosts } from './known-posts.ts'

export const backup = defineCommand({
  command: 'backup',
  describe: 'writes one backup: pages and posts as Markdown and CSV',
  examples: [
    ['backup --out ./backups', 'from the warehouse, or from the service where there is none'],
    ['backup --out ./backups --link reflink', 'files that did not change are clones of those of the backup before'],
    ['backup --out ./backups --as-of 2026-01-01', 'as the warehouse had it at the beginning of that day (UTC)'],
    ['backup --out ./vault --names plain --links wiki', 'a tree for Obsidian: readable names, [[wiki links]]'],
    [
      'backup --out ./backups --archive tar.zst --encrypt age1…',
      'and in one file that only the holder of that key opens',
    ],
    [
      'backup --out ./backups --from api --project P1 --format csv --raw-cells',
      'one project, straight from the service',
    ],
  ],
  options: {
    out: { type: 'string', demandOption: true, describe: 'DIR  where backups lie' },
    format: {
      type: 'string',
      default: 'markdown,csv',
      describe: 'one or more of markdown,csv,html,jsonl (default: markdown,csv)',
    },
    from: { choices: ['api', 'warehouse'] as const, describe: 'default: warehouse if it has a finished run, else api' },
    project: { type: 'string', array: true, describe: 'PID…  only these projects' },
    post: { type: 'string', array: true, describe: 'PID:POST_ID…  posts to read, with --from api' },
    'posts-file': { type: 'string', describe: 'FILE  the same as CSV with the columns pid,post_id' },
    'as-of': {
      type: 'string',
      describe: 'ISO  the state at the end of the last run that began by then; from the warehouse',
    },
    'raw-cells': {
      type: 'boolean',
      default: false,
      describe: 'CSV: leave cells exactly as they are, formulas included',
    },
    delimiter: { type: 'string', default: ',', describe: 'CHAR  CSV: what stands between cells: , ; | or tab' },
    links: {
      choices: LINK_STYLES,
      default: 'relative' as const,
      describe:
        'Markdown: links between pages and posts as relative paths, without .md, as [[wiki links]], or as they are',
    },
    names: {
      choices: NAMINGS,
      default: 'id-suffix' as const,
      describe: 'names of files and folders: title--id, or the title alone',
    },
    archive: {
      type: 'string',
      describe: 'tar.gz, tar.zst or zip: write the finished backup into one file as well, beside it',
    },
    ...ENCRYPT_OPTIONS,
    link: {
      choices: LINK_MODES,
      default: 'hard' as const,
      describe:
        'files that did not change: further names of those in the backup before, clones of them, or written anew',
    },
    'as-latest': {
      type: 'boolean',
      default: false,
      describe: 'point latest at this backup even if it covers less than the one that latest points to',
    },
    bom: { type: 'boolean', default: false, describe: 'CSV: begin with a byte order mark, for older spreadsheets' },
  },
  settings: ['service', 'warehouse'],
  async run(context, args) {
    const asOf =
      args['as-of'] === undefined ? undefined : parseIsoTime(args['as-of'], { name: '--as-of', edge: 'start' })
    const begun = performance.now()
    const archivePlan = await planArchive('--archive', args.archive, args)
    const options: BackupOptions = {
      formats: parseFormats(args.format),
      csv: { rawCells: args['raw-cells'], bom: args.bom, delimiter: parseDelimiter(args.delimiter) },
      ...{ linkStyle: args.links, naming: args.names },
      pids: args.project === undefined ? null : [...new Set(args.project)],
      links: (context.settings.file['links'] ?? []) as readonly LinkPattern[], // as `parseLinkPatterns` returned it
      serviceHosts: (context.settings.file['service_hosts'] ?? []) as readonly string[], // as `parseServiceHosts` returned it
    }
    const knownPosts = await readKnownPosts(args.post ?? [], args['posts-file'])
    using progress = backupProgress(context.progress)
    await using source = await chooseSource(context, {
      ...{ from: args.from, asOf, knownPosts, options },
      onProject: progress.onProject,
    })
    const made = await makeBackup({
      ...{ directory: args.out, options, link: args.link, asLatest: args['as-latest'], signal: context.signal },
      openSource: (workspace) => source.open(workspace),
      software: `${context.name} ${context.version}`,
      onLeftovers: (names) => context.log.info({ names }, 'removed what a killed run had left behind'),
      onRecord: progress.onRecord,
    })
    progress.end()
    const archive = archivePlan && (await archiveBackup(context, made, archivePlan))
    reportBackup(context.stdout, made, { options, archive, milliseconds: performance.now() - begun })
    return exitCodeOf(made.contents)
  },
})
