import { compareBytes } from '@collab-etl/contract/compare-bytes'

/** Tags of a file at most, and UTF-16 units of a label in one. */
const MAX_TAGS = 100
const MAX_LENGTH = 100

/** What Obsidian does not take as part of a tag. */
const NOT_IN_TAG = /[^\p{L}\p{M}\p{N}_-]+/gu

/**
 * The tags by which Obsidian finds a file: its kind, and `label/<name>` for each label, whose other characters become `-`. Obsidian does not
 * distinguish capitals in tags, and a tag of digits alone is none.
 */
export function tagsOf(kind: string, labels: Iterable<string>): readonly string[] {
  const tags = new Map<string, string>()
  for (const label of labels) {
    const name = label
      .slice(0, MAX_LENGTH)
      .normalize('NFC')
      .replace(NOT_IN_TAG, '-')
      .replace(/^-+|-+$/g, '')
    const key = name.toLowerCase()
    if (name !== '' && compareBytes(name, tags.get(key) ?? name) <= 0) tags.set(key, name)
  }
  const names = [...tags.values()].sort(compareBytes).slice(0, MAX_TAGS - 1)
  return [kind, ...names.map((name) => `label/${name}`)]
}
