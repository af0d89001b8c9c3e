import { DECRYPT_OPTIONS, PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { defineCommand, EXIT } from '@collab-etl/cli'
import { openWarehouse } from '@collab-etl/warehouse'
import { runLoad } from '../load/run-load.ts'
import { loadDocument, loadSummary } from '../load/summary.ts'
import { warehouseOf } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const load = defineCommand({
  ...SUMMARIES.load,
  examples: [
    ['load ./backups/20260102T020000Z', 'one backup, into ./collab-data or the Postgres of DATABASE_URL'],
    ['load ./backups', 'all backups of a directory, the oldest first: the warehouse with its history'],
    ['load ./20260102T020000Z.tar.zst.age --identity ./key.txt', 'an encrypted archive'],
  ],
  options: {
    from: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, an archive, or a directory of backups',
    },
    ...DECRYPT_OPTIONS,
  },
  settings: ['warehouse'],
  onInterrupt: 'the same command continues',
  async run(context, { from, ...keys }) {
    const { settings, stdout, signal, progress } = context
    await using temporary = new PrivateDirectory(signal, warnOfLeft(context))
    const line = progress.line(`opening ${from}`)
    const onProgress = (done: number, total: number) => line.update({ text: 'unpacking', done, total })
    const unpacked = await temporary.unpack(from, keys, onProgress)
    line.end()
    const result = await runLoad(context, {
      from,
      unpacked,
      openWarehouse: () => openWarehouse({ ...warehouseOf(settings), signal, acceptsUnfinished: true }),
    })
    stdout.document(loadDocument(result))
    stdout.line(loadSummary(result, settings))
    return EXIT.ok
  },
})
