import { rmdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BAG_LABELS } from '@collab-etl/backups'
import {
  lessThanLatest,
  type NotLatest,
  openPreviousBackup,
  type PreviousBackup,
  pointLatest,
  publishBackup,
} from '@collab-etl/backups/repository'
import {
  BagWriter,
  FOLDER_MODE,
  isBagError,
  type LinkMode,
  type LinkTotals,
  type OnLeft,
  type Oxum,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from '@collab-etl/bagit'
import { CliError } from '@collab-etl/cli'
import { makeDirectory } from '@collab-etl/lock'
import { beforeWriting, whileWriting } from '../errors.ts'
import type { BackupRows, Origin } from '../source/backup-rows.ts'
import { readingInfo } from '../source/reading-info.ts'
import { INPUTS_FILES } from './inputs.ts'
import type { BackupOptions } from './options.ts'
import { type BackupContents, type WriteContext, writeBackup } from './write-backup.ts'

export interface BackupRequest extends WriteContext {
  /** Directory that holds the backups; created if it does not exist. */
  readonly directory: string
  readonly options: BackupOptions
  /** How files that the previous backup also holds are added. */
  readonly link: LinkMode
  /** Whether to render every file and compare its bytes with the previous backup, instead of linking files whose inputs are unchanged. */
  readonly rehash?: boolean
  /** Opens the source, which may store what it reads in the temporary directory. */
  readonly openSource: (temporary: TemporaryDirectory) => Promise<BackupRows>
  /** Whether to point `latest` at this backup even if it covers less than the current one. */
  readonly asLatest?: boolean
  /** Name and version of the program, for bag-info.txt. */
  readonly software: string
  /** Called often while the backup is written. */
  readonly onPiece?: () => void
  /** Called with the temporary directories of killed runs that were removed. */
  readonly onStaleDirectories: (names: readonly string[]) => void
  /** Called with each temporary directory that could not be removed, and why. */
  readonly onLeft?: OnLeft
}

export interface MadeBackup {
  /** Absolute. */
  readonly path: string
  readonly name: string
  readonly origin: Origin
  readonly contents: BackupContents
  readonly oxum: Oxum
  readonly links: LinkTotals & Pick<PreviousBackup, 'previous' | 'refusal'>
  /** The backup that `latest` still points to, and why; `null` if it points to this one. */
  readonly notLatest: NotLatest | null
}

/**
 * Makes one backup: writes it in a temporary directory, flushes it, gives it its name, and points `latest` at it. After a failure
 * before it has its name, no file is left.
 */
export async function makeBackup(request: BackupRequest): Promise<MadeBackup> {
  const directory = resolve(request.directory)
  const begun = new Date()
  const opening = () => openDirectory(directory, request)
  const { temporary, removeIfNew } = await beforeWriting(request.directory, opening)
  try {
    await using open = temporary
    const { name, ...written } = await whileWriting(request.directory, async () => {
      const filled = await fillBag(request, open, begun)
      request.signal.throwIfAborted()
      return { ...filled, name: await publishBackup(directory, open, begun) }
    })
    const notLatest = request.asLatest
      ? null
      : await lessThanLatest(directory, name, { intact: written.links.previous })
    if (notLatest === null) await point(directory, open, name)
    return { path: resolve(directory, name), name, ...written, notLatest }
  } catch (error) {
    await removeIfNew()
    throw error
  }
}

async function openDirectory(
  directory: string,
  { onStaleDirectories, onLeft, signal }: BackupRequest,
): Promise<{ temporary: TemporaryDirectory; removeIfNew: () => Promise<void> }> {
  const isNew = makeDirectory(directory, FOLDER_MODE)
  const stale = await removeStaleDirectories(directory, { signal, ...(onLeft && { onLeft }) })
  if (stale.length > 0) onStaleDirectories(stale)
  const removeIfNew = async () => {
    // Fails if the directory is not empty.
    if (isNew) await rmdir(directory).catch(() => {})
  }
  return { temporary: await openTemporaryDirectory(directory, onLeft), removeIfNew }
}

async function fillBag(
  request: BackupRequest,
  temporary: TemporaryDirectory,
  begun: Date,
): Promise<Omit<MadeBackup, 'name' | 'path' | 'notLatest'>> {
  await using source = await request.openSource(temporary)
  await using previousBackup = await openPreviousBackup(resolve(request.directory), request.link, source.origin.baseUrl)
  const fill = (inputs: string | null) => fillFrom(source, { request, temporary, begun, previousBackup, inputs })
  try {
    const isReused =
      !request.rehash && !previousBackup.isDamaged && INPUTS_FILES.every((name) => previousBackup.tags.has(name))
    return await fill(isReused ? previousBackup.path : null)
  } catch (error) {
    if (!isBagError(error, 'PREVIOUS_CHANGED')) throw error
    await temporary.empty()
    return await fill(null)
  }
}

/** `inputs`: the folder of the previous backup, if its files may be reused without reading them. */
async function fillFrom(
  source: BackupRows,
  {
    request,
    temporary,
    begun,
    previousBackup,
    inputs,
  }: {
    readonly request: BackupRequest
    readonly temporary: TemporaryDirectory
    readonly begun: Date
    readonly previousBackup: PreviousBackup
    readonly inputs: string | null
  },
): Promise<Omit<MadeBackup, 'name' | 'path' | 'notLatest'>> {
  const bag = await BagWriter.create(temporary.bag, previousBackup.bag, { onPiece: request.onPiece })
  try {
    const contents = await writeBackup(source, bag, request.options, {
      ...request,
      previous: inputs,
      earlier: previousBackup.earlier,
      temporaryPath: temporary.path,
    })
    await source.confirm?.()
    const { previous } = previousBackup
    const oxum = await bag.finish((payload, { newData }) => [
      ...bagInfo(request.software, source.origin, begun, payload),
      ...linkInfo(previous, newData),
    ])
    return {
      origin: source.origin,
      contents,
      oxum,
      links: { ...bag.linkTotals, previous, refusal: previousBackup.refusal },
    }
  } catch (error) {
    await bag.abandon()
    throw error
  }
}

/** RFC 8493, 2.2.2, and labels of our own: only this file differs between two backups of the same state. */
function bagInfo(
  software: string,
  origin: Origin,
  begun: Date,
  { bytes, files }: Oxum,
): [label: string, value: string][] {
  return [
    ['Bag-Software-Agent', software],
    ['Bagging-Date', begun.toISOString().slice(0, 10)],
    ['Payload-Oxum', `${bytes}.${files}`],
    [BAG_LABELS.begunAt, begun.toISOString()],
    ['Collab-Source', origin.kind],
    [BAG_LABELS.baseUrl, origin.baseUrl],
    ...readingInfo(origin),
  ]
}

/** The disk space that the backup took when it was made, which cannot be found out later: its files may be linked from others. */
function linkInfo(previous: string | null, { bytes, files }: Oxum): [label: string, value: string][] {
  const linked: [label: string, value: string][] = previous === null ? [] : [[BAG_LABELS.previous, previous]]
  return [...linked, [BAG_LABELS.newData, `${bytes}.${files}`]]
}

/** The backup is complete and has its name: a failure from here on is reported separately. */
async function point(directory: string, temporary: TemporaryDirectory, name: string): Promise<void> {
  try {
    await pointLatest(directory, temporary, name)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`the backup ${name} was written, but "latest" could not be pointed at it: ${reason}`, {
      code: 'LATEST',
      cause,
    })
  }
}
