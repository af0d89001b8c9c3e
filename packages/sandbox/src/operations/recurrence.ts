import type { EventRecord, Frozen } from '../store/state.ts'

const DAY = 86_400_000

/**
 * Whether an event occurs on a UTC day, given as [from, to) in milliseconds: by its own times, or because it
 * began earlier and recurs on such a day.
 */
export function takesPlace(event: Frozen<EventRecord>, from: number, to: number): boolean {
  const start = Date.parse(event.start)
  if (start >= to) return false
  if (Date.parse(event.end) >= from) return true
  const first = new Date(start)
  const day = new Date(from)
  const sameDate = first.getUTCDate() === day.getUTCDate()
  switch (event.recurrence) {
    case 1:
      return true
    case 2:
      return (Math.floor(from / DAY) - Math.floor(start / DAY)) % 7 === 0
    case 3:
      return sameDate
    case 4:
      return sameDate && first.getUTCMonth() === day.getUTCMonth()
    default:
      return false
  }
}
