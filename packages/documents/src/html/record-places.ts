import { hash } from 'node:crypto'
import { fileName } from '../names/slug.ts'

/** The page of a task, in the folder of tasks. */
export function taskFileName(title: string | null, id: string): string {
  return `${fileName(title, id)}.html`
}

/** The calendar of a year, in the folder of a project. */
export function calendarFile(year: string): string {
  return `events-${year}.html`
}

/** The year of a time in UTC, for its calendar; dates before year 0 and after 9999 have a sign. */
export function calendarYear(time: string): string {
  return /^([+-]?\d{4,6})-/.exec(time)?.[1]?.replace('+', '') ?? 'undated'
}

/** The anchor of a start of an event in the calendar. */
export function eventAnchor(id: string, startsAt: string): string {
  return `event-${hash('sha256', JSON.stringify([id, startsAt]), 'hex').slice(0, 16)}`
}
