/** A part of a file in bytes. */
export type FilePart = readonly [start: number, end: number]

/** The parts of two versions of a CSV file that may differ, in order. The first one of each is the header. Each part holds whole rows. */
export interface DifferingParts {
  readonly before: readonly FilePart[]
  readonly after: readonly FilePart[]
}

/**
 * By table, what a writer knows of two backups: outside of these parts the files are the same, byte for byte, and a record that has a row in a part
 * has all its rows in parts. The bytes of both files are those that their manifests name.
 */
export type DifferingTables = ReadonlyMap<string, DifferingParts>

/** Whether any rows may differ. */
export function haveRows({ before, after }: DifferingParts): boolean {
  return before.length > 1 || after.length > 1
}
