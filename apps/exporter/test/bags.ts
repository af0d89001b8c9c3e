import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BagWriter, type LinkTotals, PreviousBag } from '@collab-etl/bagit'

/** What a bag is to hold: texts by their path below `data/`. Those under `csv/` are written in pieces. */
export type Texts = Readonly<Record<string, string>>

export interface Written {
  readonly links: LinkTotals
  readonly refusal: string | null
}

/** Writes a bag, which shares files with another if there is one. */
export async function writeTexts(
  folder: string,
  texts: Texts,
  before: string | null = null,
  mode: 'hard' | 'reflink' = 'hard',
): Promise<Written> {
  await mkdir(folder, { recursive: true })
  const sharing = before === null ? null : new PreviousBag(before, mode)
  const bag = await BagWriter.create(folder, sharing)
  for (const [path, text] of Object.entries(texts)) {
    if (path.startsWith('csv/')) {
      const stream = await bag.stream(path)
      for (const piece of text.match(/[\s\S]{1,1000}/gu) ?? []) await stream.write(piece)
      await stream.end()
    } else await bag.add(path, text)
  }
  await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
  await sharing?.close()
  return { links: bag.linkTotals, refusal: sharing?.refusal ?? null }
}

/** The path of a payload file. */
export function payload(bag: string, path: string): string {
  return join(bag, 'data', path)
}
