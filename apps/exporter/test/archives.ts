import { dirname } from 'node:path'
import {
  type ArchiveRequest,
  encrypterFor as encrypter,
  openArchiveTarget,
  verifyArchive as verify,
  type WrittenArchive,
} from '@collab-etl/bagit/archive'
import { begunAt } from '../src/commands/archive-backup.ts'
import { beforeWriting } from '../src/errors.ts'
import { asCommand } from './as-command.ts'

/** Writes an archive of a backup to `out`, as the command does. */
export function writeArchive(job: { readonly out: string } & Omit<ArchiveRequest, 'mtime'>): Promise<WrittenArchive> {
  return asCommand(async () => {
    await using target = await beforeWriting(dirname(job.out), () => openArchiveTarget(job.out, job.signal))
    return await target.write({ ...job, mtime: await begunAt(job.bag) })
  })
}

/** Verifies an archive; errors are those of the command. */
export const verifyArchive: typeof verify = (path, options) => asCommand(() => verify(path, options))

/** For whom archives are encrypted; errors are those of the command. */
export const encrypterFor: typeof encrypter = (keys) => asCommand(() => encrypter(keys))
