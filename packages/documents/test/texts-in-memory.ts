import type { TextStore } from '../src/format.ts'

/** A store for the few texts of a test. */
export function textsInMemory(): TextStore {
  const texts: string[] = []
  return {
    async add(text) {
      return { start: texts.push(text) - 1, bytes: Buffer.byteLength(text) }
    },
    async read({ start }) {
      const text = texts[start]
      if (text === undefined) throw new RangeError(`no text ${start}`)
      return text
    },
  }
}
