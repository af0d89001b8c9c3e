import { createHash } from 'node:crypto'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { plainName } from './plain-name.ts'
import { fileName } from './slug.ts'

/**
 * How files and folders are named: with the record's id at the end, or after their title alone. `docusaurus`: with the id, and a page with
 * children is the `README.md` of their folder, as Docusaurus expects.
 */
export const NAMINGS = ['id-suffix', 'plain', 'docusaurus'] as const

/** One of `NAMINGS`. */
export type Naming = (typeof NAMINGS)[number]

/** A record that gets a name. */
export interface Named {
  readonly id: string
  readonly title: string | null
}

/** Digits of a number that distinguishes two records with the same name: among 5,000 of them, two share one in 0.3 % of all cases. */
const DIGITS = 8

/**
 * Names the records of one folder.
 *
 * `plain`: of records whose titles give one name, the one with the smallest id (by bytes) has it, and each other has a number
 * made from its own id behind it: `Notes`, `Notes (4f2a91c0)`. So a record keeps its name when others come and go, but for
 * those with a smaller id: when the one with the plain name goes, the next smallest takes it over.
 */
export class FolderNames {
  readonly #naming: Naming
  readonly #taken: Set<string>

  /** `reserved`: names that are already used in this folder. */
  constructor(naming: Naming, reserved: readonly string[] = []) {
    this.#naming = naming
    this.#taken = new Set(reserved.map(foldName))
  }

  /** Names for records, in their order; none is given twice by this folder. */
  name(records: readonly Named[]): string[] {
    if (this.#naming !== 'plain') return records.map(({ title, id }) => fileName(title, id))
    const names = records.map(({ title }) => plainName(title))
    const byId = [...records.keys()].sort((a, b) => compareBytes(records[a]?.id ?? '', records[b]?.id ?? ''))
    // Plain names go first, so that a title that looks like a numbered name has it.
    const numbered = byId.filter((index) => !this.#take(names[index] ?? ''))
    for (const index of numbered) {
      const name = names[index] ?? ''
      const digest = digestOf(records[index]?.id ?? '')
      for (let digits = DIGITS; ; digits += 4) {
        names[index] = `${name} (${digest.slice(0, digits)})`
        if (this.#take(names[index])) break
      }
    }
    return names
  }

  #take(name: string): boolean {
    const folded = foldName(name)
    if (this.#taken.has(folded)) return false
    this.#taken.add(folded)
    return true
  }
}

/** The name as the least capable file systems compare it: without case, and with composed and decomposed letters as equal. */
export function foldName(name: string): string {
  return name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD')
}

function digestOf(id: string): string {
  // As UTF-16, so that even ids that are no valid Unicode differ.
  return createHash('sha256').update(id, 'utf16le').digest('hex')
}
