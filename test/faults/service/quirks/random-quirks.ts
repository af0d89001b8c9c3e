import fc from 'fast-check'

/** Quirks of which a service has one at most: they contradict each other. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ['clamp-pages', 'error-beyond-end'],
  ['page-cap=20', 'page-cap=7', 'max-page-size=25'],
  ['zero-based-pages'],
  ['task-in-both-lists'],
  ['events-cap=50', 'events-cap=20'],
  ['events-wide-empty', 'events-wide-empty=7'],
  ['tasks-cap=50'],
  ['pages-cap=20'],
  ['comments-cap=20'],
  ['leave-out=page.content', 'leave-out=task.desc/2,event.summary', 'leave-out=post.content,file.name'],
  ['null-lists'],
  ['null-inner-lists'],
  ['file-size-text'],
  ['foreign-pid'],
  ['epoch-ms', 'epoch-s', 'date-only', 'offset-times'],
  ['retry-after-403=60'],
  ['code-401=100099@40'],
  ['forbidden-webhooks'],
  ['bad-post', 'forbidden-post'],
  ['bad-file'],
]

const one = fc
  .nat(EXCLUSIVE.length - 1)
  .chain((group) => fc.constantFrom(...(EXCLUSIVE[group] ?? [])).map((quirk) => ({ group, quirk })))

/** The quirks of one night: one to five that do not contradict each other. */
export const quirksOfNight = fc
  .uniqueArray(one, { selector: ({ group }) => group, minLength: 1, maxLength: 5 })
  .map((quirks) => quirks.map(({ quirk }) => quirk))
