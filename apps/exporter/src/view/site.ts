import { type BagFile, PAYLOAD_FOLDER, payloadFiles } from '@collab-etl/bagit'

/** A file that may be served, and the bag whose manifest it is compared with. */
export interface SiteFile {
  readonly bag: string
  readonly file: BagFile
}

/** What is served: files by their path below `data/`. No other file on the disk is. */
export type Site = ReadonlyMap<string, SiteFile>

/** The page that is opened first. */
export const HOME = 'html/index.html'

/** The report of a backup, if it has one. */
export const REPORT = 'report.html'

/** What the pages link to besides each other: the report of the backup, and the manifest that it refers to. */
const ABOUT: readonly string[] = [REPORT, 'backup.json']

/**
 * The site of a backup.
 * @param html the bag with the HTML: the backup itself, or a bag made from it
 * @param backup the backup, which has the report of its own making
 */
export async function siteOf(html: string, backup: string): Promise<Site> {
  const site = new Map<string, SiteFile>()
  for (const [bag, isServed] of [
    [html, (path: string) => path.startsWith('html/')],
    [backup, (path: string) => ABOUT.includes(path)],
  ] as const) {
    for await (const file of payloadFiles(bag)) {
      const path = file.path.slice(`${PAYLOAD_FOLDER}/`.length)
      if (isServed(path)) site.set(path, { bag, file })
    }
  }
  return site
}
