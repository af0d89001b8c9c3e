import { createHash } from 'node:crypto'

/** Bytes of a slug at most: with an id it leaves room in 255, and 33 Chinese characters stay readable. */
const MAX_SLUG_BYTES = 100

const UNTITLED = 'untitled'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The readable part of a file name: the title's letters, marks and digits of any script in lower case and NFC, with one
 * `-` for anything between them. It holds no other character, so it is never hidden, reserved, or a path, and
 * never holds `--`, `~` or `.`, which the rest of the name is made with.
 */
export function slugOf(title: string | null, maxBytes = MAX_SLUG_BYTES): string {
  const words = (title ?? '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/(?<![\p{L}\p{M}\p{N}])\p{M}+/gu, '')
    .replace(/-{2,}/g, '-')
    .normalize('NFC')
  const slug = trimDashes(cutToBytes(trimDashes(words), maxBytes))
  return slug === '' ? UNTITLED : slug
}

/** The longest beginning of whole graphemes that fits. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let bytes = 0
  // A grapheme has at least one byte, so later ones cannot fit: a 10 MB title is not segmented to its end.
  for (const { segment, index } of segmenter.segment(text.slice(0, maxBytes + 1))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxBytes) return text.slice(0, index)
  }
  return text
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}

/** Ids that can be used unchanged in a file name. */
const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/

const CAPITAL = /[A-Z]/

/**
 * The name of a record's file or folder, without `.md`: `<slug>--<id>`. It depends on this record alone, so it stays
 * when others come and go, and no two ids give names that any file system takes for the same:
 * - an id with capitals: the slug ends in `~` and a number that says which letters are capitals (`notes~5--AbC`), as
 *   macOS and Windows do not distinguish `AbC` from `abc`
 * - an id with other characters than ASCII letters, digits, `_`, `-`, or of more than 64: what is readable of it, `~`
 *   and 16 digits of its SHA-256 (`notes--a-b~c3ab8ff13720e8ad`)
 *
 * At most 186 bytes, or 189 with `.md`.
 */
export function fileName(title: string | null, id: string): string {
  const slug = slugOf(title)
  if (!PLAIN_ID.test(id)) return `${slug}--${slugOf(id, 40)}~${digestOf(id)}`
  return CAPITAL.test(id) ? `${slug}~${capitalsOf(id)}--${id}` : `${slug}--${id}`
}

/** Which letters are capitals: one bit for each letter, the first letter's the highest, as a hexadecimal number. */
function capitalsOf(id: string): string {
  let bits = 0n
  for (const letter of id.replace(/[^A-Za-z]/g, '')) bits = bits * 2n + (CAPITAL.test(letter) ? 1n : 0n)
  return bits.toString(16)
}

function digestOf(id: string): string {
  // As UTF-16, so that even ids that are no valid Unicode differ.
  return createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, 16)
}
