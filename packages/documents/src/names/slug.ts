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
