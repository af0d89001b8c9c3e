import type { DiffRecord, Records } from './record.ts'

/**
 * The occurrences of each event as one record: a change of a weekly meeting is one change. They must follow each other. Each field has the
 * values of all occurrences; `name` only if they differ.
 */
export async function* foldEvents(occurrences: Records): AsyncGenerator<DiffRecord, void, undefined> {
  let event: DiffRecord[] = []
  for await (const occurrence of occurrences) {
    const [first] = event
    if (first && (first.pid !== occurrence.pid || first.id !== occurrence.id)) {
      yield folded(event, first)
      event = []
    }
    event.push(occurrence)
  }
  const [first] = event
  if (first) yield folded(event, first)
}

function folded(event: readonly DiffRecord[], first: DiffRecord): DiffRecord {
  if (event.length === 1) return first
  const names = [...new Set(event.flatMap(({ fields }) => Object.keys(fields)))]
  const values = (of: (occurrence: DiffRecord) => string | null) => JSON.stringify(event.map(of))
  const haveOneTitle = event.every(({ title }) => title === first.title)
  return {
    ...first,
    fields: {
      ...Object.fromEntries(names.map((name) => [name, values(({ fields }) => fields[name] ?? null)])),
      ...(!haveOneTitle && { name: values(({ title }) => title) }),
    },
  }
}
