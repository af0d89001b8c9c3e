import { DECRYPT_OPTIONS, PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { defineCommand, EXIT, openBrowser, UsageError } from '@collab-etl/cli'
import type { LinkPattern } from '@collab-etl/core'
import { reportView } from '../show/view-report.ts'
import { untilEnd } from '../view/end.ts'
import { openView } from '../view/open-view.ts'
import { serveSite } from '../view/server.ts'
import { SUMMARIES } from './summaries.ts'

const HIGHEST_PORT = 65_535

export const view = defineCommand({
  ...SUMMARIES.view,
  examples: [
    ['view ./backups', 'the latest backup'],
    ['view ./collab.tar.zst.age --identity ./key.txt', 'an encrypted archive, unpacked into a temporary directory'],
    ['view ./backups --no-open --port 4011', 'prints the address; for a browser at the other end of ssh -L'],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, the directory that holds backups (its latest), or an archive',
    },
    'no-open': { type: 'boolean', default: false, describe: 'only prints the address, and opens no browser' },
    port: { type: 'number', default: 0, describe: 'N  the port on 127.0.0.1; 0: a free one' },
    ...DECRYPT_OPTIONS,
  },
  settings: [],
  onInterrupt: 'temporary files are removed',
  async run(context, { backup: named, port, 'no-open': isQuiet, ...keys }) {
    const { settings, stdout, progress, log, signal } = context
    if (!Number.isInteger(port) || port < 0 || port > HIGHEST_PORT) {
      throw new UsageError(`--port must be a number from 0 to ${HIGHEST_PORT}`)
    }
    const parent = process.ppid
    await using temporary = new PrivateDirectory(signal, warnOfLeft(context))
    const line = progress.line(`opening ${named}`)
    const shown = await openView(named, {
      keys,
      temporary,
      signal,
      links: (settings.file['links'] ?? []) as readonly LinkPattern[], // as `parseLinkPatterns` returned it
      serviceHosts: (settings.file['service_hosts'] ?? []) as readonly string[], // as `parseServiceHosts` returned it
      onProgress: (step, done, total) => line.update({ text: step, done, total }),
    })
    line.end()
    let damaged = 0
    await using server = await serveSite(shown.site, {
      port,
      onDamage: ({ message }) => {
        damaged += 1
        log.error(`${message}; it is not shown. collab-export verify lists all damage`)
      },
      onForeignScript: (path) => log.warn(`data/${path} was not sent: this program did not write it`),
    })
    reportView(stdout, shown, server)
    if (!isQuiet) openBrowser(server.launchUrl, () => log.warn('no browser could be started: open the address in one'))
    await untilEnd(signal, parent)
    return damaged === 0 ? EXIT.ok : EXIT.damage
  },
})
