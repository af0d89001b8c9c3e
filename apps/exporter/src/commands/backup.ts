import { CONTENT, FORMATS } from '@collab-etl/backups'
import { warnOfLeft } from '@collab-etl/backups/unpack'
import { LINK_MODES, type LinkMode } from '@collab-etl/bagit'
import { defineCommand, HeapGrowth, parseIsoTime } from '@collab-etl/cli'
import type { LinkPattern } from '@collab-etl/core'
import { LINK_STYLES, NAMINGS, TASK_FILES, TITLE_HEADINGS } from '@collab-etl/documents'
import { makeBackup } from '../backup/make-backup.ts'
import type { BackupOptions } from '../backup/options.ts'
import { exitCodeOf, reportBackup } from '../show/backup-report.ts'
import { backupProgress } from '../show/progress.ts'
import { archiveBackup } from './archive-backup.ts'
import { ENCRYPT_OPTIONS, planArchive } from './archive-flags.ts'
import { parseContent, parseDelimiter, parseFormats, readKnownPosts } from './backup-flags.ts'
import { chooseSource } from './choose-source.ts'
import { SUMMARIES } from './summaries.ts'

export const backup = defineCommand({
  ...SUMMARIES.backup,
  examples: [
    ['backup --out ./backups', 'from the warehouse, or from the service if there is no warehouse'],
    [
      'backup --out ./backups --unchanged reflink',
      'unchanged files are cloned from the previous backup, not hard-linked',
    ],
    ['backup --out ./backups --as-of 2026-01-01', 'the state of the warehouse at the beginning of that day (UTC)'],
    [
      'backup --out ./vault --names plain --links wiki --task-files one',
      'for Obsidian: readable names, [[wiki links]], a note per task',
    ],
    [
      'backup --out ./backups --archive tar.zst --encrypt age1…',
      'also writes one file that only the holder of that key can open',
    ],
    ['backup --out ./backups --from api --project P1 --format csv --raw-cells', 'one project, read from the service'],
  ],
  options: {
    out: { type: 'string', demandOption: true, describe: 'DIR  directory that holds the backups' },
    format: {
      type: 'string',
      default: 'markdown,csv',
      values: FORMATS,
      describe: `LIST  one or more of ${FORMATS}; tasks can be restored from jsonl only`,
    },
    content: {
      type: 'string',
      values: CONTENT,
      describe:
        'LIST  one or more of pages,posts,tasks,events,files,users [default: all that the formats can hold; markdown and jsonl cannot hold users]',
    },
    from: {
      choices: ['api', 'warehouse'] as const,
      describe: 'where the data is read from [default: warehouse if it has a finished run, else api]',
    },
    project: { type: 'string', array: true, describe: 'PID…  only these projects; repeatable' },
    post: { type: 'string', array: true, describe: 'PID:POST_ID…  with --from api: a post to read; repeatable' },
    'posts-file': { type: 'string', describe: 'FILE  with --from api: CSV with the columns pid,post_id' },
    'as-of': {
      type: 'string',
      describe: 'ISO  with --from warehouse: the state after the last run that began by then',
    },
    'raw-cells': {
      type: 'boolean',
      default: false,
      describe: 'CSV: leaves cells exactly as they are, formulas included',
    },
    delimiter: { type: 'string', default: ',', describe: 'CHAR  CSV: the separator: , ; | or tab' },
    links: {
      choices: LINK_STYLES,
      default: 'relative' as const,
      describe: 'Markdown: how pages and posts link: by paths, by paths without .md, as [[path|text]], or unchanged',
    },
    'title-heading': {
      choices: TITLE_HEADINGS,
      default: 'auto' as const,
      describe: 'Markdown: begins pages and posts with their title as heading, if their text does not',
    },
    'task-files': {
      choices: TASK_FILES,
      default: 'group' as const,
      describe: 'Markdown: whether tasks share the files of their lists, or each has a file',
    },
    names: {
      choices: NAMINGS,
      default: 'id-suffix' as const,
      describe: 'names of files and directories: title--id, the title alone, or title--id with folders for Docusaurus',
    },
    archive: {
      type: 'string',
      describe: 'tar.gz|tar.zst|zip  also writes the finished backup into one file, next to it',
    },
    ...ENCRYPT_OPTIONS,
    unchanged: {
      choices: ['hard', 'reflink', 'copy'] as const,
      describe:
        'files that did not change since the previous backup: hard-linked, cloned, or written again [default: hard]',
    },
    rehash: {
      type: 'boolean',
      default: false,
      describe:
        'renders every file and compares its bytes with the previous backup, instead of linking files whose inputs are unchanged',
    },
    // the old name of --unchanged; its `none` is `copy`
    link: { choices: LINK_MODES, hidden: true, conflicts: 'unchanged' },
    'as-latest': {
      type: 'boolean',
      default: false,
      describe: 'points latest at this backup even if it covers less than the previous one',
    },
    bom: { type: 'boolean', default: false, describe: 'CSV: begins with a byte-order mark, for older spreadsheets' },
  },
  settings: ['service', 'warehouse'],
  async run(context, args) {
    const asOf =
      args['as-of'] === undefined ? undefined : parseIsoTime(args['as-of'], { name: '--as-of', edge: 'start' })
    const begun = performance.now()
    const archivePlan = await planArchive('--archive', args.archive, args)
    const formats = parseFormats(args.format)
    const options: BackupOptions = {
      formats,
      content: parseContent(args.content, formats),
      csv: { rawCells: args['raw-cells'], bom: args.bom, delimiter: parseDelimiter(args.delimiter) },
      linkStyle: args.links,
      titleHeading: args['title-heading'],
      taskFiles: args['task-files'],
      naming: args.names,
      pids: args.project === undefined ? null : [...new Set(args.project)],
      links: (context.settings.file['links'] ?? []) as readonly LinkPattern[], // as `parseLinkPatterns` returned it
      serviceHosts: (context.settings.file['service_hosts'] ?? []) as readonly string[], // as `parseServiceHosts` returned it
    }
    const knownPosts = await readKnownPosts(args.post ?? [], args['posts-file'])
    const heap = new HeapGrowth()
    using progress = backupProgress(context.progress)
    await using source = await chooseSource(context, {
      from: args.from,
      asOf,
      knownPosts,
      options,
      onProject: progress.onProject,
    })
    const made = await makeBackup({
      ...{
        directory: args.out,
        options,
        link: linkMode(args),
        asLatest: args['as-latest'],
        rehash: args.rehash,
        signal: context.signal,
      },
      openSource: (temporary) => source.open(temporary),
      software: `${context.name} ${context.version}`,
      onStaleDirectories: (names) =>
        context.log.info({ names }, 'removed temporary directories of an earlier run that was killed'),
      onLeft: warnOfLeft(context),
      onRecord: progress.onRecord,
      onPiece: () => heap.check(),
    })
    progress.end()
    const { previous, refusal } = made.links
    if (previous === null && refusal !== null)
      context.log.warn({ reason: refusal }, 'all files were written anew: the previous backup cannot be used')
    const archive = archivePlan && (await archiveBackup(context, made, archivePlan))
    reportBackup(context.stdout, made, { options, archive, milliseconds: performance.now() - begun })
    return exitCodeOf(made.contents)
  },
})

interface UnchangedFlags {
  readonly unchanged?: 'hard' | 'reflink' | 'copy' | undefined
  readonly link?: LinkMode | undefined
}

function linkMode({ unchanged, link = 'hard' }: UnchangedFlags): LinkMode {
  return unchanged === 'copy' ? 'none' : (unchanged ?? link)
}
