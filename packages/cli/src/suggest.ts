/** A word with more than one typing error in three characters is taken for another word. */
const CHARACTERS_PER_ERROR = 3

/** ` (did you mean --project?)` for a misspelt word, or nothing where no known word is similar. */
export function didYouMean(word: string, known: readonly string[]): string {
  const similar = nearest(word, known)
  return similar === undefined ? '' : `; did you mean ${similar}?`
}

/** The known word that differs least from this one, if it differs by few typing errors, begins with it, or ends with it as a word. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = normalise(word)
  const ranked = known
    .map((name) => ({ name, errors: typingErrors(plain, normalise(name)) }))
    .sort((a, b) => a.errors - b.errors)
  const [best] = ranked
  if (best !== undefined && best.errors <= Math.ceil(plain.length / CHARACTERS_PER_ERROR)) return best.name
  if (plain.length <= 1) return undefined
  return (
    known.find((name) => normalise(name).startsWith(plain)) ??
    known.find((name) => normalise(name).endsWith(`-${plain}`))
  )
}

/** `--dataDir`, `data_dir` and `data-dir` are the same word. */
function normalise(word: string): string {
  return word
    .replace(/^-+/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
}

/** How many characters must be inserted, deleted, replaced or swapped with the next one to make one word of the other. */
function typingErrors(a: string, b: string): number {
  let earlier: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwap ? (earlier[j - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    earlier = row
    row = next
  }
  return row[b.length] ?? 0
}
