import { execFile, execFileSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { scratch } from '@collab-etl/harness/scratch'

const PROGRAM = 'soffice'

/** What Debian calls it. */
const PACKAGE = 'libreoffice-calc-nogui'

const isThere = findsSoffice()

/** Where LibreOffice may be absent, its tests are left out; CI has it. */
export const RUNS_LIBREOFFICE = isThere || process.env['CI'] === 'true'

/** A flat spreadsheet, which tells formulas from texts; or CSV again, cell by cell as they are. */
export type Target = 'fods' | 'csv'

export interface Opening {
  /** Cells are split at each of these characters. */
  readonly delimiter: string
  /** So many columns are taken for text; without it, LibreOffice guesses what each cell is, as on a double click. */
  readonly textColumns?: number
}

/** Opens CSV files without a window, saves them in another format, and gives what was saved, by the name of the file. */
export async function openedByLibreOffice(
  files: readonly string[],
  target: Target,
  { delimiter, textColumns = 0 }: Opening,
): Promise<Map<string, string>> {
  if (!isThere) throw new Error(`LibreOffice is not installed: apt-get install --no-install-recommends ${PACKAGE}`)
  const folder = await scratch()
  const out = join(folder, 'out')
  await mkdir(out)
  const formats = Array.from({ length: textColumns }, (_, column) => `${column + 1}/2`).join('/')
  const filter = target === 'csv' ? 'csv:Text - txt - csv (StarCalc):44,34,76,1' : target
  await promisify(execFile)(PROGRAM, [
    // A profile of its own: the user's may be in use.
    ...[`-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`, '--headless', '--norestore'],
    `--infilter=CSV:${[...delimiter].map((character) => character.charCodeAt(0)).join('/')},34,76,1,${formats}`,
    ...['--convert-to', filter, '--outdir', out, ...files],
  ])
  const saved = files.map(async (file) => {
    const name = basename(file, '.csv')
    return [name, await readFile(join(out, `${name}.${target}`), 'utf8')] as const
  })
  return new Map(await Promise.all(saved))
}

function findsSoffice(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
