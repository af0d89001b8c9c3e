/** Files at the top of a bag (RFC 8493), and the one of ours. */
export const BAG_FILES = {
  declaration: 'bagit.txt',
  info: 'bag-info.txt',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  /** Not of the RFC, which allows further tag files: the size of each payload file, so that `--fast` can name files. */
  sizes: 'payload-sizes.txt',
} as const

/** The folder of the payload. */
export const PAYLOAD_FOLDER = 'data'

export const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/** Payload-Oxum of bag-info.txt: octets and streams of the payload. */
export interface Oxum {
  readonly bytes: number
  readonly files: number
}

/** A file of a bag. */
export interface ManifestEntry {
  /** Relative to the bag. */
  readonly path: string
  readonly sha256: string
  readonly bytes: number
}

/** A payload file that each backup has. */
export const OWN_MANIFEST = `${PAYLOAD_FOLDER}/backup.json`

/**
 * Whether a bag was made by another tool: it has a declaration and a manifest, but none of the files that every backup has.
 * @param top names of the files at its top
 * @param hasOwnManifest whether it has `OWN_MANIFEST`, or lists it
 */
export function isForeignBag(top: readonly string[], hasOwnManifest: boolean): boolean {
  const isBag = top.includes(BAG_FILES.declaration) && top.some((name) => /^manifest-\w+\.txt$/.test(name))
  return isBag && !top.includes(BAG_FILES.sizes) && !hasOwnManifest
}

/** One line of a manifest, as `sha256sum` writes and reads it. */
export function manifestLine(sha256: string, path: string): string {
  return `${sha256}  ${path}\n`
}

/** One line of payload-sizes.txt. */
export function sizeLine(bytes: number, path: string): string {
  return `${bytes}  ${path}\n`
}

/** bag-info.txt: one `Label: value` a line. */
export function bagInfoText(entries: readonly (readonly [label: string, value: string])[]): string {
  return entries.map(([label, value]) => `${label}: ${value.replace(/[\p{Cc}\s]+/gu, ' ').trim()}\n`).join('')
}

/** A line of a manifest or of the sizes, split; `null` for a line of any other form. */
function parseLine(line: string, form: RegExp): { first: string; path: string } | null {
  const [, first, path] = form.exec(line) ?? []
  return first !== undefined && path !== undefined && isSafePath(path) ? { first, path: decodePath(path) } : null
}

/**
 * RFC 8493, 2.1.3: any spaces and tabs, or the ` *` of checksum programs, and `./` before the path. Digests must be in lower case, as they are written:
 * a damaged bit can change the case of a letter.
 */
const MANIFEST_LINE = /^([0-9a-f]{64})[ \t]+\*?(?:\.\/)?([^ \t].*)$/s
const SIZE_LINE = /^(0|[1-9]\d{0,15}) {2}(.+)$/s

/** Digits of a size at most. */
export const LONGEST_SIZE = 16

/** A line of a manifest, without its line feed; `null` for a line of any other form. */
export function parseManifestLine(line: string): { sha256: string; path: string } | null {
  const parsed = parseLine(line, MANIFEST_LINE)
  return parsed && { sha256: parsed.first, path: parsed.path }
}

export function parseSizeLine(line: string): { bytes: number; path: string } | null {
  const parsed = parseLine(line, SIZE_LINE)
  return parsed && { bytes: Number(parsed.first), path: parsed.path }
}

/** Relative, without `..`: a manifest must not lead a reader outside the bag. */
function isSafePath(path: string): boolean {
  return !path.includes('\0') && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)
}

/** RFC 8493, 2.1.3: a manifest writes line breaks and percent signs of a name as %0A, %0D, %25. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  return path.replace(/%(0A|0D|25)/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The value of a label in bag-info.txt; `undefined` if it is missing. */
export function bagInfoValue(text: string, label: string): string | undefined {
  const line = text
    .split(/\r\n|\r|\n/)
    .find((candidate) => candidate.toLowerCase().startsWith(`${label.toLowerCase()}:`))
  return line?.slice(label.length + 1).trim()
}

/** Parses `<bytes>.<files>`; `null` for any other text. */
export function parseOxum(value: string): Oxum | null {
  const [, bytes, files] = /^(\d{1,15})\.(\d{1,15})$/.exec(value) ?? []
  return bytes && files ? { bytes: Number(bytes), files: Number(files) } : null
}
