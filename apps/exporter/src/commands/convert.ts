import { BackupReader } from '@collab-etl/backups/read'
import { DECRYPT_OPTIONS, PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { defineCommand } from '@collab-etl/cli'
import type { LinkPattern } from '@collab-etl/core'
import { openOutDirectory } from '../convert/out-directory.ts'
import { readAccounts } from '../convert/people.ts'
import { convertBackup } from '../convert/run-convert.ts'
import { TARGET_NAMES, TARGETS, type TargetName } from '../convert/targets.ts'
import { beforeWriting, whileWriting } from '../errors.ts'
import { exitCodeOfConversion, reportConversion } from '../show/convert-report.ts'
import { SUMMARIES } from './summaries.ts'

export const convert = defineCommand({
  ...SUMMARIES.convert,
  examples: [
    ['convert ./backups --for jira --out ./for-jira', 'a CSV file per project, from the latest backup'],
    [
      'convert ./backups --for github --out ./for-github --people people.csv',
      'tasks keep the people whose accounts the file names',
    ],
    [
      'convert ./collab.tar.zst.age --identity key.txt --for outline --out ./for-outline',
      'pages, posts and tasks as a zip, from an encrypted archive',
    ],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, the directory that holds backups (its latest), or an archive',
    },
    for: { choices: TARGET_NAMES, demandOption: true, describe: 'the tool that imports the files' },
    out: { type: 'string', demandOption: true, describe: 'DIR  a new or empty directory for the files' },
    people: {
      type: 'string',
      describe:
        'FILE  CSV with the columns uid,account: the account of each person in the tool [default: people are named in texts]',
    },
    ...DECRYPT_OPTIONS,
  },
  settings: [],
  onInterrupt: 'nothing is written',
  async run(context, { backup: named, for: tool, out, people, ...keys }) {
    const { settings, stdout, progress, log, signal } = context
    const target = TARGETS[tool as TargetName] // one of the choices
    const accounts = await readAccounts(people)
    const onLeft = warnOfLeft(context)
    await using unpacking = new PrivateDirectory(signal, onLeft)
    await using directory = await beforeWriting(out, () => openOutDirectory(out, { signal, onLeft }), 'conversion')
    const line = progress.line(`opening ${named}`)
    const unpacked = await unpacking.unpack(named, keys, (done, total) =>
      line.update({ text: 'unpacking', done, total }),
    )
    const backup = await BackupReader.open(unpacked ?? named)
    const converted = await whileWriting(
      out,
      async () => {
        const written = await convertBackup(backup, target, directory.temporary, {
          accounts,
          links: (settings.file['links'] ?? []) as readonly LinkPattern[], // as `parseLinkPatterns` returned it
          serviceHosts: (settings.file['service_hosts'] ?? []) as readonly string[], // as `parseServiceHosts` returned it
          signal,
          onProgress: (step, done, total) => line.update({ text: step, done, total }),
        })
        signal.throwIfAborted()
        await directory.publish()
        return written
      },
      'conversion',
    )
    line.end()
    if (converted.unknownPeople.length > 0)
      log.warn(`--people: the backup does not have the uid ${converted.unknownPeople.slice(0, 5).join(', ')}`)
    reportConversion(stdout, converted, { target: target.title, out })
    return exitCodeOfConversion(converted)
  },
})
