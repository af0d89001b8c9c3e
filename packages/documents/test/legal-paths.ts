import { posix } from 'node:path'

/** Names of devices of Windows, alone or with anything behind a dot. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** What a path cannot be somewhere: a sentence for each fault; none for a path that is legal on Linux, macOS and Windows. */
export function faultsOf(path: string): string[] {
  const faults: string[] = []
  const parts = path.split('/')
  const check = (wrong: boolean, fault: string) => wrong && faults.push(`${fault}: ${JSON.stringify(path)}`)
  check(posix.normalize(path) !== path || posix.isAbsolute(path) || parts.includes('..'), 'it leads elsewhere')
  check(Buffer.from(path).toString() !== path, 'it is no UTF-8')
  check(path.normalize('NFC') !== path, 'macOS and Linux would tell it apart')
  for (const part of parts) {
    check(part === '', 'a part is empty')
    check(Buffer.byteLength(part) > 255 || part.length > 255, 'a part is too long')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Windows refuses
    check(/[<>:"\\|?*\x00-\x1f]/.test(part), 'Windows refuses a character')
    check(/[. ]$/.test(part), 'Windows drops an end')
    check(/^[.~ -]/.test(part), 'a part is hidden or taken for a flag')
    check(DEVICE.test(part), 'a part is a device')
  }
  return faults
}

/**
 * Pairs of files that some file system takes for one, or of folders, or of a file and a folder. NTFS folds the case unit by unit,
 * APFS and HFS+ take composed and decomposed letters for the same as well.
 */
export function clashesOf(paths: readonly string[]): string[] {
  const clashes: string[] = []
  for (const fold of [ntfs, apfs]) {
    const taken = new Map<string, string>()
    const take = (path: string) => {
      const other = taken.get(fold(path))
      if (other !== undefined && other !== path) clashes.push(`${JSON.stringify(other)} is ${JSON.stringify(path)}`)
      taken.set(fold(path), path)
    }
    for (const path of paths) {
      const parts = path.split('/')
      for (let depth = 1; depth <= parts.length; depth++) take(parts.slice(0, depth).join('/'))
    }
  }
  return [...clashes, ...filesThatAreFolders(paths), ...twice(paths)]
}

function filesThatAreFolders(paths: readonly string[]): string[] {
  const files = new Set(paths)
  return paths
    .flatMap((path) => path.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')))
    .filter((folder) => files.has(folder))
}

function twice(paths: readonly string[]): string[] {
  return paths.filter((path, index) => paths.indexOf(path) !== index)
}

function ntfs(path: string): string {
  return path
    .split('')
    .map((unit) => (unit.toUpperCase().length === 1 ? unit.toUpperCase() : unit))
    .join('')
}

function apfs(path: string): string {
  return path.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD')
}
